// Keep who stated attributes that are taken back while their memories stay.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (a:Attribute {id: row.id})
CALL (a) {
  MATCH (m:Memory|Operation)-[:STATES]->(a)
  WITH DISTINCT m, a
  CREATE (m)-[:STATED]->(a)
}
RETURN count(*) AS written
