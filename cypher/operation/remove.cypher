// Remove records of which nothing is left.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (o:Operation {id: row.id})
DETACH DELETE o
RETURN count(*) AS written
