// Load memories with all that a change of them has to know: links, claims, successors, hints.
// mode: read
// params: $ids
// returns: memory, mentions, statements, successors, targets, hints, embedded
UNWIND $ids AS id
MATCH (m:Memory {id: id})
RETURN m {.*, created_at: toString(m.created_at), occurred_at: toString(m.occurred_at),
          updated_at: toString(m.updated_at)} AS memory,
  COLLECT { MATCH (m)-[r:MENTIONS]->(e:Entity)
            RETURN {entity_id: e.id, by: r.by, mention_text: r.mention_text, confidence: r.confidence} } AS mentions,
  COLLECT { MATCH (m)-[s:STATES]->(a:Attribute)
            RETURN DISTINCT {attribute_id: a.id, slot: a.slot, status: a.status} } AS statements,
  COLLECT { MATCH (m)<-[:SUPERSEDES]-(n:Memory) RETURN n.id } AS successors,
  COLLECT { MATCH (m)-[:SUPERSEDES]->(o:Memory) RETURN o.id } AS targets,
  COLLECT { MATCH (m)-[:HAS_HINT]->(h:Hint) RETURN h.text } AS hints,
  EXISTS { MATCH (m)-[:HAS_EMBEDDING]->(:Embedding) } AS embedded
