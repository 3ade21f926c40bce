// Remove every trace of memories: parts, kept answers, claims that nobody else makes, and themselves.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CALL (row) {
  MATCH (m:Memory {id: row.id}) RETURN m
  UNION
  MATCH (m:DeletedMemory {id: row.id}) RETURN m
}
CALL (m) {
  MATCH (m)-[:HAS_HINT|HAS_EMBEDDING]->(part)
  DETACH DELETE part
}
CALL (m) {
  MATCH (k:IdempotencyKey)-[:ANSWERED]->(m)
  DETACH DELETE k
}
CALL (m) {
  MATCH (m)-[:STATED]->(a:Attribute {status: 'retracted'})
  WHERE NOT EXISTS { MATCH (other)-[:STATED]->(a) WHERE other <> m }
  OPTIONAL MATCH (aspect:Aspect)-[:HAS_ATTRIBUTE]->(a)
  DETACH DELETE a
  WITH DISTINCT aspect
  WHERE aspect IS NOT NULL AND NOT EXISTS { (aspect)-[:HAS_ATTRIBUTE]->() }
  DETACH DELETE aspect
}
MERGE (t:Tombstone {id: row.id})
SET t.kind = 'memory', t.ordinal = m.ordinal, t.scope = m.scope, t.name = 'purged memory', t.revision = row.revision
DETACH DELETE m
RETURN count(*) AS written
