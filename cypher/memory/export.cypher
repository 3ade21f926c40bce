// Read memories of a scope with all that they brought, in the order in which they were made.
// mode: read
// params: $scope, $after, $limit
// returns: memory, embedded, hints, mentions, relations, claims, replaced
MATCH (m:Memory)
WHERE m.ordinal > $after AND m.scope = $scope
WITH m ORDER BY m.ordinal LIMIT $limit
RETURN m {.*} AS memory,
  EXISTS { MATCH (m)-[:HAS_EMBEDDING]->(:Embedding) } AS embedded,
  COLLECT { MATCH (m)-[:HAS_HINT]->(h:Hint) RETURN h.text ORDER BY h.text } AS hints,
  COLLECT { MATCH (m)-[r:MENTIONS]->(e:Entity)
            RETURN {id: e.id, name: e.name, entity_type: e.entity_type, mention_text: r.mention_text,
                    confidence: r.confidence}
            ORDER BY e.canonical_name } AS mentions,
  COLLECT { MATCH (m)-[a:ASSERTS]->(s:Entity)
            MATCH (t:Entity {id: a.target_id})
            MATCH (s)-[r:$(a.type)]->(t)
            RETURN {source: s.name, target: t.name, type: r.relation_type, confidence: a.confidence}
            ORDER BY s.canonical_name, a.type, t.canonical_name } AS relations,
  COLLECT { MATCH (m)-[c:STATES]->(a:Attribute)
            MATCH (e:Entity {id: a.entity_id})
            RETURN {entity: e.name, aspect: a.aspect, group_key: a.group_key, claim_key: a.claim_key,
                    cardinality: a.cardinality, value: c.value, kind: c.kind, confidence: c.confidence,
                    importance: c.importance, valid_from: c.at, valid_to: c.until}
            ORDER BY a.slot, c.at } AS claims,
  COLLECT { MATCH (m)-[s:SUPERSEDES]->(o:Memory)
            RETURN {memory_id: o.id, reason: s.reason} ORDER BY o.ordinal } AS replaced
