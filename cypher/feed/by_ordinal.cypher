// Read memories by their ordinals, whole, as the feed shows them.
// mode: read
// params: $ordinals
// returns: memory, content, hints, entity_ids, statements, successors, embedding
UNWIND $ordinals AS ordinal
MATCH (m:Memory {ordinal: ordinal})
RETURN m {.ordinal, .revision, .id, .scope, .type, .importance, .pinned, .session, .speaker,
          .source, .superseded, created_at: toString(m.created_at), occurred_at: toString(m.occurred_at),
          updated_at: toString(m.updated_at)} AS memory,
  m.content AS content,
  COLLECT { MATCH (m)-[:HAS_HINT]->(h:Hint) RETURN h.text } AS hints,
  COLLECT { MATCH (m)-[:MENTIONS]->(e:Entity) RETURN e.id } AS entity_ids,
  COLLECT { MATCH (m)-[:STATES]->(a:Attribute)
            RETURN DISTINCT [a.id, a.slot, a.status, toString(a.valid_from), toString(a.valid_to)] } AS statements,
  COLLECT { MATCH (m)<-[s:SUPERSEDES]-(n:Memory) RETURN [n.id, toString(s.created_at)] } AS successors,
  head(COLLECT { MATCH (m)-[:HAS_EMBEDDING]->(v:Embedding)
                 RETURN [v.model, v.passages, v.dimension, v.vectors] }) AS embedding
