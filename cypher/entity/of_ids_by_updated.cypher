// List some entities, latest changed first, from after a place on.
// mode: read
// params: $ids, $before, $name, $limit
// returns: id, updated_at
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.updated_at < datetime($before) OR (e.updated_at = datetime($before) AND e.canonical_name > $name)
RETURN e.id AS id, toString(e.updated_at) AS updated_at
ORDER BY e.updated_at DESC, e.canonical_name LIMIT $limit
