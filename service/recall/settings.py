"""What an operator can set about recall."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """Parameters of recall with their defaults; the ranges are checked where they are read."""

    alpha: float = 0.7
    """The weight of vector against text, 0 to 1."""
    candidates: int = 100
    """The number of memories that each channel brings at most."""
    superseded_factor: float = 0.25
    """What the score of a superseded memory is multiplied by, 0 to 1."""
    succession: bool = True
    """Whether what replaced a found memory joins the answer with its score."""
    context: bool = True
    """Whether what stands around a memory, who said it and when lifts it."""
    graph_enabled: bool = True
    boost_weight: float = 0.15
    """What a traversal score of 1 adds."""
    entities: int = 20
    """The number of entities that a query starts from at most."""
    neighbors: int = 50
    """The number of entities one hop away at most."""
    memories: int = 200
    """The number of memories that the graph channel brings at most."""
