// Find the neighbours of a memory in its session's chain.
// mode: read
// params: $id
// returns: before, after
MATCH (m:Memory {id: $id})
RETURN head(COLLECT { MATCH (b:Memory)-[:NEXT]->(m) RETURN b.id }) AS before,
  head(COLLECT { MATCH (m)-[:NEXT]->(a:Memory) RETURN a.id }) AS after
