// Look at memories again, and keep those that are replaced by a live memory and not marked as superseded.
// mode: read
// params: $ids
// returns: id, scope
MATCH (m:Memory)
WHERE m.id IN $ids AND NOT m.superseded AND EXISTS { (m)<-[:SUPERSEDES]-(:Memory) }
RETURN m.id AS id, m.scope AS scope LIMIT 100
