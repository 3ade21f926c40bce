// The pairs of entities that the same memories mention most often.
// mode: read
// params: $scope, $limit
// returns: one, other, together
// scan: every mention of the scope is counted
MATCH (m:Memory {scope: $scope})-[:MENTIONS]->(a:Entity)
MATCH (m)-[:MENTIONS]->(b:Entity)
WHERE a.canonical_name < b.canonical_name
RETURN a.name AS one, b.name AS other, count(*) AS together
ORDER BY together DESC, one, other
LIMIT toInteger($limit)
