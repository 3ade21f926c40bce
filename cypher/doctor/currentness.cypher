// List memories that seem to be replaced by a live memory and not marked as superseded.
// mode: read
// returns: id
// scan: every memory is compared
MATCH (m:Memory {superseded: false})
WHERE EXISTS { (m)<-[:SUPERSEDES]-(:Memory) }
RETURN m.id AS id LIMIT 1000
