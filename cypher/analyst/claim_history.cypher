// The history of one claim, newest first: each value, from when to when, and what said so.
// mode: read
// params: $scope, $entity, $claim
// returns: value, status, since, until, memories
MATCH (e:Entity {scope: $scope, canonical_name: toLower($entity)})
MATCH (e)-[:HAS_ASPECT]->(:Aspect)-[:HAS_ATTRIBUTE]->(t:Attribute)
WHERE t.claim_key = $claim
RETURN t.value AS value, t.status AS status, t.valid_from AS since, t.valid_to AS until,
  COLLECT { MATCH (m:Memory)-[:STATES|STATED]->(t) RETURN m.content ORDER BY m.created_at LIMIT 1000 } AS memories
ORDER BY since DESC
