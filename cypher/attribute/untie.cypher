// Take SUPERSEDES between attributes away where the line no longer has them as neighbours.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (new:Attribute {id: row.new_id})-[s:SUPERSEDES]->(old:Attribute {id: row.old_id})
DELETE s
RETURN count(*) AS written
