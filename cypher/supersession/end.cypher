// End replacements that no longer hold, and keep that they did, until when and why they ended.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (new:Memory {id: row.source})-[s:SUPERSEDES]->(old:Memory {id: row.target})
CREATE (new)-[:FORMERLY_SUPERSEDES {reason: s.reason, created_at: s.created_at, ended_at: datetime(row.ended_at),
                                    ended_because: row.ended_because}]->(old)
DELETE s
RETURN count(*) AS written
