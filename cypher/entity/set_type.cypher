// Give entities without a type their first one.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e.entity_type = row.entity_type, e.revision = row.revision
RETURN count(*) AS written
