// Queue a job.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CREATE (j:Job)
SET j = row, j.created_at = datetime(row.created_at), j.updated_at = datetime(row.updated_at),
  j.due_at = datetime(row.due_at)
RETURN count(*) AS written
