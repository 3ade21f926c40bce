// A picture of the memories that replace others, the latest replacement first. Show the result as a graph.
// mode: read
// params: $scope, $limit
// returns: replaced
// scan: every replacement is looked at, and there are far fewer than memories
MATCH replaced = (:Memory {scope: $scope})-[s:SUPERSEDES]->(:Memory)
RETURN replaced
ORDER BY s.created_at DESC
LIMIT toInteger($limit)
