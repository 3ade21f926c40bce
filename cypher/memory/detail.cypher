// Read a memory with everything that hangs on it.
// mode: read
// params: $scope, $id
// returns: memory, embedded, hints, mentions, attributes, successors, targets
MATCH (m:Memory {id: $id})
WHERE m.scope = $scope
RETURN m {.*} AS memory,
  EXISTS { MATCH (m)-[:HAS_EMBEDDING]->(:Embedding) } AS embedded,
  COLLECT { MATCH (m)-[:HAS_HINT]->(h:Hint) RETURN h.text ORDER BY h.text } AS hints,
  COLLECT { MATCH (m)-[r:MENTIONS]->(e:Entity)
            RETURN {id: e.id, name: e.name, entity_type: e.entity_type, mention_text: r.mention_text,
                    confidence: r.confidence}
            ORDER BY e.canonical_name } AS mentions,
  COLLECT { MATCH (m)-[:STATES]->(a:Attribute) WITH DISTINCT a RETURN a.id ORDER BY a.slot, a.valid_from } AS attributes,
  COLLECT { MATCH (m)<-[s:SUPERSEDES]-(n:Memory)
            RETURN {memory_id: n.id, content: n.content, created_at: n.created_at, reason: s.reason}
            ORDER BY n.created_at DESC, n.id } AS successors,
  COLLECT { MATCH (m)-[s:SUPERSEDES]->(o:Memory)
            RETURN {memory_id: o.id, content: o.content, created_at: o.created_at, reason: s.reason}
            ORDER BY o.created_at DESC, o.id } AS targets
