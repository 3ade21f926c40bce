// The memories that several live memories replace: somebody should say which one holds.
// mode: read
// params: $scope
// returns: stale, replacements
// scan: every replacement is looked at, and there are far fewer than memories
MATCH (old:Memory {scope: $scope})<-[s:SUPERSEDES]-(new:Memory)
WITH old, new ORDER BY new.created_at DESC
WITH old, collect(new.content) AS replacements
WHERE size(replacements) > 1
RETURN old.content AS stale, replacements
ORDER BY size(replacements) DESC, stale
