// Write what a derived line says of attributes.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (a:Attribute {id: row.id})
SET a += row.properties, a.valid_from = datetime(row.properties.valid_from),
  a.valid_to = datetime(row.properties.valid_to)
RETURN count(*) AS written
