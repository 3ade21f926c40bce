// Find the live ends of the chain above a memory, newest first.
// mode: read
// params: $id
// returns: memory_id, content, created_at
MATCH (start:Memory {id: $id})
WITH start LIMIT 1     // else the planner pairs the start with every node of the store
MATCH ANY SHORTEST (start)<-[:SUPERSEDES]-{1,100000}(m)
WITH DISTINCT m
WHERE NOT EXISTS { (m)<-[:SUPERSEDES]-(:Memory) }
RETURN m.id AS memory_id, m.content AS content, m.created_at AS created_at
ORDER BY created_at DESC, memory_id
