// Count the mentions of entities again, and keep those whose number is another.
// mode: read
// params: $ids
// returns: name, scope, counted, kept
MATCH (e:Entity)
WHERE e.id IN $ids
WITH e, COUNT { (e)<-[:MENTIONS]-(:Memory) } AS counted
WHERE counted <> e.mentions
RETURN e.name AS name, e.scope AS scope, counted, e.mentions AS kept LIMIT 100
