// Write the changed properties of memories.
// mode: write
// params: $rows
// returns: written
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
SET m += row.properties,
  m.updated_at = coalesce(datetime(row.properties.updated_at), m.updated_at),
  m.occurred_at = coalesce(datetime(row.properties.occurred_at), m.occurred_at)
RETURN count(*) AS written
