// Count what the store holds.
// mode: read
// returns: memories, entities, deleted
// scan: counting the store; Neo4j answers label counts from its own statistics
CALL () { MATCH (m:Memory) RETURN count(m) AS memories }
CALL () { MATCH (e:Entity) RETURN count(e) AS entities }
CALL () { MATCH (d:DeletedMemory) RETURN count(d) AS deleted }
RETURN memories, entities, deleted
