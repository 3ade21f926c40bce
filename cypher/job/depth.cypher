// Count jobs by status.
// mode: read
// returns: status, jobs
// scan: jobs are few
MATCH (j:Job)
RETURN j.status AS status, count(*) AS jobs
