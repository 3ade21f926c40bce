// The shortest way from one entity to another along relations, up to six steps. Show the result as a graph.
// mode: read
// params: $scope, $from, $to
// returns: path, steps
MATCH (a:Entity {scope: $scope, canonical_name: toLower($from)})
MATCH (b:Entity {scope: $scope, canonical_name: toLower($to)})
MATCH path = shortestPath((a)-[*1..6]-(b))
WHERE all(node IN nodes(path) WHERE node:Entity)
RETURN path, [r IN relationships(path) | startNode(r).name + ' ' + r.relation_type + ' ' + endNode(r).name] AS steps
