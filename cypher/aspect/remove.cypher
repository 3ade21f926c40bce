// Remove aspects with what was taken back under them.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (a:Aspect {id: row.id})
CALL (a) {
  MATCH (a)-[:HAS_ATTRIBUTE]->(t:Attribute)
  DETACH DELETE t
}
DETACH DELETE a
RETURN count(*) AS written
