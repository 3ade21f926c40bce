// Give entities their names: the one they are called by, and those that resolve to them too.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e.name = row.name, e.canonical_name = row.canonical_name, e.aliases = row.aliases,
  e.revision = row.revision, e.updated_at = datetime(row.updated_at)
RETURN count(*) AS written
