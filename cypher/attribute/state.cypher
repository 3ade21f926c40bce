// Tie claims to the attributes that carry them; a memory that states a value at two times has an edge for each.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})
MATCH (a:Attribute {id: row.attribute_id})
MERGE (m)-[s:STATES {at: datetime(row.claim.at)}]->(a)
SET s = row.claim, s.at = datetime(row.claim.at), s.until = datetime(row.claim.until)
RETURN count(*) AS written
