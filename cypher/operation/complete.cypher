// Write what operation sets did, once it is known.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (o:Operation {id: row.id})
SET o.name = row.name, o.results = row.results
RETURN count(*) AS written
