// Tell whether a memory of the scope is live or deleted.
// mode: read
// params: $scope, $id
// returns: live, entity_ids
CALL () {
  MATCH (m:Memory {id: $id}) WHERE m.scope = $scope RETURN true AS live, [] AS entity_ids
  UNION ALL
  MATCH (m:DeletedMemory {id: $id}) WHERE m.scope = $scope
  RETURN false AS live, COLLECT { MATCH (m)-[:STATED]->(a:Attribute) RETURN DISTINCT a.entity_id } AS entity_ids
}
RETURN live, entity_ids
