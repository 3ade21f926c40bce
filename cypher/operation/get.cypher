// Read an operation set of a scope.
// mode: read
// params: $scope, $id
// returns: operation, undoes, undone_by
MATCH (o:Operation {id: $id})
WHERE o.scope = $scope
RETURN o {.id, .scope, .actor, .reason, .evidence, .key, .applied_at, .results} AS operation,
  head(COLLECT { MATCH (o)-[:UNDOES]->(u) RETURN u.id }) AS undoes,
  head(COLLECT { MATCH (o)<-[:UNDOES]-(u) RETURN u.id }) AS undone_by
