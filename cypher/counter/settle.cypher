// Read the newest revision of which everything is visible: the lock waits for a commit that is being applied.
// mode: write
// returns: revision
MATCH (c:Counter {name: 'revision'})
SET c.locked = false
RETURN c.value AS revision
