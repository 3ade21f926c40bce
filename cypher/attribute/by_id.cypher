// Read attributes as answers show them, in the order asked for.
// mode: read
// params: $ids
// returns: attribute, entity, memory_ids
UNWIND $ids AS id
MATCH (a:Attribute {id: id})
MATCH (e:Entity {id: a.entity_id})
RETURN a {.*} AS attribute, e.name AS entity,
  COLLECT { MATCH (m:Memory)-[s:STATES]->(a) RETURN m.id ORDER BY s.at, m.id } AS memory_ids
