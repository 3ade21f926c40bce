// Queue a job.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CREATE (j:Job)
SET j = row
RETURN count(*) AS written
