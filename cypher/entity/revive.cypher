// Bring entities back that are gone, with nothing on them yet.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MERGE (e:DeletedEntity {id: row.id})
REMOVE e:DeletedEntity, e.deleted_at
SET e:Entity, e.scope = row.scope, e.name = row.name, e.canonical_name = row.canonical_name,
  e.entity_type = row.entity_type, e.mentions = 0, e.revision = row.revision,
  e.created_at = coalesce(e.created_at, datetime(row.updated_at)), e.updated_at = datetime(row.updated_at)
RETURN count(*) AS written
