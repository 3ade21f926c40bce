// Hide entities that were deleted or merged: they lose their label and all but their id, name and audit records.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
CALL (e) {
  MATCH (e)-[r]-()
  WHERE NOT r:TOUCHED
  DELETE r
}
REMOVE e:Entity, e.canonical_name, e.aliases, e.mentions
SET e:DeletedEntity, e.deleted_at = datetime(row.deleted_at), e.revision = row.revision
CREATE (:Tombstone {id: e.id, kind: 'entity', scope: e.scope, name: 'removed entity', revision: row.revision})
RETURN count(*) AS written
