// Ids and keys are unique; each constraint brings the index for looking its property up.
// mode: schema
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (m:Memory) REQUIRE m.id IS UNIQUE;
CREATE CONSTRAINT memory_ordinal IF NOT EXISTS FOR (m:Memory) REQUIRE m.ordinal IS UNIQUE;
CREATE CONSTRAINT deleted_memory_id IF NOT EXISTS FOR (m:DeletedMemory) REQUIRE m.id IS UNIQUE;
CREATE CONSTRAINT embedding_memory IF NOT EXISTS FOR (e:Embedding) REQUIRE e.memory_id IS UNIQUE;
CREATE CONSTRAINT hint_id IF NOT EXISTS FOR (h:Hint) REQUIRE h.id IS UNIQUE;
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE;
CREATE CONSTRAINT entity_name IF NOT EXISTS
  FOR (e:Entity) REQUIRE (e.scope, e.canonical_name) IS UNIQUE;
CREATE CONSTRAINT alias_name IF NOT EXISTS
  FOR (a:Alias) REQUIRE (a.scope, a.canonical_name) IS UNIQUE;
CREATE CONSTRAINT aspect_id IF NOT EXISTS FOR (a:Aspect) REQUIRE a.id IS UNIQUE;
CREATE CONSTRAINT aspect_key IF NOT EXISTS FOR (a:Aspect) REQUIRE (a.entity_id, a.key) IS UNIQUE;
CREATE CONSTRAINT attribute_id IF NOT EXISTS FOR (a:Attribute) REQUIRE a.id IS UNIQUE;
CREATE CONSTRAINT attribute_active_slot IF NOT EXISTS
  FOR (a:Attribute) REQUIRE a.active_slot IS UNIQUE;
CREATE CONSTRAINT relation_type_name IF NOT EXISTS
  FOR (t:RelationType) REQUIRE t.name IS UNIQUE;
CREATE CONSTRAINT scope_name IF NOT EXISTS FOR (s:Scope) REQUIRE s.name IS UNIQUE;
CREATE CONSTRAINT counter_name IF NOT EXISTS FOR (c:Counter) REQUIRE c.name IS UNIQUE;
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (j:Job) REQUIRE j.id IS UNIQUE;
CREATE CONSTRAINT idempotency_key IF NOT EXISTS
  FOR (k:IdempotencyKey) REQUIRE k.key IS UNIQUE;
