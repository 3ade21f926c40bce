// List the revision of every live memory, page by page in the order of their ordinals.
// mode: read
// params: $after, $limit
// returns: id, ordinal, revision, model
MATCH (m:Memory)
WHERE m.ordinal > $after
WITH m ORDER BY m.ordinal LIMIT $limit
RETURN m.id AS id, m.ordinal AS ordinal, m.revision AS revision,
  head(COLLECT { MATCH (m)-[:HAS_EMBEDDING]->(v:Embedding) RETURN v.model }) AS model
