// Put attributes below another aspect, of another entity too.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (old:Aspect)-[h:HAS_ATTRIBUTE]->(a:Attribute {id: row.id})
MATCH (new:Aspect {id: row.aspect_id})
DELETE h
CREATE (new)-[:HAS_ATTRIBUTE]->(a)
SET a.entity_id = row.entity_id, a.aspect_id = row.aspect_id, a.slot = row.slot
RETURN count(*) AS written
