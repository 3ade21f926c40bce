// List an entity's attributes by aspect and time, from after a place on.
// mode: read
// params: $entity_id, $statuses, $offset, $limit
// returns: attribute, entity, memory_ids
MATCH (e:Entity {id: $entity_id})-[:HAS_ASPECT]->(aspect:Aspect)-[:HAS_ATTRIBUTE]->(a:Attribute)
WHERE a.status IN $statuses
WITH e, aspect, a ORDER BY aspect.weight DESC, aspect.key, a.slot, a.valid_from DESC, a.status, a.id
SKIP $offset LIMIT $limit
RETURN a {.*} AS attribute, e.name AS entity,
  COLLECT { MATCH (m:Memory)-[s:STATES]->(a) RETURN m.id ORDER BY s.at, m.id } AS memory_ids
