// Move the number of memories that mention an entity, and give the entity its new revision.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e.mentions = e.mentions + row.delta, e.revision = row.revision, e.updated_at = datetime(row.updated_at)
RETURN count(*) AS written
