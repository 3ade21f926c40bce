// Read a job.
// mode: read
// params: $id
// returns: job
MATCH (j:Job {id: $id})
RETURN j {.*} AS job
