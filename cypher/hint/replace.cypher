// Put hints in the place of those that memories have.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.memory_id})
CALL (m) {
  MATCH (m)-[:HAS_HINT]->(old:Hint)
  DETACH DELETE old
}
FOREACH (hint IN row.hints |
  CREATE (m)-[:HAS_HINT]->(h:Hint)
  SET h = hint)
RETURN count(*) AS written
