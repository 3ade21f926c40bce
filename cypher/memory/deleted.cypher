// List the deleted memories of a scope by their ordinals, with what tells them apart.
// mode: read
// params: $scope, $after, $limit
// returns: id, ordinal, deleted_at, content, metadata
MATCH (m:DeletedMemory)
WHERE m.scope = $scope AND m.ordinal > $after
WITH m ORDER BY m.ordinal LIMIT $limit
RETURN m.id AS id, m.ordinal AS ordinal, m.deleted_at AS deleted_at, m.content AS content,
  m.metadata AS metadata
