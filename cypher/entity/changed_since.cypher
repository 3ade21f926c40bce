// List the entities that changed after a revision.
// mode: read
// params: $after
// returns: id, scope, name, canonical_name, entity_type, mentions, aliases
MATCH (e:Entity)
WHERE e.revision > $after
RETURN e.id AS id, e.scope AS scope, e.name AS name, e.canonical_name AS canonical_name,
  e.entity_type AS entity_type, e.mentions AS mentions, e.aliases AS aliases
