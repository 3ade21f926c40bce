// Who changed an entity: the audit log of the graph, newest first, with the reason and what was done.
// mode: read
// params: $scope, $entity
// returns: at, actor, reason, done, evidence, undone
MATCH (e:Entity {scope: $scope, canonical_name: toLower($entity)})<-[:TOUCHED]-(o:Operation)
RETURN o.applied_at AS at, o.actor AS actor, o.reason AS reason, o.name AS done,
  COLLECT { UNWIND o.evidence AS id MATCH (m:Memory {id: id}) RETURN m.name LIMIT 1000 } AS evidence,
  EXISTS { (o)<-[:UNDOES]-(:Operation) } AS undone
ORDER BY at DESC
