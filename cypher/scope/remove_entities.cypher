// Remove entities of a scope that no memory mentions, with what operations said of them, a batch at a time.
// mode: write
// params: $scope, $revision, $limit
// returns: id
MATCH (e:Entity {scope: $scope})
WHERE e.mentions = 0
WITH e LIMIT $limit
WITH e, e.id AS id
CREATE (:Tombstone {id: id, kind: 'entity', scope: $scope, name: 'removed entity', revision: $revision})
DETACH DELETE e
RETURN id
