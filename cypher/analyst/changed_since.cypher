// What changed since a moment: values and memories that were replaced, and by what; the latest first.
// mode: read
// params: $scope, $since
// returns: changed_at, kind, what, was, is_now
// scan: every replacement is looked at, and there are far fewer than memories
CALL {
  MATCH (new:Attribute {scope: $scope})-[:SUPERSEDES]->(old:Attribute)
  WHERE new.valid_from >= datetime($since)
  MATCH (e:Entity {id: new.entity_id})
  RETURN new.valid_from AS changed_at, 'claim' AS kind, e.name + ': ' + coalesce(new.claim_key, new.aspect) AS what,
    old.value AS was, new.value AS is_now
  UNION ALL
  MATCH (old:Memory {scope: $scope})<-[:SUPERSEDES]-(new:Memory)
  WHERE new.created_at >= datetime($since)
  RETURN new.created_at AS changed_at, 'memory' AS kind, old.name AS what, old.content AS was, new.content AS is_now
}
RETURN changed_at, kind, what, was, is_now
ORDER BY changed_at DESC, what
