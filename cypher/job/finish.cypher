// Write how a try at a job ended.
// mode: write
// params: $id, $status, $last_error, $due_at, $now
MATCH (j:Job {id: $id})
SET j.status = $status, j.last_error = $last_error, j.due_at = $due_at, j.leased_until = null, j.updated_at = $now
