// Tell whether a memory replaced another, directly or through a chain.
// mode: read
// params: $id, $other_id
// returns: reaches
MATCH (newer:Memory {id: $id})
MATCH (older:Memory {id: $other_id})
OPTIONAL MATCH path = shortestPath((newer)-[:SUPERSEDES*1..100000]->(older))
RETURN path IS NOT NULL AS reaches
