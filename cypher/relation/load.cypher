// Find the relations of given types between pairs of entities.
// mode: read
// params: $rows
// returns: key, id, mentions, confidence_sum
UNWIND $rows AS row
MATCH (s:Entity {id: row.source_id})
MATCH (t:Entity {id: row.target_id})
MATCH (s)-[r:$(row.type)]->(t)
RETURN row.key AS key, elementId(r) AS id, r.mentions AS mentions, r.confidence_sum AS confidence_sum
