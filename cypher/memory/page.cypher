// List memories of a scope, newest first, from after a place on.
// mode: read
// params: $scope, $before_at, $before_ordinal, $since, $until, $type, $entity_id, $include_superseded, $limit
// returns: memory, embedded
MATCH (m:Memory)
WHERE m.scope = $scope AND m.ordinal IS NOT NULL AND $since <= m.created_at < $until AND m.created_at <= $before_at
  AND (m.created_at < $before_at OR m.ordinal < $before_ordinal)
  AND ($type IS NULL OR m.type = $type)
  AND ($include_superseded OR NOT m.superseded)
  AND ($entity_id IS NULL OR EXISTS { MATCH (m)-[:MENTIONS]->(:Entity {id: $entity_id}) })
WITH m ORDER BY m.created_at DESC, m.ordinal DESC LIMIT $limit
RETURN m {.*} AS memory, EXISTS { MATCH (m)-[:HAS_EMBEDDING]->(:Embedding) } AS embedded
