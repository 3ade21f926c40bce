"""Every label, relationship type and property of the graph, so that a typo in a statement fails."""

LABELS = frozenset({
    "Alias", "ApiKey", "Aspect", "Attribute", "Counter", "DeletedEntity", "DeletedMemory",
    "Embedding", "Entity", "Hint", "IdempotencyKey", "Job", "Journal", "Memory", "Migration",
    "Operation", "RelationType", "Scope", "Tombstone",
})  # fmt: skip

TYPES = {
    "ANSWERED": ("IdempotencyKey", "Memory"),
    "ASSERTS": ("Memory", "Entity"),
    "FORMERLY_SUPERSEDES": ("Memory", "Memory"),
    "HAS_ASPECT": ("Entity", "Aspect"),
    "HAS_ATTRIBUTE": ("Aspect", "Attribute"),
    "HAS_EMBEDDING": ("Memory", "Embedding"),
    "HAS_HINT": ("Memory", "Hint"),
    "HAS_JOURNAL": ("Operation", "Journal"),
    "MENTIONS": ("Memory", "Entity"),
    "NEXT": ("Memory", "Memory"),
    "RELATED_TO": ("Entity", "Entity"),
    "STATED": ("Memory", "Attribute"),
    "STATES": ("Memory", "Attribute"),
    "SUPERSEDES": ("Memory", "Memory"),
    "TOUCHED": ("Operation", "Entity"),
    "UNDOES": ("Operation", "Operation"),
}
"""Each type with the labels at its start and its end."""

PROPERTIES = frozenset({
    "aspect", "at", "by", "cardinality", "claim_key", "confidence_sum", "deleted_at", "dimension",
    "due_at", "ended_at", "ended_because", "entity_type", "fingerprint", "group_key", "importance",
    "leased_until", "mention_text", "model", "occurred_at", "passages", "pinned", "reason",
    "relation_type", "session", "source", "speaker", "superseded", "target_id", "text", "until",
    "updated_at", "valid_to", "vectors", "weight",
    # of keys
    "digest", "expires_at", "revoked_at", "role", "rotated_at", "scopes",
    # indexed
    "active_slot", "canonical_name", "content_key", "created_at", "entity_id", "id", "key", "kind",
    "memory_id", "mentions", "name", "ordinal", "revision", "scope", "session_key", "slot",
    "status", "type", "valid_from",
    # of the counters, migrations and jobs
    "actor", "aliases", "applied_at", "attempts", "evidence", "operation", "results", "unlinked",
    "body", "checksum", "last_error", "progress", "value", "version",
    # of memories and what they say
    "confidence", "content", "content_hash", "metadata", "source_id", "strength",
})  # fmt: skip
