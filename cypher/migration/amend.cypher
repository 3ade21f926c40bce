// Write down that a migration had another text before and has now been applied with its present one.
// mode: write
// params: $name, $checksum
// returns: name
MATCH (m:Migration {name: $name})
WHERE m.checksum <> $checksum
SET m.checksum = $checksum, m.applied_at = datetime.transaction()
RETURN m.name AS name
