"""Embedding models behind one protocol: local ONNX, any OpenAI-compatible endpoint, hashing."""

from service.providers.embedding.hashing import HashingEmbedder
from service.providers.embedding.onnx import OnnxEmbedder
from service.providers.embedding.openai import OpenAIEmbedder
from service.providers.embedding.protocol import Embedder, Vector, Vectors

__all__ = ["Embedder", "HashingEmbedder", "OnnxEmbedder", "OpenAIEmbedder", "Vector", "Vectors"]
