// Load the lines of slots: their attributes, with every claim behind each, and their order.
// One row a slot: a row for each attribute takes the driver several times as long to read.
// mode: read
// params: $slots
// returns: slot, attributes
UNWIND $slots AS slot
MATCH (a:Attribute {slot: slot})
WHERE a.status <> 'retracted'
RETURN slot, collect(
  a {.*, created_at: toString(a.created_at), valid_from: toString(a.valid_from), valid_to: toString(a.valid_to),
     claims: [(m:Memory|Operation)-[s:STATES]->(a) |
              {memory_id: m.id, from_operation: m:Operation, value: s.value, at: toString(s.at), until: toString(s.until), kind: s.kind,
               confidence: s.confidence, importance: s.importance}],
     replaced: [(a)-[:SUPERSEDES]->(o:Attribute) | o.id]}) AS attributes
