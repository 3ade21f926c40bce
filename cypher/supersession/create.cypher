// Draw SUPERSEDES from corrections to the memories they replace.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (new:Memory {id: row.source})
MATCH (old:Memory {id: row.target})
CREATE (new)-[:SUPERSEDES {reason: row.reason, operation: row.operation, created_at: datetime(row.created_at)}]->(old)
RETURN count(*) AS written
