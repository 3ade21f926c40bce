// Create relations between entities, each of its own native type.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (s:Entity {id: row.source_id})
MATCH (t:Entity {id: row.target_id})
CREATE (s)-[r:$(row.type)]->(t)
SET r = row.properties, r.created_at = datetime(row.properties.created_at)
RETURN count(*) AS written
