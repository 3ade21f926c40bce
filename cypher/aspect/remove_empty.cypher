// Remove those of the aspects under which nothing is claimed.
// mode: write
// params: $ids
UNWIND $ids AS id
MATCH (a:Aspect {id: id})
WHERE NOT EXISTS { (a)-[:HAS_ATTRIBUTE]->() }
DETACH DELETE a
