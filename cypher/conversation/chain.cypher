// Chain memories of a session: each row is one NEXT edge.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (before:Memory {id: row.before})
MATCH (after:Memory {id: row.after})
CREATE (before)-[:NEXT]->(after)
RETURN count(*) AS written
