// What ties two entities: each relation, how often and how surely it was said, and by which memories.
// mode: read
// params: $scope, $from, $to
// returns: relation, mentions, confidence, memories
MATCH (a:Entity {scope: $scope, canonical_name: toLower($from)})
MATCH (b:Entity {scope: $scope, canonical_name: toLower($to)})
MATCH (a)-[r]->(b)
RETURN r.relation_type AS relation, r.mentions AS mentions, r.confidence AS confidence,
  COLLECT { MATCH (m:Memory)-[said:ASSERTS]->(a) WHERE said.target_id = b.id AND said.type = type(r)
            RETURN m.content ORDER BY m.created_at LIMIT 1000 } AS memories
ORDER BY mentions DESC, relation
