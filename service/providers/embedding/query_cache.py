"""A bounded memory of the questions that were embedded last."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable

from service.providers.embedding.protocol import Vector


class QueryCache:
    """Keeps the vectors of the last `size` different queries. For one event loop."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    async def get(self, text: str, embed: Callable[[str], Awaitable[Vector]]) -> Vector:
        """Return the kept vector of `text`, else `embed` it and keep that, read-only."""
        vector = self._vectors.get(text)
        if vector is None:
            vector = await embed(text)
            vector.setflags(write=False)
            self._vectors[text] = vector
            if len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
        else:
            self._vectors.move_to_end(text)
        return vector
