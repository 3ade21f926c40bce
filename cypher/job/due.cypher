// Tell whether a job waits to be taken: queued and due, or its lease ran out.
// mode: read
// params: $now
// returns: id
CALL () {
  MATCH (j:Job) WHERE j.status IN ['queued', 'failed'] AND j.due_at <= $now RETURN j.id AS id LIMIT 1
  UNION ALL
  MATCH (j:Job) WHERE j.status = 'running' AND j.leased_until < $now RETURN j.id AS id LIMIT 1
}
RETURN id
