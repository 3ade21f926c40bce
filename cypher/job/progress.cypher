// Write how far a running job is, and renew its lease.
// mode: write
// params: $id, $progress, $now, $leased_until
MATCH (j:Job {id: $id})
SET j.progress = $progress, j.leased_until = $leased_until, j.updated_at = $now
