// List entities of a scope, most mentioned first, from after a place on.
// mode: read
// params: $scope, $type, $mentions, $name, $limit
// returns: id, scope, name, canonical_name, entity_type, mentions, aliases
MATCH (e:Entity)
WHERE e.scope = $scope AND e.mentions <= $mentions AND ($type IS NULL OR e.entity_type = $type)
  AND (e.mentions < $mentions OR e.canonical_name > $name)
RETURN e.id AS id, e.scope AS scope, e.name AS name, e.canonical_name AS canonical_name,
  e.entity_type AS entity_type, e.mentions AS mentions, e.aliases AS aliases
ORDER BY mentions DESC, canonical_name LIMIT $limit
