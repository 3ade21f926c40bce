// The memories that have no embedding yet: recall finds them by words and by graph only.
// mode: read
// params: $scope
// returns: memory, created_at
MATCH (m:Memory {scope: $scope})
WHERE m.created_at IS NOT NULL AND m.ordinal IS NOT NULL AND NOT EXISTS { (m)-[:HAS_EMBEDDING]->() }
RETURN m.content AS memory, m.created_at AS created_at
ORDER BY created_at
