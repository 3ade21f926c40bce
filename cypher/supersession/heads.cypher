// Find the live ends of the chain above a memory, newest first.
// mode: read
// params: $id
// returns: memory_id, content, created_at
MATCH (start:Memory {id: $id})
MATCH ANY SHORTEST (start)<-[:SUPERSEDES]-{1,100000}(m:Memory)
WITH DISTINCT m
WHERE NOT EXISTS { (m)<-[:SUPERSEDES]-(:Memory) }
RETURN m.id AS memory_id, m.content AS content, m.created_at AS created_at
ORDER BY created_at DESC, memory_id
