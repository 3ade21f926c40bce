// List the registered relation types.
// mode: read
// returns: name
// scan: the registry is bounded (1,000 types)
MATCH (t:RelationType)
RETURN t.name AS name
