// Read memories that changed after a revision, whole, in the order of their revisions.
// mode: read
// params: $after, $upto, $limit, $with_content, $with_vectors
// returns: memory, content, hints, entity_ids, statements, successors, embedding
MATCH (m:Memory)
WHERE $after < m.revision <= $upto
WITH m ORDER BY m.revision LIMIT $limit
RETURN m {.ordinal, .revision, .id, .scope, .type, .importance, .pinned, .session, .speaker,
          .source, .superseded, created_at: toString(m.created_at), occurred_at: toString(m.occurred_at),
          updated_at: toString(m.updated_at)} AS memory,
  CASE WHEN $with_content THEN m.content ELSE '' END AS content,
  CASE WHEN $with_content THEN COLLECT { MATCH (m)-[:HAS_HINT]->(h:Hint) RETURN h.text } ELSE [] END AS hints,
  COLLECT { MATCH (m)-[:MENTIONS]->(e:Entity) RETURN e.id } AS entity_ids,
  COLLECT { MATCH (m)-[:STATES]->(a:Attribute)
            RETURN DISTINCT [a.id, a.slot, a.status, toString(a.valid_from), toString(a.valid_to)] } AS statements,
  COLLECT { MATCH (m)<-[s:SUPERSEDES]-(n:Memory) RETURN [n.id, toString(s.created_at)] } AS successors,
  CASE WHEN $with_vectors
    THEN head(COLLECT { MATCH (m)-[:HAS_EMBEDDING]->(v:Embedding)
                        RETURN [v.model, v.passages, v.dimension, v.vectors] })
  END AS embedding
