// The entities that nothing ties to another one and of which nothing is claimed.
// mode: read
// params: $scope, $limit
// returns: entity, type, mentions
MATCH (e:Entity {scope: $scope})
WHERE e.mentions >= 0 AND NOT EXISTS { (e)--(:Entity) } AND NOT EXISTS { (e)-[:HAS_ASPECT]->() }
RETURN e.name AS entity, e.entity_type AS type, e.mentions AS mentions
ORDER BY mentions DESC, entity
LIMIT toInteger($limit)
