// Find the relations of given types between pairs of entities.
// Stands for one type; `service/stores/neo4j/expansion.py` puts the registered ones in its place.
// mode: read
// params: $rows
// returns: key, id, given, mentions, confidence_sum
UNWIND $rows AS row
MATCH (s:Entity {id: row.source_id})
MATCH (t:Entity {id: row.target_id})
MATCH (s)-[r:RELATED_TO]->(t)
WHERE type(r) = row.type
RETURN row.key AS key, elementId(r) AS id, r.relation_type AS given, r.mentions AS mentions, r.confidence_sum AS confidence_sum
