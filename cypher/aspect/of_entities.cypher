// List the aspects of entities, with the slots that are claimed under each.
// mode: read
// params: $entity_ids
// returns: entity_id, id, key, name, weight, slots, retracted
UNWIND $entity_ids AS id
MATCH (e:Entity {id: id})-[:HAS_ASPECT]->(a:Aspect)
RETURN e.id AS entity_id, a.id AS id, a.key AS key, a.name AS name, a.weight AS weight,
  COLLECT { MATCH (a)-[:HAS_ATTRIBUTE]->(t:Attribute) WHERE t.status <> 'retracted' RETURN DISTINCT t.slot } AS slots,
  COLLECT { MATCH (a)-[:HAS_ATTRIBUTE]->(t:Attribute) WHERE t.status = 'retracted'
            RETURN {id: t.id, group_key: t.group_key, claim_key: t.claim_key, value: t.value} } AS retracted
ORDER BY a.key
