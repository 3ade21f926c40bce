// Returns when every index can be used, or fails after the given number of seconds.
// mode: read
// params: $seconds
CALL db.awaitIndexes($seconds)
