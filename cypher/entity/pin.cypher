// Keep entities that an operation made, also while nothing is said of them.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e.pinned = true
RETURN count(*) AS written
