// Find attributes of a scope by their ids, with their slots.
// mode: read
// params: $scope, $ids
// returns: id, slot, status, entity_id
UNWIND $ids AS id
MATCH (a:Attribute {id: id})
WHERE a.scope = $scope
RETURN a.id AS id, a.slot AS slot, a.status AS status, a.entity_id AS entity_id
