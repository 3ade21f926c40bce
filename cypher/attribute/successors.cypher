// Find the memories that state what took the place of a memory's replaced attributes: right after, and now.
// mode: read
// params: $id
// returns: kind, memory_id, content, created_at, attribute_id
MATCH (m:Memory {id: $id})-[:STATES]->(old:Attribute {status: 'superseded'})
CALL (old) {
  MATCH (next:Attribute)-[:SUPERSEDES]->(old)
  MATCH (n:Memory)-[:STATES]->(next)
  RETURN 'next' AS kind, next AS a, n
  UNION ALL
  MATCH (now:Attribute {active_slot: old.slot})
  MATCH (n:Memory)-[:STATES]->(now)
  RETURN 'now' AS kind, now AS a, n
}
RETURN DISTINCT kind, n.id AS memory_id, n.content AS content, n.created_at AS created_at, a.id AS attribute_id
ORDER BY created_at DESC, memory_id
