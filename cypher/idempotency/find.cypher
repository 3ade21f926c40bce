// Find the answer that was given under an idempotency key.
// mode: read
// params: $key
// returns: fingerprint, status, body
MATCH (k:IdempotencyKey {key: $key})
RETURN k.fingerprint AS fingerprint, k.status AS status, k.body AS body
