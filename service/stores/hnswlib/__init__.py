"""The vector projection: nearest passages of a scope by cosine, exact while a scope is small."""

from service.stores.hnswlib.store import Similarities, VectorStore

__all__ = ["Similarities", "VectorStore"]
