// List the SUPERSEDES edges of a memory, in both directions.
// mode: read
// params: $id
// returns: source, target, reason, created_at
MATCH (m:Memory {id: $id})
CALL (m) {
  MATCH (m)-[s:SUPERSEDES]->(o:Memory)
  RETURN m.id AS source, o.id AS target, s.reason AS reason, s.created_at AS created_at
  UNION ALL
  MATCH (n:Memory)-[s:SUPERSEDES]->(m)
  RETURN n.id AS source, m.id AS target, s.reason AS reason, s.created_at AS created_at
}
RETURN source, target, reason, created_at
