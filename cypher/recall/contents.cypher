// Read what memories say; a deleted or unknown one is left out.
// mode: read
// params: $ids
// returns: id, content
UNWIND $ids AS id
MATCH (m:Memory {id: id})
RETURN m.id AS id, m.content AS content
