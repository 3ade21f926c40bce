// List entities of a scope that nothing names, relates or describes.
// mode: read
// params: $scope, $limit
// returns: id
MATCH (e:Entity {scope: $scope})
WHERE e.mentions = 0 AND NOT EXISTS { (e)--() }
RETURN e.id AS id LIMIT $limit
