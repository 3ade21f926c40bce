// Link memories to the entities they name.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})
MATCH (e:Entity {id: row.entity_id})
CREATE (m)-[:MENTIONS {mention_text: row.mention_text, confidence: row.confidence, by: row.by}]->(e)
RETURN count(*) AS written
