// What somebody said, newest first, and whether it still holds.
// mode: read
// params: $scope, $speaker, $limit
// returns: said_at, memory, superseded, session
MATCH (m:Memory {scope: $scope})-[:MENTIONS]->(:Entity {scope: $scope, canonical_name: toLower($speaker)})
WHERE toLower(m.speaker) = toLower($speaker)
RETURN m.created_at AS said_at, m.content AS memory, m.superseded AS superseded, m.session AS session
ORDER BY said_at DESC
LIMIT toInteger($limit)
