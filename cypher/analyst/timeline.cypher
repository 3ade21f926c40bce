// The memories that mention an entity, in the order of what they tell, and whether each still holds.
// mode: read
// params: $scope, $entity, $limit
// returns: happened_at, memory, superseded, speaker
MATCH (m:Memory {scope: $scope})-[:MENTIONS]->(:Entity {scope: $scope, canonical_name: toLower($entity)})
RETURN coalesce(m.occurred_at, m.created_at) AS happened_at, m.content AS memory, m.superseded AS superseded,
  m.speaker AS speaker
ORDER BY happened_at, m.ordinal
LIMIT toInteger($limit)
