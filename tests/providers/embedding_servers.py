"""Local servers that play an embedding endpoint and a Maven repository, and break on request."""

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Callable
from typing import Any, ClassVar

from service.providers.embedding.model_files import ModelSpec

Reply = Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes]]


class Endpoint:
    """A server that speaks `/embeddings`: it plays its script first, then answers well."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.script: list[Reply] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.release = threading.Event()

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        if self.script:
            return self.script.pop(0)(body)
        return vectors([embed(text) for text in body["input"]])(body)


def embed(text: str) -> list[float]:
    """Three figures that tell texts apart: length, share of "a", and one."""
    return [float(len(text)), float(text.count("a")), 1.0]


def vectors(rows: list[list[float]], *, backwards: bool = False) -> Reply:
    items = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    body = json.dumps({"object": "list", "data": items[::-1] if backwards else items})
    return lambda _: (200, {}, body.encode())


def status(code: int, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: (code, named, b'{"error": {"message": "no"}}')


class Repository:
    """A Maven repository with one artifact, which can break in the ways that networks break."""

    spec: ClassVar[ModelSpec] = ModelSpec(
        name="tiny",
        coordinate="org.example:tiny-model:1.0",
        model_file="tiny.onnx",
        tokenizer_file="tiny.json",
        sha256={
            "tiny.onnx": hashlib.sha256(b"model").hexdigest(),
            "tiny.json": hashlib.sha256(b"tokenizer").hexdigest(),
        },
        dimension=4,
        max_tokens=64,
        overlap=8,
        query_prefix="",
    )

    def __init__(self, url: str) -> None:
        self.remote_repos = {"test": url}
        self.downloads = 0
        self.broken: list[bytes | int] = []
        """What the next downloads answer: other bytes, or a status."""

    def get(self, path: str) -> tuple[int, bytes]:
        if path == "/org/example/tiny-model/1.0/tiny-model-1.0.jar":
            self.downloads += 1
            wrong = self.broken.pop(0) if self.broken else jar(model=b"model")
            return (wrong, b"") if isinstance(wrong, int) else (200, wrong)
        return 404, b""


def jar(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("tiny.onnx", files.get("model", b"model"))
        archive.writestr("tiny.json", files.get("tokenizer", b"tokenizer"))
    return buffer.getvalue()
