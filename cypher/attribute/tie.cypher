// Draw SUPERSEDES from newer attributes to the ones they replaced.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (new:Attribute {id: row.new_id})
MATCH (old:Attribute {id: row.old_id})
MERGE (new)-[s:SUPERSEDES]->(old)
ON CREATE SET s.reason = row.reason, s.operation = row.operation, s.created_at = datetime(row.created_at)
RETURN count(*) AS written
