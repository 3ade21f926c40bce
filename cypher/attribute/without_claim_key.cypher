// Read the attributes of an aspect that have no claim key, and so no slot to be replaced in.
// mode: read
// params: $entity_id, $aspect_key
// returns: attribute, entity, memory_ids
MATCH (aspect:Aspect {entity_id: $entity_id, key: $aspect_key})-[:HAS_ATTRIBUTE]->(a:Attribute)
WHERE a.claim_key IS NULL
MATCH (e:Entity {id: $entity_id})
RETURN a {.*} AS attribute, e.name AS entity,
  COLLECT { MATCH (m:Memory)-[s:STATES]->(a) RETURN m.id ORDER BY s.at, m.id } AS memory_ids
