// Find aspects of entities by their keys.
// mode: read
// params: $keys
// returns: entity_id, key, id
UNWIND $keys AS wanted
MATCH (a:Aspect {entity_id: wanted[0], key: wanted[1]})
RETURN a.entity_id AS entity_id, a.key AS key, a.id AS id
