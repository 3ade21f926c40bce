// Create attributes below their aspects.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (aspect:Aspect {id: row.aspect_id})
CREATE (aspect)-[:HAS_ATTRIBUTE]->(a:Attribute)
SET a = row.properties
RETURN count(*) AS written
