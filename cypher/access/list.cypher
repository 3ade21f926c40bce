// Read every key, those revoked too, oldest first.
// mode: read
// returns: key
MATCH (k:ApiKey)
WHERE k.id IS NOT NULL
RETURN k {.*} AS key
ORDER BY key.created_at, key.id
