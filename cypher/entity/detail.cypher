// Read an entity with its aspects, heaviest first, and how much hangs on it.
// Stands for one type; `service/stores/neo4j/expansion.py` puts the registered ones in its place.
// mode: read
// params: $scope, $id
// returns: entity, aspects, relations
MATCH (e:Entity {id: $id})
WHERE e.scope = $scope
RETURN e {.*} AS entity,
  COLLECT { MATCH (e)-[:HAS_ASPECT]->(a:Aspect)
            RETURN {id: a.id, name: a.name, weight: a.weight, updated_at: a.updated_at,
                    active: COUNT { MATCH (a)-[:HAS_ATTRIBUTE]->(:Attribute {status: 'active'}) },
                    superseded: COUNT { MATCH (a)-[:HAS_ATTRIBUTE]->(:Attribute {status: 'superseded'}) },
                    attributes: COLLECT { MATCH (a)-[:HAS_ATTRIBUTE]->(t:Attribute {status: 'active'})
                                          RETURN t.id ORDER BY t.slot, t.valid_from DESC LIMIT 100 }}
            ORDER BY a.weight DESC, a.key } AS aspects,
  COUNT { (e)-[:RELATED_TO]-() } AS relations
