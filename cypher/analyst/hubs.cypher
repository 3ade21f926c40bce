// The entities that most memories mention, with the share of the scope that does.
// mode: read
// params: $scope, $limit
// returns: entity, type, mentions, share, relations
MATCH (e:Entity {scope: $scope})
WHERE e.mentions > 0
WITH e ORDER BY e.mentions DESC, e.canonical_name LIMIT toInteger($limit)
RETURN e.name AS entity, e.entity_type AS type, e.mentions AS mentions,
  round(100.0 * e.mentions / COUNT { MATCH (m:Memory {scope: $scope}) WHERE m.created_at IS NOT NULL AND m.ordinal IS NOT NULL }, 1) AS share,
  COUNT { (e)--(:Entity) } AS relations
ORDER BY mentions DESC, entity
