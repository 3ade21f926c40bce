// Remove relations that no evidence is left for.
// mode: write
// params: $ids
UNWIND $ids AS id
MATCH ()-[r]->()
WHERE elementId(r) = id
DELETE r
