// Write the running average of relations that were seen again or lost evidence.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH ()-[r]->()
WHERE elementId(r) = row.id
SET r.mentions = row.mentions, r.confidence_sum = row.confidence_sum,
  r.confidence = row.confidence_sum / row.mentions
RETURN count(*) AS written
