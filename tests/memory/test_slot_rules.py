"""Whatever is said in whatever order, slots hold what the simplest reading of the rules gives.

The number of sequences is that of the Hypothesis profile; for more and other ones:

    HYPOTHESIS_PROFILE=thorough pytest tests/memory/test_slot_rules.py --hypothesis-seed=N
"""

import asyncio
import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

from service.bootstrap import Service
from service.domain.attribute import AttributeKind, AttributeStatus, AttributeView, Cardinality
from service.domain.errors import InvalidInput
from service.domain.memory import EntityRef, MemoryUpdate, NewAttribute, NewMemory
from service.domain.names import canonical_name
from service.stores.neo4j.driver import Graph
from tests.memory.slot_rules import Entry, Model, Said
from tests.memory.story import Store, day

SLOTS = ("city", "diet")
VALUES = ("Berlin", "  berlin", "ＢＥＲＬＩＮ", "Munich", "Straße", "STRASSE", "Ahlen")
DAYS = 6


@dataclass(frozen=True, slots=True)
class Remember:
    created: int
    occurred: int | None
    said: tuple[Said, ...]
    again: int | None = None
    """Which earlier memory's text it has; None for a text of its own."""


@dataclass(frozen=True, slots=True)
class Forget:
    which: int
    purge: bool


@dataclass(frozen=True, slots=True)
class Date:
    which: int
    at: int


Step = Remember | Forget | Date


@st.composite
def saying(draw: st.DrawFn, *, rules: bool = True) -> Said:
    since = draw(st.none() | st.integers(0, DAYS))
    until = None if since is None else draw(st.none() | st.integers(since + 1, DAYS + 2))
    return Said(
        slot=draw(st.sampled_from(SLOTS)),
        value=draw(st.sampled_from(VALUES)),
        valid_from=None if since is None else day(since),
        valid_to=None if until is None else day(until),
        constraint=rules and draw(st.integers(0, 7)) == 0,
        many=draw(st.integers(0, 15)) == 0,
    )


def remembering(*, rules: bool, again: bool) -> st.SearchStrategy[Remember]:
    return st.builds(
        Remember,
        created=st.integers(0, DAYS),
        occurred=st.none() | st.integers(0, DAYS),
        said=st.lists(saying(rules=rules), min_size=1, max_size=3).map(tuple),
        again=st.none() | st.integers(0, 30) if again else st.none(),
    )


forgetting = st.builds(Forget, which=st.integers(0, 30), purge=st.booleans())
dating = st.builds(Date, which=st.integers(0, 30), at=st.integers(0, DAYS))
anything = remembering(rules=True, again=True)
steps: st.SearchStrategy[list[Step]] = st.lists(
    anything | anything | anything | forgetting | dating, min_size=1, max_size=14
)


def attribute(said: Said) -> NewAttribute:
    return NewAttribute(
        EntityRef(name="Ana"),
        "home",
        said.value,
        group_key="where",
        claim_key=said.slot,
        kind=AttributeKind.CONSTRAINT if said.constraint else AttributeKind.ATTRIBUTE,
        cardinality=Cardinality.MANY if said.many else None,
        valid_from=said.valid_from,
        valid_to=said.valid_to,
    )


@dataclass(slots=True)
class Both:
    """The service and the model, which are told the same."""

    store: Store
    model: Model = field(default_factory=Model)
    ids: dict[int, str] = field(default_factory=dict[int, str])
    """The service's ids of the model's memories."""
    texts: list[str] = field(default_factory=list[str])

    async def do(self, step: Step) -> None:
        note(str(step))
        if isinstance(step, Remember):
            await self._remember(step)
        elif self.model.memories:
            alive = sorted(self.model.memories)
            number = alive[step.which % len(alive)]
            if isinstance(step, Forget):
                await self.store.forget(self.ids[number], purge=step.purge)
                self.model.forget(number)
            else:
                await self._date(number, day(step.at))

    async def _remember(self, step: Remember) -> None:
        if step.again is None or not self.texts:
            self.texts.append(f"note {len(self.texts)} of Ana's home")
            text = self.texts[-1]
        else:
            text = self.texts[step.again % len(self.texts)]
        created_at = day(step.created)
        occurred_at = None if step.occurred is None else day(step.occurred)
        before = self.model.superseded()
        number, refused = self.model.remember(text, created_at, occurred_at, step.said)
        done = await self.store.remember(
            NewMemory(
                text,
                created_at=created_at,
                occurred_at=occurred_at,
                attributes=[attribute(one) for one in step.said],
            )
        )
        assert done.deduplicated == (number in self.ids)
        self.ids.setdefault(number, done.memory.id)
        assert self.ids[number] == done.memory.id
        assert len(done.contradictions) == refused
        newly = self.model.superseded() - before - {number}
        assert sorted(done.superseded_memories) == sorted(self.ids[one] for one in newly)

    async def _date(self, number: int, at: datetime) -> None:
        is_taken = self.model.date(number, at)
        try:
            await self.store.service.memories.revise(
                self.store.scope, self.ids[number], MemoryUpdate(occurred_at=at)
            )
        except InvalidInput:
            assert not is_taken
        else:
            assert is_taken

    async def agree(self) -> None:
        """Insist that both give the same answers."""
        for slot in SLOTS:
            history = (await self.store.slot(claim_key=slot)).history
            standing = [one for one in history if one.status is not AttributeStatus.RETRACTED]
            await self._agree_on(slot, standing)
            for one in history:
                if one.status is AttributeStatus.RETRACTED:
                    assert one.memory_ids == ()
        rows = await self.store.ask(
            "MATCH (m:Memory {scope: $scope}) RETURN m.id AS id, m.superseded AS superseded"
        )
        assert {row["id"] for row in rows} == {self.ids[one] for one in self.model.memories}
        assert {row["id"] for row in rows if row["superseded"]} == {
            self.ids[one] for one in self.model.superseded()
        }

    async def _agree_on(self, slot: str, standing: Sequence[AttributeView]) -> None:
        numbers = {memory_id: number for number, memory_id in self.ids.items()}
        got = [
            Entry(
                value=one.value,
                status=one.status.value,
                valid_from=one.valid_from,
                valid_to=one.valid_to,
                by=frozenset(numbers[memory_id] for memory_id in one.memory_ids),
            )
            for one in standing
        ]
        line = self.model.line(slot)
        key = lambda one: (one.valid_from, one.status == "active", one.value)  # noqa: E731
        assert sorted(got, key=key) == sorted(line, key=key)
        if slot in self.model.many:
            return
        active = [one for one in got if one.status == "active"]
        assert len(active) == bool(got)
        for moment in (day(at / 2) for at in range(-1, 2 * DAYS + 6)):
            holds = [
                canonical_name(one.value)
                for one in standing
                if one.valid_from <= moment and (one.valid_to is None or moment < one.valid_to)
            ]
            expected = self.model.value_at(slot, moment)
            assert holds == ([] if expected is None else [expected])

    async def agree_on_what_recall_marks(self, moment: datetime | None) -> None:
        """Insist that recall marks what was replaced by a moment; now for None."""
        answer = await self.store.recall("note of Ana's home", as_of=moment, limit=100)
        there = {
            number
            for number, one in self.model.memories.items()
            if moment is None or one.event_at <= moment
        }
        assert {one.id for one in answer.results} == {self.ids[one] for one in there}
        assert {one.id for one in answer.results if one.superseded} == {
            self.ids[one] for one in there & self.model.superseded(moment)
        }


def fresh(service: Service, graph: Graph) -> Store:
    return Store(service, graph, f"test-{uuid.uuid4().hex}")


shared = settings(
    max_examples=settings().max_examples // 4,
    derandomize="HYPOTHESIS_PROFILE" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


# A memory names two ends for one value; the value is confirmed at the earlier of them.
TWO_ENDS = [
    Remember(0, None, tuple(Said("diet", "Berlin", day(1), day(end), many=True) for end in (2, 3))),
    Remember(2, None, (Said("diet", "Berlin", many=True),)),
]


@shared
@given(said=steps, moment=st.integers(0, 2 * DAYS))
@example(said=TWO_ENDS, moment=0)
async def test_any_sequence_gives_what_the_rules_say(
    service: Service, graph: Graph, said: list[Step], moment: int
) -> None:
    both = Both(fresh(service, graph))
    for step in said:
        await both.do(step)
        await both.agree()
    await both.agree_on_what_recall_marks(None)
    await both.agree_on_what_recall_marks(day(moment / 2))


@shared
@given(
    # The same again would be a memory of its own where the first was superseded by then.
    told=st.lists(remembering(rules=False, again=False), min_size=2, max_size=7, unique=True),
    dice=st.randoms(use_true_random=False),
    together=st.booleans(),
)
async def test_the_order_of_arrival_decides_nothing(
    service: Service, graph: Graph, told: list[Remember], dice: Random, together: bool
) -> None:
    texts = {step: f"note {at} of Ana's home" for at, step in enumerate(told)}
    first, second = Both(fresh(service, graph)), Both(fresh(service, graph))
    shuffled = list(told)
    dice.shuffle(shuffled)

    async def tell(both: Both, order: Sequence[Remember]) -> list[list[tuple[object, ...]]]:
        memories = [
            NewMemory(
                texts[step],
                created_at=day(step.created),
                occurred_at=None if step.occurred is None else day(step.occurred),
                attributes=[attribute(one) for one in step.said],
            )
            for step in order
        ]
        if together:
            made = await both.store.remember_all(memories)
        else:
            made = [await both.store.remember(one) for one in memories]
        contents = {one.memory.id: one.memory.content for one in made}
        return [
            [
                (
                    one.value,
                    one.status,
                    one.valid_from,
                    one.valid_to,
                    sorted(contents[memory_id] for memory_id in one.memory_ids),
                )
                for one in sorted(
                    (await both.store.slot(claim_key=slot)).history,
                    key=lambda one: (one.valid_from, one.status, one.value),
                )
            ]
            for slot in SLOTS
        ]

    lines, others = await asyncio.gather(tell(first, told), tell(second, shuffled))
    assert lines == others


async def test_what_one_memory_says_again_is_kept_for_what_comes_late(store: Store) -> None:
    for at in (1, 3, 5):
        await store.remember(NewMemory("up", created_at=day(at), attributes=[attribute(UP)]))
    await store.remember(NewMemory("down", created_at=day(2), attributes=[attribute(DOWN)]))
    history = (await store.slot(claim_key="city")).history
    assert [(one.value, one.valid_from) for one in reversed(history)] == [
        ("up", day(1)),
        ("down", day(2)),
        ("up", day(3)),
    ]


UP, DOWN = Said("city", "up"), Said("city", "down")
