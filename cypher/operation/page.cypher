// List operation sets of a scope, newest first, from after a place on.
// mode: read
// params: $scope, $actor, $entity_id, $since, $until, $before_at, $before_id, $limit
// returns: operation, undoes, undone_by
MATCH (o:Operation)
WHERE o.scope = $scope AND $since <= o.applied_at < $until AND o.applied_at <= $before_at
  AND (o.applied_at < $before_at OR o.id < $before_id)
  AND ($actor IS NULL OR o.actor = $actor)
  AND ($entity_id IS NULL OR EXISTS { MATCH (o)-[:TOUCHED]->(e) WHERE e.id = $entity_id })
WITH o ORDER BY o.applied_at DESC, o.id DESC LIMIT $limit
RETURN o {.id, .scope, .actor, .reason, .evidence, .key, .applied_at, .results} AS operation,
  head(COLLECT { MATCH (o)-[:UNDOES]->(u) RETURN u.id }) AS undoes,
  head(COLLECT { MATCH (o)<-[:UNDOES]-(u) RETURN u.id }) AS undone_by
ORDER BY operation.applied_at DESC, operation.id DESC
