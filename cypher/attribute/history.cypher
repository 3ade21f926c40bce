// Read the attributes of a slot; their line puts them in order.
// mode: read
// params: $slot
// returns: attribute, entity, memory_ids
MATCH (a:Attribute {slot: $slot})
MATCH (e:Entity {id: a.entity_id})
RETURN a {.*} AS attribute, e.name AS entity,
  COLLECT { MATCH (m:Memory)-[s:STATES]->(a) RETURN m.id ORDER BY s.at, m.id } AS memory_ids
