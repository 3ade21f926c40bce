// Keep the steps of operation sets, from which a compensating set is made.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (o:Operation {id: row.id})
CREATE (o)-[:HAS_JOURNAL]->(j:Journal {name: 'journal', body: row.body})
RETURN count(*) AS written
