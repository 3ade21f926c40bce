// List entities of a scope, by canonical name, from after a place on.
// mode: read
// params: $scope, $type, $name, $limit
// returns: id, scope, name, canonical_name, entity_type, mentions, aliases
MATCH (e:Entity)
WHERE e.scope = $scope AND e.canonical_name > $name AND ($type IS NULL OR e.entity_type = $type)
RETURN e.id AS id, e.scope AS scope, e.name AS name, e.canonical_name AS canonical_name,
  e.entity_type AS entity_type, e.mentions AS mentions, e.aliases AS aliases
ORDER BY canonical_name LIMIT $limit
