// Keep what memories that are about to be deleted stated, apart from what live ones state.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
CALL (m) {
  MATCH (m)-[:STATES]->(a:Attribute)
  WITH DISTINCT m, a
  CREATE (m)-[:STATED]->(a)
}
RETURN count(*) AS written
