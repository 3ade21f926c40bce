// Take their slots from attributes that are about to leave the line.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (a:Attribute {id: row.id})
SET a.active_slot = null
RETURN count(*) AS written
