// Open the chain of a session between neighbours that something comes between.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (before:Memory {id: row.before})-[n:NEXT]->(after:Memory {id: row.after})
DELETE n
RETURN count(*) AS written
