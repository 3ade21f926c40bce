// Write what a derived line says of attributes; rows that give up their slot come first.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (a:Attribute {id: row.id})
SET a += row.properties
RETURN count(*) AS written
