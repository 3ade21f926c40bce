// Find the current memories that hold a content already.
// mode: read
// params: $keys
// returns: content_key, id
UNWIND $keys AS key
MATCH (m:Memory {content_key: key})
RETURN key AS content_key, m.id AS id
