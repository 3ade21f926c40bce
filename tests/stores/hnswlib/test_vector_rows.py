"""One contract for the exact rows and the graph's, and how near the graph comes to exact."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from service.domain.change import Vectors
from service.stores.hnswlib.exact import ExactRows
from service.stores.hnswlib.graph import GraphRows
from service.stores.hnswlib.index import Rows, ScopeVectors
from tests.stores.full_disk import no_room_for
from tests.stores.hnswlib.clusters import clustered

DIMENSION = 24
EXACT = 10**9
GRAPH = 0


@pytest.fixture(params=[EXACT, GRAPH], ids=["exact", "graph"])
def scope(request: pytest.FixtureRequest) -> ScopeVectors:
    return ScopeVectors(DIMENSION, request.param, 1)


@pytest.fixture(params=["exact", "graph"])
def rows(request: pytest.FixtureRequest) -> Rows:
    return ExactRows(DIMENSION) if request.param == "exact" else GraphRows(DIMENSION, 1)


def one_each(vectors: Vectors, first: int = 0) -> dict[int, Vectors]:
    return {first + n: vectors[n : n + 1] for n in range(len(vectors))}


def array(*ordinals: int) -> NDArray[np.int64]:
    return np.array(ordinals, np.int64)


class TestRows:
    def test_rows_come_back_by_label(self, rows: Rows) -> None:
        vectors = clustered(20, DIMENSION, 1)
        labels = np.arange(100, 120)
        rows.add(labels, vectors)
        assert len(rows) == 20
        assert sorted(rows.labels().tolist()) == labels.tolist()
        assert rows.get(array(107, 103)) == pytest.approx(vectors[[7, 3]], abs=1e-6)

    def test_a_removed_row_is_gone_and_its_label_free(self, rows: Rows) -> None:
        vectors = clustered(20, DIMENSION, 1)
        rows.add(np.arange(20), vectors)
        rows.remove(array(0, 19, 7))
        assert len(rows) == 17
        found, _ = rows.nearest(vectors[7], 20)
        assert set(found.tolist()) == set(range(20)) - {0, 19, 7}
        rows.add(array(7), vectors[:1])
        assert rows.get(array(7)) == pytest.approx(vectors[:1], abs=1e-6)
        assert len(rows) == 18

    def test_cosines_are_those_of_the_vectors(self, rows: Rows) -> None:
        vectors = clustered(50, DIMENSION, 1)
        rows.add(np.arange(50), vectors)
        query = clustered(1, DIMENSION, 2)[0]
        for labels, cosines in (
            rows.nearest(query, 50),
            rows.among(query, np.arange(10, 40), 30),
        ):
            assert cosines == pytest.approx(vectors[labels] @ query, abs=1e-5)


def test_a_graph_cut_by_a_full_disk_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    rows = GraphRows(DIMENSION, 1)
    rows.add(np.arange(200), clustered(200, DIMENSION, 1))
    with no_room_for(10_000), pytest.raises(OSError, match="is the disk full"):
        rows.save(tmp_path / "graph")


class TestScope:
    def test_there_are_as_many_as_there_are(self, scope: ScopeVectors) -> None:
        vectors = clustered(10, DIMENSION, 1)
        assert scope.search(vectors[0], 5, None)[0].size == 0
        scope.put(one_each(vectors[:3]))
        assert set(scope.search(vectors[0], 10, None)[0].tolist()) == {0, 1, 2}
        scope.put(one_each(vectors))
        scope.remove(list(range(8)))
        assert set(scope.search(vectors[0], 5, None)[0].tolist()) == {8, 9}
        scope.remove([8, 9, 777])
        assert scope.search(vectors[0], 5, None)[0].size == 0

    @pytest.mark.parametrize("limit", [0, -1])
    def test_no_limit_no_memories(self, scope: ScopeVectors, limit: int) -> None:
        vectors = clustered(3, DIMENSION, 1)
        scope.put(one_each(vectors))
        assert scope.search(vectors[0], limit, None)[0].size == 0

    def test_an_updated_memory_is_there_once(self, scope: ScopeVectors) -> None:
        vectors = clustered(101, DIMENSION, 1)
        for vector in vectors:
            scope.put({1: vector[None, :]})
        ordinals, cosines = scope.search(vectors[-1], 10, None)
        assert ordinals.tolist() == [1]
        assert cosines == pytest.approx([1.0], abs=1e-5)

    def test_the_best_passage_counts(self, scope: ScopeVectors) -> None:
        vectors = clustered(60, DIMENSION, 1)
        scope.put({1: vectors[:40], 2: vectors[40:41], 3: vectors[41:]})
        ordinals, cosines = scope.search(vectors[33], 3, None)
        assert ordinals[0] == 1
        assert sorted(ordinals.tolist()) == [1, 2, 3]
        best = [(part @ vectors[33]).max() for part in (vectors[:40], vectors[40:41], vectors[41:])]
        assert cosines == pytest.approx(sorted(best, reverse=True), abs=1e-5)

    def test_fewer_passages_leave_none_of_the_old(self, scope: ScopeVectors) -> None:
        vectors = clustered(10, DIMENSION, 1)
        scope.put({1: vectors[:6], 2: vectors[6:7]})
        scope.put({1: vectors[7:8]})
        held, best, first = scope.cosines(vectors[7], [1, 2, 3])
        assert held == [1, 2]
        assert best == pytest.approx(vectors[[7, 6]] @ vectors[7], abs=1e-5)
        assert first == pytest.approx(best)
        _, cosines = scope.search(vectors[0], 1, array(1))
        assert cosines == pytest.approx([vectors[0] @ vectors[7]], abs=1e-5)

    def test_the_same_vectors_again_touch_nothing(self, scope: ScopeVectors) -> None:
        vectors = clustered(5, DIMENSION, 1)
        scope.put(one_each(vectors))
        labels = scope.rows.labels().tolist()
        scope.put(one_each(vectors))
        assert scope.rows.labels().tolist() == labels
        assert scope.rows.dead == 0

    def test_a_filter_holds_before_the_cut(self, scope: ScopeVectors) -> None:
        vectors = clustered(3_000, DIMENSION, 1)
        scope.put(one_each(vectors))
        query = clustered(1, DIMENSION, 2)[0]
        order = np.argsort(vectors @ query)
        for few in (1, 3, 700, 2_500):
            allowed = np.sort(order[:few]).astype(np.int64)
            ordinals, cosines = scope.search(query, 5, allowed)
            exact = order[:few][::-1][:5]
            assert ordinals.tolist() == exact.tolist()
            assert cosines == pytest.approx((vectors @ query)[exact], abs=1e-5)

    def test_a_filter_on_nothing_held_finds_nothing(self, scope: ScopeVectors) -> None:
        vectors = clustered(3, DIMENSION, 1)
        scope.put(one_each(vectors))
        assert scope.search(vectors[0], 5, array())[0].size == 0
        assert scope.search(vectors[0], 5, array(7, 99))[0].size == 0
        assert scope.search(vectors[0], 5, np.arange(1, 2_000))[0].size == 2

    def test_compacting_changes_no_answer(self, scope: ScopeVectors) -> None:
        vectors = clustered(200, DIMENSION, 1)
        scope.put(one_each(vectors))
        scope.remove(list(range(0, 200, 2)))
        before = scope.search(vectors[1], 10, None)
        scope.compact()
        after = scope.search(vectors[1], 10, None)
        assert scope.rows.dead == 0
        assert after[0].tolist() == before[0].tolist()
        assert after[1] == pytest.approx(before[1], abs=1e-6)


class TestGrowth:
    def test_a_small_scope_is_exact_and_a_large_one_a_graph(self) -> None:
        scope = ScopeVectors(DIMENSION, 50, 1)
        vectors = clustered(60, DIMENSION, 1)
        scope.put(one_each(vectors[:50]))
        assert scope.rows.is_exact
        scope.put(one_each(vectors))
        assert not scope.rows.is_exact
        assert scope.search(vectors[3], 1, None)[0].tolist() == [3]
        scope.remove(list(range(40)))
        scope.compact()
        assert scope.rows.is_exact
        assert scope.search(vectors[43], 1, None)[0].tolist() == [43]

    def test_the_places_of_removed_rows_are_used_again(self) -> None:
        scope = ScopeVectors(DIMENSION, 0, 1)
        vectors = clustered(400, DIMENSION, 1)
        scope.put(one_each(vectors[:200]))
        for _ in range(3):
            scope.put(one_each(vectors[200:]))
            scope.put(one_each(vectors[:200]))
        rows = scope.rows
        assert isinstance(rows, GraphRows)
        assert len(rows.places) == 200
        assert rows.dead == 0

    def test_many_removed_rows_are_left_out_in_the_end(self) -> None:
        scope = ScopeVectors(8, 100, 1)
        scope.put(one_each(clustered(4_000, 8, 1)))
        scope.remove(list(range(1_500)))
        assert scope.rows.dead == 0
        assert len(scope.rows) == 2_500


def recall_at_ten(scope: ScopeVectors, exact: ScopeVectors, queries: Vectors) -> float:
    found = [
        np.intersect1d(scope.search(query, 10, None)[0], exact.search(query, 10, None)[0]).size
        for query in queries
    ]
    return sum(found) / (10 * len(queries))


def test_the_graph_finds_what_exact_search_finds_also_after_many_updates() -> None:
    graph, exact = ScopeVectors(64, 0, 2), ScopeVectors(64, EXACT, 1)
    queries = clustered(100, 64, 5)
    for scope in (graph, exact):
        scope.put(one_each(clustered(9_000, 64, 1)))  # more than a block: it has to grow
    assert recall_at_ten(graph, exact, queries) >= 0.97
    for seed in (2, 3):
        for scope in (graph, exact):
            scope.put(one_each(clustered(1_500, 64, seed), first=1_000 * seed))
            scope.remove(list(range(500 * seed, 500 * seed + 400)))
    assert recall_at_ten(graph, exact, queries) >= 0.97
