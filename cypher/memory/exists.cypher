// Tell which of the ids are live memories of the scope.
// mode: read
// params: $scope, $ids
// returns: id
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.scope = $scope
RETURN m.id AS id
