// A picture of one claim: its values, what replaced what, and the memories that state each.
// Show the result as a graph.
// mode: read
// params: $scope, $entity, $claim
// returns: claim, values, statements, replacements
MATCH (e:Entity {scope: $scope, canonical_name: toLower($entity)})
MATCH claim = (e)-[:HAS_ASPECT]->(:Aspect)-[:HAS_ATTRIBUTE]->(t:Attribute)
WHERE t.claim_key = $claim
RETURN claim, t AS values,
  COLLECT { MATCH said = (:Memory)-[:STATES]->(t) RETURN said LIMIT 1000 } AS statements,
  COLLECT { MATCH replaced = (t)-[:SUPERSEDES]->(:Attribute) RETURN replaced LIMIT 1000 } AS replacements
