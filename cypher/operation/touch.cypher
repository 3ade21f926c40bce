// Tie operation sets to the entities and memories that they touched, or rest on.
// mode: write
// params: $rows
UNWIND $rows AS row
MATCH (o:Operation {id: row.id})
CALL (o, row) {
  UNWIND row.ids AS id
  CALL (id) {
    MATCH (n:Entity {id: id}) RETURN n
    UNION ALL
    MATCH (n:DeletedEntity {id: id}) RETURN n
    UNION ALL
    MATCH (n:Memory {id: id}) RETURN n
    UNION ALL
    MATCH (n:DeletedMemory {id: id}) RETURN n
  }
  CREATE (o)-[:TOUCHED]->(n)
}
