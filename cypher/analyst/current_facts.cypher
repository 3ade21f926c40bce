// What is current of an entity: the active value of each slot, since when, and who said so.
// mode: read
// params: $scope, $entity
// returns: aspect, subject, value, kind, since, memory, speaker
MATCH (e:Entity {scope: $scope, canonical_name: toLower($entity)})
MATCH (e)-[:HAS_ASPECT]->(a:Aspect)-[:HAS_ATTRIBUTE]->(t:Attribute {status: 'active'})
OPTIONAL MATCH (m:Memory)-[:STATES]->(t)
WITH a, t, m ORDER BY m.created_at DESC
WITH a, t, collect(m)[0] AS m
RETURN a.name AS aspect, t.claim_key AS subject, t.value AS value, t.kind AS kind, t.valid_from AS since,
  m.content AS memory, m.speaker AS speaker
ORDER BY aspect, subject, value
