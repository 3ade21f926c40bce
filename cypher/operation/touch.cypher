// Tie records to the memories and entities that they are about, and to entities that are gone.
// mode: write
// params: $rows
UNWIND $rows AS row
MATCH (o:Operation {id: row.id})
CALL (o, row) {
  UNWIND row.memories AS id
  MATCH (m:Memory {id: id})
  CREATE (o)-[:TOUCHED]->(m)
}
CALL (o, row) {
  UNWIND row.entities AS id
  MATCH (e:Entity {id: id})
  CREATE (o)-[:TOUCHED]->(e)
}
CALL (o, row) {
  UNWIND row.gone AS id
  MATCH (e:DeletedEntity {id: id})
  CREATE (o)-[:TOUCHED]->(e)
}
