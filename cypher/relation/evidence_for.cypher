// List all evidence for relations, whoever gives it.
// mode: read
// params: $rows
// returns: author_id, from_operation, source_id, target_id, type, confidence
UNWIND $rows AS row
MATCH (author)-[a:ASSERTS]->(s:Entity {id: row.source_id})
WHERE a.type = row.type AND a.target_id = row.target_id
RETURN author.id AS author_id, author:Operation AS from_operation, s.id AS source_id, a.target_id AS target_id,
  a.type AS type, a.confidence AS confidence
