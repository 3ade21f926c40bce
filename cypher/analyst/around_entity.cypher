// A picture of what relations tie to an entity, up to two steps away. Show the result as a graph.
// mode: read
// params: $scope, $entity
// returns: path
MATCH (e:Entity {scope: $scope, canonical_name: toLower($entity)})
MATCH path = (e)-[*1..2]-(:Entity)
WHERE all(node IN nodes(path) WHERE node:Entity)
RETURN path
LIMIT 300
