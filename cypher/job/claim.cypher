// Lease the job that waits longest, if there is one: queued and due, or its lease ran out.
// mode: write
// params: $now, $leased_until
// returns: job
MATCH (c:Counter {name: 'jobs'})
SET c.locked = true
WITH c
CALL () {
  MATCH (j:Job) WHERE j.status IN ['queued', 'failed'] AND j.due_at <= $now RETURN j
  UNION ALL
  MATCH (j:Job) WHERE j.status = 'running' AND j.leased_until < $now RETURN j
}
WITH j ORDER BY j.due_at LIMIT 1
SET j.status = 'running', j.leased_until = $leased_until, j.attempts = j.attempts + 1, j.updated_at = $now
RETURN j {.*} AS job
