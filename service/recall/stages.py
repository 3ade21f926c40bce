"""What happens to the candidates between the channels and the cut: pure functions in their order.

Only succession adds memories; only `min_score`, and superseded ones left out, remove any.
"""

from collections.abc import Callable, Sequence
from typing import Final

from service.recall.candidate import Candidate, Context, by_rank

Candidates = Sequence[Candidate]
Join = Callable[[int], Candidate | None]
"""Makes a candidate of a live memory that passes the filters; None for any other."""

_BELOW: Final = 0.999


def in_context(candidates: Candidates) -> Candidates:
    """Begin with the fused score, and add what stands around a memory."""
    for one in candidates:
        one.score = one.fused + one.context
    return candidates


def boosted(candidates: Candidates, context: Context) -> Candidates:
    """Add what traversal gives.

    A memory that nothing but traversal found has only that, and stays below all that text or
    vector found: what stands around an answer is not the answer.
    """
    weight = context.settings.boost_weight
    anchored = [one.score for one in candidates if one.score > 0.0]
    ceiling = _BELOW * min(anchored, default=1.0)
    for one in candidates:
        boost = weight * one.traversal
        one.score = one.score + boost if one.score > 0.0 else min(boost, ceiling)
    return candidates


def succeeded(candidates: Candidates, context: Context, join: Join) -> Candidates:
    """Let what replaced a found memory take its score, if that is higher than its own.

    A question in the old wording finds the stale memory: its score is the right one for the
    memory that stands in its place.
    """
    if not context.succession:
        return candidates
    known = {one.entry.ordinal: one for one in candidates}
    for stale in candidates:
        if not stale.superseded:
            continue
        for step in context.standing.heads(stale.entry.ordinal):
            head = known.get(step.ordinal)
            if head is None:
                head = join(step.ordinal)
                if head is None:
                    continue
                known[step.ordinal] = head
            if stale.score > head.score or not head.sources:
                head.score = max(head.score, stale.score)
                if "succession" not in head.sources:
                    head.sources.append("succession")
    return list(known.values())


def demoted(candidates: Candidates, context: Context) -> Candidates:
    """Multiply what is superseded by the factor, unless the question is about the past."""
    factor = 1.0 if context.is_historical else context.settings.superseded_factor
    kept: list[Candidate] = []
    for one in candidates:
        one.undemoted = one.score
        if one.superseded:
            if not context.include_superseded:
                continue
            one.score *= factor
        kept.append(one)
    return kept


def good_enough(candidates: Candidates, context: Context) -> Candidates:
    """Keep those of at least `min_score` from before the demotion, which is thus no filter."""
    return [one for one in candidates if one.undemoted >= context.min_score]


def ranked(candidates: Candidates, context: Context, join: Join) -> Candidates:
    """The candidates, fused and put in order, ready for the cut."""
    candidates = boosted(in_context(candidates), context)
    candidates = succeeded(candidates, context, join)
    candidates = demoted(candidates, context)
    candidates = by_rank(candidates)
    return good_enough(candidates, context)
