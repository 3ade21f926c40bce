// Read what was removed after a revision, in the order of the revisions.
// mode: read
// params: $after, $upto, $limit
// returns: kind, id, scope, ordinal, revision
MATCH (t:Tombstone)
WHERE $after < t.revision <= $upto
RETURN t.kind AS kind, t.id AS id, t.scope AS scope, t.ordinal AS ordinal, t.revision AS revision
ORDER BY revision LIMIT $limit
