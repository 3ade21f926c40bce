// Tie compensating sets to those that they take back.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (o:Operation {id: row.id})
MATCH (undone:Operation {id: row.undoes})
CREATE (o)-[:UNDOES]->(undone)
RETURN count(*) AS written
