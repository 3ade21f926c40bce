// Take out of records what purged memories say, and the steps from which they could be undone.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (o:Operation {id: row.id})
SET o.results = row.results, o.evidence = row.evidence, o.reason = coalesce(row.reason, o.reason)
WITH o
CALL (o) {
  MATCH (o)-[:HAS_JOURNAL]->(j:Journal)
  DETACH DELETE j
}
CALL (o) {
  MATCH (o)-[:TOUCHED]->(e:DeletedEntity)
  SET e.name = 'removed entity'
}
RETURN count(*) AS written
