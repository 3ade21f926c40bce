// Give a key another secret; nothing where it is unknown or revoked.
// mode: write
// params: $name, $digest, $now
// returns: key
MATCH (k:ApiKey {name: $name})
WHERE k.revoked_at IS NULL
SET k.digest = $digest, k.rotated_at = $now
RETURN k {.*} AS key
