// List jobs, newest first, from after a place on; of one scope or of all.
// mode: read
// params: $scope, $before_at, $before_id, $limit
// returns: job
MATCH (j:Job)
WHERE j.created_at <= $before_at AND (j.created_at < $before_at OR j.id < $before_id)
  AND ($scope IS NULL OR j.scope = $scope)
RETURN j {.*} AS job
ORDER BY j.created_at DESC, j.id DESC LIMIT $limit
