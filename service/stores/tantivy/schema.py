"""Fields of the index and the documents that a memory becomes.

A memory is one document of kind `memory` and, if it has hints, a second one of kind `hints`: so a
hint's length is measured against texts of its kind, and a memory without hints costs nothing.
Every term carries the key of its scope and channel, so each scope has terms, and statistics, of
its own. One reserved document of kind `revision` holds the applied revision: it is replaced in
the very commit that applies the changes.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Literal

import orjson
from tantivy import Document, Schema, SchemaBuilder

from service.domain.filters import microseconds
from service.stores.tantivy.analyzer import tokens
from service.stores.tantivy.payload import StoredMemory, encode

FORMAT = 2
"""Raised with every change of fields, terms or payload; an index of another format is rebuilt."""

Channel = Literal["content", "hints"]

TERMS = "terms"
OWNER = "owner"
KIND = "kind"
ORDINAL = "ordinal"
REVISION = "revision"
TYPE = "type"
ENTITY = "entity"
CREATED = "created"
EVENT = "event"
SUPERSEDED = "superseded"
LENGTH = "length"
PAYLOAD = "payload"

ANY_KIND = "any"
MEMORY_KIND = "memory"
HINTS_KIND = "hints"
REVISION_KIND = "revision"
YES = "yes"

_CACHED_SCOPES = 4_096


def build_schema() -> Schema:
    """The fields of the index."""
    builder = SchemaBuilder()
    builder.add_text_field(TERMS, tokenizer_name="whitespace", index_option="freq")
    for name in (OWNER, KIND, TYPE, ENTITY, SUPERSEDED):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(ORDINAL, indexed=True, fast=True)
    builder.add_unsigned_field(REVISION, fast=True)
    builder.add_unsigned_field(LENGTH, fast=True)
    builder.add_integer_field(CREATED, indexed=True, fast=True)
    builder.add_integer_field(EVENT, indexed=True, fast=True)
    builder.add_bytes_field(PAYLOAD, stored=True)
    return builder.build()


@lru_cache(maxsize=_CACHED_SCOPES)
def scope_key(channel: Channel, scope: str) -> str:
    """A short text that stands for one channel of one scope in every term."""
    digest = blake2b(scope.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return channel[0] + urlsafe_b64encode(digest).decode("ascii").rstrip("=")


def term(key: str, token: str) -> str:
    """The token as a term of the scope and channel with this key."""
    return f"{key}:{token}"


def memory_documents(memory: StoredMemory) -> Iterator[Document]:
    """The documents that a memory is searched by."""
    document = _document(memory, "content", [memory.content])
    document.add_text(KIND, MEMORY_KIND)
    document.add_bytes(PAYLOAD, encode(memory))
    yield document
    if memory.hints:
        document = _document(memory, "hints", memory.hints)
        document.add_text(KIND, HINTS_KIND)
        yield document


def revision_document(revision: int) -> Document:
    """The reserved document that says what the index has applied."""
    document = Document()
    document.add_text(KIND, ANY_KIND)
    document.add_text(KIND, REVISION_KIND)
    document.add_bytes(PAYLOAD, orjson.dumps({"format": FORMAT, "revision": revision}))
    return document


def _document(
    memory: StoredMemory, channel: Channel, texts: list[str] | tuple[str, ...]
) -> Document:
    key = scope_key(channel, memory.scope)
    document = Document()
    prefix = term(key, "")
    words = [prefix + token for text in texts for token in tokens(text)]
    document.add_text(TERMS, " ".join(words))
    document.add_unsigned(LENGTH, len(words))
    document.add_text(OWNER, key)
    document.add_text(KIND, ANY_KIND)
    document.add_text(TYPE, memory.type)
    if memory.superseded:
        document.add_text(SUPERSEDED, YES)
    for entity_id in memory.entity_ids:
        document.add_text(ENTITY, entity_id)
    document.add_unsigned(ORDINAL, memory.ordinal)
    document.add_unsigned(REVISION, memory.revision)
    document.add_integer(CREATED, microseconds(memory.created_at))
    document.add_integer(EVENT, microseconds(memory.event_at))
    return document
