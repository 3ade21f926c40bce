// Read the newest revision that is committed.
// mode: read
// returns: revision
MATCH (c:Counter {name: 'revision'})
RETURN c.value AS revision
