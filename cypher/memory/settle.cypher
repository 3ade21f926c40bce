// Write what a change decided about memories that were there: currentness and their new revision.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
SET m.superseded = row.superseded, m.content_key = row.content_key, m.revision = row.revision
RETURN count(*) AS written
