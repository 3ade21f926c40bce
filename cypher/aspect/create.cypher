// Create aspects below their entities.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
CREATE (e)-[:HAS_ASPECT]->(a:Aspect)
SET a = row, a.created_at = datetime(row.created_at), a.updated_at = datetime(row.updated_at)
RETURN count(*) AS written
