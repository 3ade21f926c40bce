// Tell what hangs on an entity, apart from its audit records.
// mode: read
// params: $id
// returns: memories, aspects, relations
MATCH (e:Entity {id: $id})
RETURN COUNT { (:Memory)-[:MENTIONS]->(e) } AS memories, COUNT { (e)-[:HAS_ASPECT]->(:Aspect) } AS aspects,
  COUNT { (e)--(:Entity) } AS relations
