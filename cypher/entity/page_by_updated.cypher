// List entities of a scope, latest changed first.
// mode: read
// params: $scope, $type, $query, $word, $anywhere, $offset, $limit
// returns: id, scope, name, canonical_name, entity_type, mentions
MATCH (e:Entity)
WHERE e.scope = $scope AND e.canonical_name IS NOT NULL AND ($type IS NULL OR e.entity_type = $type)
  AND ($query IS NULL OR e.canonical_name STARTS WITH $query OR e.canonical_name CONTAINS $word
    OR ($anywhere AND e.canonical_name CONTAINS $query))
RETURN e.id AS id, e.scope AS scope, e.name AS name, e.canonical_name AS canonical_name,
  e.entity_type AS entity_type, e.mentions AS mentions
ORDER BY e.updated_at DESC, canonical_name SKIP $offset LIMIT $limit
