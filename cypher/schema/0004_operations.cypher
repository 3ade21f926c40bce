// Operation sets are kept for good: found by id, by time, and by what they touched.
// Other names of an entity stand on the entity itself; nothing ever had the label Alias.
// mode: schema
CREATE CONSTRAINT operation_id IF NOT EXISTS FOR (o:Operation) REQUIRE o.id IS UNIQUE;
CREATE INDEX operation_time IF NOT EXISTS FOR (o:Operation) ON (o.scope, o.applied_at);
CREATE CONSTRAINT deleted_entity_id IF NOT EXISTS FOR (e:DeletedEntity) REQUIRE e.id IS UNIQUE;
CREATE INDEX deleted_entity_scope IF NOT EXISTS FOR (e:DeletedEntity) ON (e.scope);
DROP CONSTRAINT alias_name IF EXISTS;
