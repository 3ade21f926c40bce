// Revoke a key for ever; once more it changes nothing.
// mode: write
// params: $name, $now
// returns: key
MATCH (k:ApiKey {name: $name})
SET k.revoked_at = coalesce(k.revoked_at, $now)
RETURN k {.*} AS key
