// List entities of a scope, latest changed first, from after a place on.
// mode: read
// params: $scope, $type, $before, $name, $limit
// returns: id, scope, name, canonical_name, entity_type, mentions, aliases, updated_at
MATCH (e:Entity)
WHERE e.scope = $scope AND e.canonical_name IS NOT NULL AND ($type IS NULL OR e.entity_type = $type)
  AND (e.updated_at < datetime($before) OR (e.updated_at = datetime($before) AND e.canonical_name > $name))
RETURN e.id AS id, e.scope AS scope, e.name AS name, e.canonical_name AS canonical_name,
  e.entity_type AS entity_type, e.mentions AS mentions, e.aliases AS aliases, toString(e.updated_at) AS updated_at
ORDER BY e.updated_at DESC, canonical_name LIMIT $limit
