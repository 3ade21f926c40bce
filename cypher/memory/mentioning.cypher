// List the memories that mention entities.
// mode: read
// params: $entity_ids, $limit
// returns: memory_id, entity_id
UNWIND $entity_ids AS id
MATCH (m:Memory)-[:MENTIONS]->(e:Entity {id: id})
RETURN m.id AS memory_id, e.id AS entity_id LIMIT $limit
