// List slots of one value that seem to have two active attributes.
// mode: read
// returns: slot
// scan: every attribute is compared
MATCH (a:Attribute {status: 'active', cardinality: 'one'})
WITH a.slot AS slot, count(*) AS active
WHERE active > 1
RETURN slot LIMIT 1000
