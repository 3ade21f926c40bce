// Look-ups of the write path, the feed and the lists use an index each.
// mode: schema
CREATE INDEX memory_time IF NOT EXISTS FOR (m:Memory) ON (m.scope, m.created_at, m.ordinal);
CREATE INDEX memory_revision IF NOT EXISTS FOR (m:Memory) ON (m.revision);
CREATE INDEX memory_content_key IF NOT EXISTS FOR (m:Memory) ON (m.content_key);
CREATE INDEX memory_session IF NOT EXISTS
  FOR (m:Memory) ON (m.session_key, m.created_at, m.ordinal);
CREATE INDEX memory_type IF NOT EXISTS FOR (m:Memory) ON (m.scope, m.type);
CREATE INDEX entity_revision IF NOT EXISTS FOR (e:Entity) ON (e.revision);
CREATE INDEX entity_mentions IF NOT EXISTS FOR (e:Entity) ON (e.scope, e.mentions);
CREATE INDEX attribute_slot IF NOT EXISTS FOR (a:Attribute) ON (a.slot);
CREATE INDEX tombstone_revision IF NOT EXISTS FOR (t:Tombstone) ON (t.revision);
CREATE INDEX idempotency_key_time IF NOT EXISTS FOR (k:IdempotencyKey) ON (k.created_at);
CREATE INDEX job_status IF NOT EXISTS FOR (j:Job) ON (j.status);
CREATE INDEX job_time IF NOT EXISTS FOR (j:Job) ON (j.created_at);
CREATE INDEX deleted_memory_scope IF NOT EXISTS FOR (m:DeletedMemory) ON (m.scope);
CREATE INDEX attribute_scope IF NOT EXISTS FOR (a:Attribute) ON (a.scope);
CREATE INDEX aspect_scope IF NOT EXISTS FOR (a:Aspect) ON (a.scope);
CREATE INDEX tombstone_id IF NOT EXISTS FOR (t:Tombstone) ON (t.id);
