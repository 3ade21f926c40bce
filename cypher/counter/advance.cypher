// Move the counters on: the revision last given to a change, the ordinal last given to a memory.
// mode: write
// params: $revision, $ordinal
MATCH (c:Counter {name: 'revision'})
SET c.value = $revision, c.ordinal = $ordinal, c.locked = false
