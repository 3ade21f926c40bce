// List slots of one value that have two active attributes.
// mode: read
// returns: slot, scope, active
// scan: every attribute is compared
MATCH (a:Attribute {status: 'active', cardinality: 'one'})
WITH a.slot AS slot, a.scope AS scope, count(*) AS active
WHERE active > 1
RETURN slot, scope, active LIMIT 100
