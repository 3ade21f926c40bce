// List the relations that memories assert.
// mode: read
// params: $memory_ids
// returns: memory_id, source_id, target_id, type, confidence
UNWIND $memory_ids AS id
MATCH (m:Memory {id: id})-[a:ASSERTS]->(s:Entity)
RETURN m.id AS memory_id, s.id AS source_id, a.target_id AS target_id, a.type AS type,
  a.confidence AS confidence
