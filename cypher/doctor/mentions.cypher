// List entities whose number of mentions is not the number of memories that mention them.
// mode: read
// returns: name, scope, counted, kept
// scan: every entity is compared
MATCH (e:Entity)
WITH e, COUNT { (e)<-[:MENTIONS]-(:Memory) } AS counted
WHERE counted <> e.mentions
RETURN e.name AS name, e.scope AS scope, counted, e.mentions AS kept LIMIT 100
