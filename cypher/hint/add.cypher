// Add hints to memories.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})
CREATE (m)-[:HAS_HINT]->(h:Hint)
SET h = row.hint
RETURN count(*) AS written
