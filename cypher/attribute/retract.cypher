// Keep attributes as retracted whose last claim is being deleted.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (a:Attribute {id: row.id})
SET a.status = 'retracted', a.valid_to = datetime(row.valid_to)
RETURN count(*) AS written
