// Keep operation sets.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CREATE (o:Operation)
SET o = row, o.applied_at = datetime(row.applied_at)
RETURN count(*) AS written
