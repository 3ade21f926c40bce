// Create aspects below their entities.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
CREATE (e)-[:HAS_ASPECT]->(a:Aspect)
SET a = row
RETURN count(*) AS written
