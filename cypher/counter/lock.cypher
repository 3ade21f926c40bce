// Take the store's one write lock until the transaction ends; returns where the counters stand.
// mode: write
// returns: revision, ordinal
MATCH (c:Counter {name: 'revision'})
SET c.locked = true
RETURN c.value AS revision, c.ordinal AS ordinal
