// A picture of one claim: its values, what replaced what, and the memories that state each.
// Show the result as a graph. Entity and aspect are left out: Neo4j Browser would draw all that ties them.
// In order of time, since that is how Neo4j Browser lays them out.
// mode: read
// params: $scope, $entity, $claim
// returns: values, statements, replacements
MATCH (:Entity {scope: $scope, canonical_name: toLower($entity)})-[:HAS_ASPECT]->(:Aspect)-[:HAS_ATTRIBUTE]->(t:Attribute)
WHERE t.claim_key = $claim
RETURN t AS values,
  COLLECT { MATCH said = (:Memory)-[:STATES]->(t) RETURN said LIMIT 1000 } AS statements,
  COLLECT { MATCH replaced = (t)-[:SUPERSEDES]->(:Attribute) RETURN replaced LIMIT 1000 } AS replacements
ORDER BY t.valid_from
