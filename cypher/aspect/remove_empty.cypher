// Remove those of the aspects under which nothing is claimed.
// mode: write
// params: $ids
// returns: id
UNWIND $ids AS id
MATCH (a:Aspect {id: id})
WHERE NOT EXISTS { (a)-[:HAS_ATTRIBUTE]->() }
WITH a, a.id AS id
DETACH DELETE a
RETURN id
