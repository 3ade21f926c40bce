// The memories that another one replaces by an explicit edge, and why; the latest replacement first.
// mode: read
// params: $scope, $limit
// returns: stale, replaced_by, reason, replaced_at, memory_id
// scan: every replacement is looked at, and there are far fewer than memories
MATCH (old:Memory {scope: $scope})<-[s:SUPERSEDES]-(new:Memory)
RETURN old.content AS stale, new.content AS replaced_by, s.reason AS reason, s.created_at AS replaced_at,
  old.id AS memory_id
ORDER BY replaced_at DESC, stale
LIMIT toInteger($limit)
