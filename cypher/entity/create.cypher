// Create entities.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CREATE (e:Entity)
SET e = row, e.created_at = datetime(row.created_at), e.updated_at = datetime(row.updated_at)
RETURN count(*) AS written
