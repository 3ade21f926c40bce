// Remove attributes of a scope that no live memory states, a batch at a time.
// mode: write
// params: $scope, $limit
// returns: removed
MATCH (a:Attribute {scope: $scope})
WHERE NOT EXISTS { MATCH (:Memory)-[:STATES]->(a) }
WITH a LIMIT $limit
DETACH DELETE a
RETURN count(*) AS removed
