// Remove those of the entities that nothing names, relates or describes any more.
// mode: write
// params: $ids, $revision
// returns: id
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.mentions = 0 AND e.pinned IS NULL AND NOT EXISTS { MATCH (e)-[r]-() WHERE NOT r:TOUCHED }
WITH e, e.id AS id, e.scope AS scope
CREATE (:Tombstone {id: id, kind: 'entity', scope: scope, name: 'removed entity', revision: $revision})
DETACH DELETE e
RETURN id
