// Where a value comes from: the memories that state it, who said them, when, and in which session.
// mode: read
// params: $scope, $value
// returns: entity, subject, value, status, said_at, speaker, session, source, memory
MATCH (t:Attribute {scope: $scope})
WHERE toLower(t.value) CONTAINS toLower($value)
MATCH (e:Entity {id: t.entity_id})
MATCH (m:Memory)-[s:STATES]->(t)
RETURN e.name AS entity, t.claim_key AS subject, t.value AS value, t.status AS status, s.at AS said_at,
  m.speaker AS speaker, m.session AS session, m.source AS source, m.content AS memory
ORDER BY said_at DESC, entity
