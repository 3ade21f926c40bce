// Read the relations of some entities in both directions with the entities at their other ends.
// Stands for one type; `service/stores/neo4j/expansion.py` puts the registered ones in its place.
// Of each entity at most $per_entity relations are read, so that a hub costs no more than others.
// mode: read
// params: $ids, $per_entity
// returns: seed_id, source, target, type, mentions, confidence, neighbor
UNWIND $ids AS seed_id
CALL (seed_id) {
  MATCH (:Entity {id: seed_id})-[r:RELATED_TO]-(n:Entity)
  WITH r, n
  LIMIT $per_entity
  RETURN startNode(r).id AS source, endNode(r).id AS target, r.relation_type AS type,
    r.mentions AS mentions, r.confidence AS confidence, n {.*} AS neighbor
}
RETURN seed_id, source, target, type, mentions, confidence, neighbor
ORDER BY mentions DESC, confidence DESC, neighbor.id
