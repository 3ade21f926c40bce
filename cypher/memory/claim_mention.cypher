// Write down who else names the entities that memories are linked to already.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})-[r:MENTIONS]->(e:Entity {id: row.entity_id})
SET r.by = row.by
RETURN count(*) AS written
