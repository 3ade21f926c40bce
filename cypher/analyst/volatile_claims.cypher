// The claims that changed most often, with their present value.
// mode: read
// params: $scope, $limit
// returns: entity, aspect, subject, changes, value, since
MATCH (t:Attribute {scope: $scope})
WHERE t.status IN ['active', 'superseded']
WITH t.slot AS slot, count(*) - 1 AS changes, collect(t) AS line
WHERE changes > 0
WITH changes, [one IN line WHERE one.status = 'active'][0] AS now, line[0] AS any
MATCH (e:Entity {id: any.entity_id})
RETURN e.name AS entity, any.aspect AS aspect, any.claim_key AS subject, changes, now.value AS value,
  now.valid_from AS since
ORDER BY changes DESC, entity, subject
LIMIT toInteger($limit)
