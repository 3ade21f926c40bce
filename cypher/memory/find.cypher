// Tell whether a memory of the scope is live or deleted.
// mode: read
// params: $scope, $id
// returns: live
CALL () {
  MATCH (m:Memory {id: $id}) WHERE m.scope = $scope RETURN true AS live
  UNION ALL
  MATCH (m:DeletedMemory {id: $id}) WHERE m.scope = $scope RETURN false AS live
}
RETURN live
