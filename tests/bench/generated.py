"""A generated store: memories, entities and vectors that are the same in every run.

Vectors come from a generator seeded by the text, so that no embedding is measured.
"""

import random
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np

from service.providers.embedding.protocol import Vector, Vectors

DIMENSION = 384
MENTIONS = 3
HUB = "central registry"
"""The entity that everything in `around_hub` mentions."""
_WORDS = 20_000
_CENTRES = 500
_AROUND = 4_099


class GeneratedEmbedder:
    """Vectors around a few hundred centres, as real texts have topics; nothing is computed."""

    model = "generated-384"
    dimension = DIMENSION

    def __init__(self) -> None:
        rng = np.random.default_rng(7)
        self._centres = rng.standard_normal((_CENTRES, DIMENSION)).astype(np.float32)
        self._around = rng.standard_normal((_AROUND, DIMENSION)).astype(np.float32)

    async def start(self) -> None:
        """Nothing to fetch."""

    async def embed_query(self, text: str) -> Vector:
        """Return the text's vector."""
        return self._vector(text)

    async def embed(self, texts: Sequence[str]) -> list[Vectors]:
        """Return one passage a text."""
        return [self._vector(text)[np.newaxis] for text in texts]

    async def close(self) -> None:
        """Nothing to free."""

    def _vector(self, text: str) -> Vector:
        seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
        raw = self._centres[seed % _CENTRES] + self._around[seed // _CENTRES % _AROUND]
        return raw / np.sqrt(raw @ raw)


def entity_name(number: int) -> str:
    """Return the name of an entity: two words that no other one has."""
    return f"service {_word(number * 7919 % 1_000_003)}"


def memories(count: int, entities: int, seed: int = 1) -> Iterator[dict[str, object]]:
    """Yield remember bodies: 12 to 30 words of a Zipf-like vocabulary, three mentions each."""
    rng = random.Random(seed)
    for number in range(count):
        words = [_word(int(_WORDS * rng.random() ** 3)) for _ in range(rng.randrange(12, 31))]
        names = {entity_name(int(entities * rng.random() ** 1.5)) for _ in range(MENTIONS)}
        while len(names) < MENTIONS:
            names.add(entity_name(rng.randrange(entities)))
        body: dict[str, object] = {
            "content": f"{number}: {' '.join(words)}",
            "entities": [{"name": name} for name in sorted(names)],
        }
        if number % 10 == 0:
            source, target = sorted(names)[:2]
            body["relations"] = [{"source": source, "target": target, "type": "depends on"}]
        yield body


def around_hub(count: int, entities: int, seed: int = 3) -> Iterator[dict[str, object]]:
    """Yield remember bodies that all mention one hub, and two other entities each.

    One in ten ties the hub to another entity, one in ten ties two others, and one in twenty says
    where something runs, in one of a thousand slots.
    """
    rng = random.Random(seed)
    for number in range(count):
        words = [_word(int(_WORDS * rng.random() ** 3)) for _ in range(rng.randrange(12, 31))]
        one, other = (entity_name(at) for at in rng.sample(range(entities), 2))
        if number < entities:
            one = entity_name(number)
        body: dict[str, object] = {
            "content": f"{number}: {' '.join(words)}",
            "entities": [{"name": name} for name in (HUB, one, other)],
        }
        if number % 10 in (0, 5):
            source = HUB if number % 10 else one
            body["relations"] = [{"source": source, "target": other, "type": "depends on"}]
        if number % 20 == 0:
            body["attributes"] = [runs_on(number // 20 % 1_000, f"host {rng.randrange(50)}")]
        yield body


def runs_on(number: int, host: str) -> dict[str, str]:
    """Return the claim that an entity runs on a host: a slot of one value."""
    return {
        "entity": entity_name(number),
        "aspect": "deployment",
        "group_key": "location",
        "claim_key": "host",
        "value": host,
    }


def queries(count: int, entities: int, seed: int = 2) -> list[str]:
    """Return questions of four words, every second one with the name of an entity."""
    rng = random.Random(seed)
    found: list[str] = []
    for number in range(count):
        words = [_word(int(_WORDS * rng.random() ** 2)) for _ in range(4)]
        if number % 2:
            words.append(entity_name(int(entities * rng.random() ** 1.5)))
        found.append(" ".join(words))
    return found


def _word(number: int) -> str:
    syllables = ("ba", "ke", "li", "mo", "nu", "pra", "se", "ti", "vo", "zu", "dra", "fen")
    word = ""
    number += 144
    while number:
        number, at = divmod(number, len(syllables))
        word += syllables[at]
    return word
