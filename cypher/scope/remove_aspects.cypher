// Remove aspects of a scope that hold no attribute, a batch at a time.
// mode: write
// params: $scope, $limit
// returns: removed
MATCH (a:Aspect {scope: $scope})
WHERE NOT EXISTS { (a)-[:HAS_ATTRIBUTE]->() }
WITH a LIMIT $limit
DETACH DELETE a
RETURN count(*) AS removed
