// Keep a new key; nothing where the name is taken.
// mode: write
// params: $id, $name, $role, $scopes, $digest, $now, $expires_at
// returns: key
OPTIONAL MATCH (taken:ApiKey {name: $name})
WITH taken WHERE taken IS NULL
CREATE (k:ApiKey {id: $id, name: $name, role: $role, scopes: $scopes, digest: $digest,
  created_at: $now, expires_at: $expires_at})
RETURN k {.*} AS key
