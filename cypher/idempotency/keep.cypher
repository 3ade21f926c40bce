// Keep the answers given under idempotency keys, tied to the memories they show.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CREATE (k:IdempotencyKey)
SET k = row.properties, k.created_at = datetime(row.properties.created_at)
WITH k, row
CALL (k, row) {
  UNWIND row.memory_ids AS memory_id
  MATCH (m:Memory {id: memory_id})
  CREATE (k)-[:ANSWERED]->(m)
}
RETURN count(*) AS written
