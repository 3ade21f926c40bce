// Keep which memory asserts a relation, and how surely.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})
MATCH (s:Entity {id: row.source_id})
CREATE (m)-[:ASSERTS {type: row.type, target_id: row.target_id, confidence: row.confidence}]->(s)
RETURN count(*) AS written
