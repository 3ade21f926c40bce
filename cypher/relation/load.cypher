// Find the relations of given types between pairs of entities.
// Stands for one type; `service/stores/neo4j/expansion.py` puts the registered ones in its place.
// Both ends are found before the relation: from one end alone, a hub's relations would all be read.
// mode: read
// params: $rows
// returns: key, id, given, mentions, confidence_sum
UNWIND $rows AS row
MATCH (s:Entity {id: row.source_id})
MATCH (t:Entity {id: row.target_id})
CALL (row, s, t) {
  MATCH (s)-[r:RELATED_TO]->(t)
  WHERE type(r) = row.type
  RETURN r
}
RETURN row.key AS key, elementId(r) AS id, r.relation_type AS given, r.mentions AS mentions, r.confidence_sum AS confidence_sum
