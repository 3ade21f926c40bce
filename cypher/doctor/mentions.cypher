// List entities whose number of mentions seems not to be the number of memories that mention them.
// mode: read
// returns: id
// scan: every entity is compared
MATCH (e:Entity)
WITH e, COUNT { (e)<-[:MENTIONS]-(:Memory) } AS counted
WHERE counted <> e.mentions
RETURN e.id AS id LIMIT 1000
