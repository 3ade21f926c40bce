// Read the whole chain of replacements around a memory: every memory of it, with the edges that leave it.
// mode: read
// params: $scope, $id
// returns: id, content, type, created_at, superseded, deleted_at, edges
CALL () {
  MATCH (start:Memory {id: $id}) WHERE start.scope = $scope RETURN start
  UNION
  MATCH (start:DeletedMemory {id: $id}) WHERE start.scope = $scope RETURN start
}
MATCH ANY SHORTEST (start)-[:SUPERSEDES|FORMERLY_SUPERSEDES]-{0,100000}(m)
WITH DISTINCT m
RETURN m.id AS id, CASE WHEN m.deleted_at IS NULL THEN m.content END AS content, m.type AS type,
  m.created_at AS created_at, m.superseded AS superseded, m.deleted_at AS deleted_at,
  COLLECT { MATCH (m)-[s:SUPERSEDES|FORMERLY_SUPERSEDES]->(o)
            RETURN {target: o.id, reason: s.reason, created_at: s.created_at, ended_at: s.ended_at,
                    ended_because: s.ended_because} } AS edges
ORDER BY created_at DESC, id
