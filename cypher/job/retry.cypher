// Queue a job again that failed or died.
// mode: write
// params: $id, $now
// returns: job
MATCH (j:Job {id: $id})
WHERE j.status IN ['failed', 'dead']
SET j.status = 'queued', j.attempts = 0, j.due_at = $now, j.updated_at = $now
RETURN j {.*} AS job
