// Remove retracted attributes that are about to be claimed again.
// mode: write
// params: $ids
UNWIND $ids AS id
MATCH (a:Attribute {id: id})
WHERE a.status = 'retracted'
DETACH DELETE a
