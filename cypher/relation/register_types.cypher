// Enter relation types into the registry of those that the store has.
// mode: write
// params: $names
UNWIND $names AS name
MERGE (t:RelationType {name: name})
