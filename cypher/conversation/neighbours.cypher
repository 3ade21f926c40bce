// Find the memories of a session that stand right before and right after a point in time.
// mode: read
// params: $rows
// returns: id, before, after
UNWIND $rows AS row
RETURN row.id AS id,
  head(COLLECT {
    MATCH (m:Memory {session_key: row.session_key})
    WHERE m.created_at <= row.created_at
    RETURN m.id ORDER BY m.created_at DESC, m.ordinal DESC LIMIT 1
  }) AS before,
  head(COLLECT {
    MATCH (m:Memory {session_key: row.session_key})
    WHERE m.created_at > row.created_at
    RETURN m.id ORDER BY m.created_at, m.ordinal LIMIT 1
  }) AS after
