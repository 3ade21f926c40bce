// Write down that a migration was applied; a second record of it changes nothing.
// mode: write
// params: $name, $version, $checksum
MERGE (m:Migration {name: $name})
ON CREATE SET m.version = $version, m.checksum = $checksum, m.applied_at = datetime.transaction()
