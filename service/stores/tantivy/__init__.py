"""The text projection: BM25 over content and hints, with statistics of each scope's own."""

from service.stores.tantivy.analyzer import query_tokens, tokens
from service.stores.tantivy.index import Channel, TextHits, TextIndex
from service.stores.tantivy.payload import StoredMemory

__all__ = ["Channel", "StoredMemory", "TextHits", "TextIndex", "query_tokens", "tokens"]
