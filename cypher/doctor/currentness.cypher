// List memories that are replaced by a live memory and not marked as superseded.
// mode: read
// returns: id, scope
// scan: every memory is compared
MATCH (m:Memory {superseded: false})
WHERE EXISTS { (m)<-[:SUPERSEDES]-(:Memory) }
RETURN m.id AS id, m.scope AS scope LIMIT 100
