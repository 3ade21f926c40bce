// Hide deleted memories from everything: they lose their label and all but their text and lineage.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
CALL (m) {
  MATCH (m)-[r:MENTIONS|ASSERTS|STATES|NEXT]-()
  DELETE r
}
CALL (m) {
  MATCH (m)-[:HAS_HINT|HAS_EMBEDDING]->(part)
  DETACH DELETE part
}
REMOVE m:Memory, m.content_key, m.session_key
SET m:DeletedMemory, m.deleted_at = datetime(row.deleted_at), m.revision = row.revision
CREATE (:Tombstone {id: m.id, kind: 'memory', ordinal: m.ordinal, scope: m.scope, name: 'deleted memory',
                    revision: row.revision})
RETURN count(*) AS written
