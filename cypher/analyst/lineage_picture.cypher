// A picture of the replacements around a memory: what it replaced and what replaced it, up to 10 steps.
// Show the result as a graph.
// mode: read
// params: $scope, $memory_id
// returns: lineage
MATCH (m:Memory {id: $memory_id})
WHERE m.scope = $scope
OPTIONAL MATCH lineage = (m)-[:SUPERSEDES*1..10]-(:Memory)
RETURN lineage
