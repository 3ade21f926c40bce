// Remove attributes that no claim is left for, with aspects that hold nothing then.
// mode: write
// params: $ids
UNWIND $ids AS id
MATCH (a:Attribute {id: id})
OPTIONAL MATCH (aspect:Aspect)-[:HAS_ATTRIBUTE]->(a)
DETACH DELETE a
WITH DISTINCT aspect
WHERE aspect IS NOT NULL AND NOT EXISTS { (aspect)-[:HAS_ATTRIBUTE]->() }
DETACH DELETE aspect
