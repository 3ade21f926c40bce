// List live memories that have no embedding of a model, oldest first.
// mode: read
// params: $model, $after, $limit
// returns: id, ordinal, content
MATCH (m:Memory)
WHERE m.ordinal > $after AND NOT EXISTS { MATCH (m)-[:HAS_EMBEDDING]->(e:Embedding) WHERE e.model = $model }
RETURN m.id AS id, m.ordinal AS ordinal, m.content AS content
ORDER BY ordinal LIMIT $limit
