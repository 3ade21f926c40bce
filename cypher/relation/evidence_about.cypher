// List all evidence for relations that begin or end at entities, whoever gives it.
// Stands for one type; `service/stores/neo4j/expansion.py` puts the registered ones in its place.
// mode: read
// params: $entity_ids
// returns: author_id, from_operation, source_id, target_id, type, confidence
UNWIND $entity_ids AS id
MATCH (e:Entity {id: id})
CALL (e) {
  MATCH (author)-[a:ASSERTS]->(e)
  RETURN author, a, e AS s
  UNION ALL
  MATCH (e)<-[r:RELATED_TO]-(s:Entity)
  WHERE s <> e
  MATCH (author)-[a:ASSERTS]->(s)
  WHERE a.type = type(r) AND a.target_id = e.id
  RETURN author, a, s
}
RETURN author.id AS author_id, author:Operation AS from_operation, s.id AS source_id, a.target_id AS target_id,
  a.type AS type, a.confidence AS confidence
