// Remove the audit records of a scope and its deleted entities, a batch at a time.
// mode: write
// params: $scope, $limit
// returns: removed
CALL () {
  MATCH (n:Operation)
  WHERE n.scope = $scope AND n.applied_at IS NOT NULL
  RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:DeletedEntity)
  WHERE n.scope = $scope
  RETURN n LIMIT $limit
}
WITH n LIMIT $limit
OPTIONAL MATCH (n)-[:HAS_JOURNAL]->(j:Journal)
DETACH DELETE j, n
RETURN count(DISTINCT n) AS removed
