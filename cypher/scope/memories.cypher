// List memories of a scope, up to an ordinal; with deleted ones where they are to go too.
// mode: read
// params: $scope, $upto, $with_deleted, $limit
// returns: id
CALL () {
  MATCH (m:Memory)
  WHERE m.scope = $scope AND m.ordinal <= $upto
  RETURN m.id AS id LIMIT $limit
  UNION ALL
  MATCH (m:DeletedMemory)
  WHERE $with_deleted AND m.scope = $scope AND m.ordinal <= $upto
  RETURN m.id AS id LIMIT $limit
}
RETURN id LIMIT $limit
