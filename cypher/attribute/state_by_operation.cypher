// Tie claims of operation sets, that no memory makes, to the attributes that carry them.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (o:Operation {id: row.memory_id})
MATCH (a:Attribute {id: row.attribute_id})
MERGE (o)-[s:STATES {at: datetime(row.claim.at)}]->(a)
SET s = row.claim, s.at = datetime(row.claim.at), s.until = datetime(row.claim.until)
RETURN count(*) AS written
