// Take links between memories and entities away.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})-[r:MENTIONS]->(e:Entity {id: row.entity_id})
DELETE r
RETURN count(*) AS written
