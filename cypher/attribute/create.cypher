// Create attributes below their aspects.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (aspect:Aspect {id: row.aspect_id})
CREATE (aspect)-[:HAS_ATTRIBUTE]->(a:Attribute)
SET a = row.properties, a.created_at = datetime(row.properties.created_at),
  a.valid_from = datetime(row.properties.valid_from), a.valid_to = datetime(row.properties.valid_to)
RETURN count(*) AS written
