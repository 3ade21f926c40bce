// Put embeddings in the place of those that memories have, or take them away where there is none.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})
CALL (m) {
  MATCH (m)-[:HAS_EMBEDDING]->(old:Embedding)
  DETACH DELETE old
}
FOREACH (embedding IN row.embeddings |
  CREATE (m)-[:HAS_EMBEDDING]->(e:Embedding)
  SET e = embedding)
RETURN count(*) AS written
