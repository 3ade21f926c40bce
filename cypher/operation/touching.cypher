// List the records that memories are in, before they are purged.
// mode: read
// params: $ids
// returns: id, results, evidence, is_set
UNWIND $ids AS id
CALL (id) {
  MATCH (o:Operation)-[:TOUCHED]->(:Memory {id: id}) RETURN o
  UNION
  MATCH (o:Operation)-[:TOUCHED]->(:DeletedMemory {id: id}) RETURN o
}
WITH DISTINCT o
RETURN o.id AS id, o.results AS results, o.evidence AS evidence,
  EXISTS { MATCH (o)-[:HAS_JOURNAL]->(:Journal) } AS is_set
