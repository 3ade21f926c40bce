// Read the relations of an entity in both directions with the entities at their other ends.
// Stands for one type; `service/stores/neo4j/expansion.py` puts the registered ones in its place.
// mode: read
// params: $id, $limit
// returns: source, target, type, mentions, confidence, neighbor
MATCH (e:Entity {id: $id})
MATCH (e)-[r:RELATED_TO]-(n:Entity)
WITH r, n LIMIT $limit
RETURN startNode(r).id AS source, endNode(r).id AS target, r.relation_type AS type, r.mentions AS mentions,
  r.confidence AS confidence, n {.*} AS neighbor
ORDER BY mentions DESC, confidence DESC, n.id
