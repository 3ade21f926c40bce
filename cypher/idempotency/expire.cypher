// Forget answers that are older than they have to be kept.
// mode: write
// params: $before
MATCH (k:IdempotencyKey)
WHERE k.created_at < $before
WITH k LIMIT 1000
DETACH DELETE k
