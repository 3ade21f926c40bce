// A session from its first word to its last.
// mode: read
// params: $scope, $session
// returns: said_at, speaker, memory, superseded
MATCH (m:Memory {scope: $scope})
WHERE m.created_at IS NOT NULL AND m.ordinal IS NOT NULL AND m.session = $session
RETURN m.created_at AS said_at, m.speaker AS speaker, m.content AS memory, m.superseded AS superseded
ORDER BY said_at, m.ordinal
