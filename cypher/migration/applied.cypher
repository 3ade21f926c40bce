// The migrations that this store has had, in their order.
// mode: read
// returns: name, version, checksum
// scan: there are as many migrations as files
MATCH (m:Migration)
RETURN m.name AS name, m.version AS version, m.checksum AS checksum
ORDER BY version
