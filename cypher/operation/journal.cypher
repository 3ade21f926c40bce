// Read the steps of an operation set of a scope.
// mode: read
// params: $scope, $id
// returns: journal, undone_by
MATCH (o:Operation {id: $id})
WHERE o.scope = $scope
RETURN head(COLLECT { MATCH (o)-[:HAS_JOURNAL]->(j:Journal) RETURN j.body }) AS journal,
  head(COLLECT { MATCH (o)<-[:UNDOES]-(u) RETURN u.id }) AS undone_by
