// Count the active attributes of slots of one value again, and keep those that have two.
// mode: read
// params: $slots
// returns: slot, scope, active
MATCH (a:Attribute {status: 'active', cardinality: 'one'})
WHERE a.slot IN $slots
WITH a.slot AS slot, a.scope AS scope, count(*) AS active
WHERE active > 1
RETURN slot, scope, active LIMIT 100
