// Load the lines of slots: their attributes, with every claim behind each, and their order.
// mode: read
// params: $slots
// returns: slot, attribute, claims, replaced
UNWIND $slots AS slot
MATCH (a:Attribute {slot: slot})
WHERE a.status <> 'retracted'
RETURN slot,
  a {.*, created_at: toString(a.created_at), valid_from: toString(a.valid_from), valid_to: toString(a.valid_to)} AS attribute,
  COLLECT { MATCH (m:Memory|Operation)-[s:STATES]->(a)
            RETURN {memory_id: m.id, from_operation: m:Operation, value: s.value, at: toString(s.at), until: toString(s.until), kind: s.kind, confidence: s.confidence,
                    importance: s.importance} } AS claims,
  COLLECT { MATCH (a)-[:SUPERSEDES]->(o:Attribute) RETURN o.id } AS replaced
