// Take evidence for relations away from memories and operation sets that stay.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CALL (row) {
  MATCH (author:Memory {id: row.author_id}) RETURN author
  UNION
  MATCH (author:Operation {id: row.author_id}) RETURN author
}
MATCH (author)-[a:ASSERTS]->(s:Entity {id: row.source_id})
WHERE a.type = row.type AND a.target_id = row.target_id
DELETE a
RETURN count(*) AS written
