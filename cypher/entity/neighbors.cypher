// Read the relations of some entities in both directions, with the ids of the entities at their other ends.
// Stands for one type; `service/stores/neo4j/expansion.py` puts the registered ones in its place.
// One row holds them all, since each row costs the client more than what is in it.
// Of each entity at most $per_entity relations are read, so that a hub costs no more than others.
// mode: read
// params: $ids, $per_entity
// returns: relations
UNWIND $ids AS seed_id
CALL (seed_id) {
  MATCH (s:Entity {id: seed_id})-[r:RELATED_TO]-(n:Entity)
  WITH s, r, n
  LIMIT $per_entity
  RETURN n.id AS neighbor_id, startNode(r) = s AS is_source, r.relation_type AS type,
    r.mentions AS mentions, r.confidence AS confidence
}
WITH seed_id, neighbor_id, is_source, type, mentions, confidence
ORDER BY mentions DESC, confidence DESC, neighbor_id
RETURN collect([seed_id, neighbor_id, is_source, type, mentions, confidence]) AS relations
