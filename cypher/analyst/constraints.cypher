// The constraints in force: what no newer claim may change by itself.
// mode: read
// params: $scope
// returns: entity, aspect, subject, value, since, memory
MATCH (t:Attribute {scope: $scope})
WHERE t.kind = 'constraint' AND t.status = 'active'
MATCH (e:Entity {id: t.entity_id})
OPTIONAL MATCH (m:Memory)-[:STATES]->(t)
RETURN e.name AS entity, t.aspect AS aspect, t.claim_key AS subject, t.value AS value, t.valid_from AS since,
  m.content AS memory
ORDER BY entity, subject
