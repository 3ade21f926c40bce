// Create memories with their embeddings and hints.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
CREATE (m:Memory)
SET m = row.properties, m.created_at = datetime(row.properties.created_at),
  m.occurred_at = datetime(row.properties.occurred_at), m.updated_at = datetime(row.properties.updated_at)
FOREACH (embedding IN row.embeddings |
  CREATE (m)-[:HAS_EMBEDDING]->(e:Embedding)
  SET e = embedding)
FOREACH (hint IN row.hints |
  CREATE (m)-[:HAS_HINT]->(h:Hint)
  SET h = hint)
RETURN count(*) AS written
