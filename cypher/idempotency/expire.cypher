// Forget answers that are older than they have to be kept, a batch at a time.
// mode: write
// params: $before
// returns: forgotten
MATCH (k:IdempotencyKey)
WHERE k.created_at < $before
WITH k LIMIT 1000
DETACH DELETE k
RETURN count(*) AS forgotten
