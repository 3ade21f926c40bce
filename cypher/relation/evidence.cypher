// List the relations that memories, or operation sets, assert.
// mode: read
// params: $author_ids
// returns: author_id, from_operation, source_id, target_id, type, confidence
UNWIND $author_ids AS id
CALL (id) {
  MATCH (author:Memory {id: id}) RETURN author
  UNION ALL
  MATCH (author:Operation {id: id}) RETURN author
}
MATCH (author)-[a:ASSERTS]->(s:Entity)
RETURN id AS author_id, author:Operation AS from_operation, s.id AS source_id, a.target_id AS target_id,
  a.type AS type, a.confidence AS confidence
