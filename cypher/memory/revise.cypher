// Write the changed properties of memories.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
SET m += row.properties
RETURN count(*) AS written
