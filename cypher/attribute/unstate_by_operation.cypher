// Take claims of operation sets away from attributes.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (o:Operation {id: row.memory_id})-[s:STATES {at: datetime(row.at)}]->(a:Attribute {id: row.attribute_id})
DELETE s
RETURN count(*) AS written
