// Keep which operation set asserts a relation that no memory says, and how surely.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (o:Operation {id: row.memory_id})
MATCH (s:Entity {id: row.source_id})
CREATE (o)-[:ASSERTS {type: row.type, target_id: row.target_id, confidence: row.confidence}]->(s)
RETURN count(*) AS written
