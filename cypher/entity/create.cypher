// Create entities.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CREATE (e:Entity)
SET e = row
RETURN count(*) AS written
