// List the relations of some entities in both directions, the most mentioned and surest first.
// Stands for one type; `service/stores/neo4j/expansion.py` puts the registered ones in its place.
// One row holds them all, since each row costs the client more than what is in it.
// Of each entity at most $per_entity relations are read, so that a hub costs no more than others.
// mode: read
// params: $ids, $per_entity, $limit
// returns: relations
UNWIND $ids AS seed_id
CALL (seed_id) {
  MATCH (:Entity {id: seed_id})-[r:RELATED_TO]-(n:Entity)
  WITH r, n
  LIMIT $per_entity
  RETURN n.id AS entity_id, type(r) AS type, r.mentions AS mentions, r.confidence AS confidence
}
WITH seed_id, entity_id, type, mentions, confidence
ORDER BY mentions DESC, confidence DESC, entity_id, seed_id, type
LIMIT $limit
RETURN collect([seed_id, entity_id, type, mentions, confidence]) AS relations
