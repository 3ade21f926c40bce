// The relation types in use, with how many relations each has in the scope.
// mode: read
// params: $scope
// returns: type, relations, spellings
MATCH (a:Entity {scope: $scope})-[r]->(:Entity)
WHERE a.mentions >= 0
RETURN type(r) AS type, count(*) AS relations, collect(DISTINCT r.relation_type)[..5] AS spellings
ORDER BY relations DESC, type
