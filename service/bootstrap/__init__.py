"""The only place where everything is opened, wired together, and closed again."""

from service.bootstrap.beside import (
    EmbeddedLogin,
    embedded_login,
    fetch_downloads,
    has_store,
    open_keys,
)
from service.bootstrap.wiring import Service, open_embedder, open_service, recall_settings

__all__ = [
    "EmbeddedLogin",
    "Service",
    "embedded_login",
    "fetch_downloads",
    "has_store",
    "open_embedder",
    "open_keys",
    "open_service",
    "recall_settings",
]
