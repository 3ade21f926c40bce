// Bring entities back that were deleted or merged, with nothing on them yet.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (e:DeletedEntity {id: row.id})
REMOVE e:DeletedEntity, e.deleted_at
SET e:Entity, e.name = row.name, e.canonical_name = row.canonical_name, e.entity_type = row.entity_type,
  e.mentions = 0, e.revision = row.revision, e.updated_at = datetime(row.updated_at)
RETURN count(*) AS written
