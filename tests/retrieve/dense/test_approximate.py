"""Approximate search by an index that can be told how much to lose."""

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.protocols import NearIndex, quiet
from evenhand.retrieve.dense.approximate import Wanted, approximate_top, index_of
from evenhand.retrieve.dense.exact import cosine_top


class Losing:
    """Exact, but for what *lost* says of (question of the call, positions in order)."""

    def __init__(self, lost=lambda row: row):
        self.lost, self.rows, self.calls = lost, [], []

    def add(self, vectors):
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
        self.rows += list(vectors)

    def search(self, vectors, k):
        self.calls.append(len(vectors))
        order = np.argsort(-(vectors @ np.array(self.rows).T), axis=1, kind="stable")
        return np.array([(self.lost(row.tolist()) + [-1] * k)[:k] for row in order])


def searched(index, *, least=0.5, at=4, sample=50, k=8, n=60, q=30, seed=2):
    rng = np.random.default_rng(seed)
    held, asked = rng.normal(size=(n, 6)).astype("f4"), rng.normal(size=(q, 6)).astype("f4")
    held[[3, 5]], asked[1] = 0, 0
    wanted = Wanted(least=least, at=at, sample=sample, seed=1)
    return approximate_top(asked, held, k, index=index, wanted=wanted, progress=quiet), asked, held


def test_an_index_that_loses_nothing_gives_what_exact_search_gives():
    (rows, *counts, recall), asked, held = searched(Losing(), least=0.8)
    exact, *same = cosine_top(asked, held, 8)
    assert counts == same == [2, 1]
    assert [a.tolist() for a, _ in rows] == [a.tolist() for a, _ in exact]
    assert [b.tolist() for _, b in rows] == [b.tolist() for _, b in exact]
    assert recall[0].point == 1.0
    assert 0.8 < recall[0].low < recall[0].high == 1.0  # 29 questions are no proof of 1


def test_recall_is_counted_by_hand_and_the_order_is_exact():
    """It loses the second unit of every question, and hands the others over in reverse."""
    (rows, *_, (first, whole)), asked, held = searched(Losing(lambda row: [row[0], *row[2:9]][::-1]))
    exact, *_ = cosine_top(asked, held, 9)
    for (own, _), (best, _) in zip(rows, exact, strict=True):
        assert own.tolist() == [best[i] for i in (0, *range(2, 9)) if i < len(best)]
    assert first.point == 3 / 4
    assert whole.point == 7 / 8
    assert first.questions == 29


def test_a_unit_that_ties_with_the_one_lost_is_as_good():
    held = np.ones((6, 2), dtype="f4")
    wanted = Wanted(least=0.1, at=3, sample=9, seed=1)
    index = Losing(lambda row: row[::-1])
    _, _, _, (recall, _) = approximate_top(held[:2], held, 3, index=index, wanted=wanted, progress=quiet)
    assert recall.point == 1.0


def test_below_the_plan_nothing_is_ranked():
    index = Losing(lambda row: row[2:])
    with pytest.raises(InputError, match=r"finds 0\.500 .* min_recall is 0.5: the lower end") as told:
        searched(index, sample=12)
    assert index.calls == [12]  # the sample, and no other question
    assert "exact" in told.value.mend


def test_the_sample_is_drawn_by_the_seed_alone():
    one, two = Losing(), Losing()
    assert searched(one, sample=7)[0][3] == searched(two, sample=7)[0][3]
    assert one.calls[0] == 7


@pytest.mark.parametrize("answer", [np.zeros(3), np.full((30, 8), 58), np.zeros((2, 8))])
def test_answers_that_cannot_be_are_refused(answer):
    index = Losing()
    index.search = lambda vectors, k: answer
    with pytest.raises(InputError, match="the index returned"):
        searched(index)


def test_values_that_are_not_finite_and_questions_without_direction_are_refused():
    bad = np.full((3, 2), np.nan, dtype="f4")
    wanted = Wanted(least=0.1, at=3, sample=9, seed=1)
    with pytest.raises(InputError, match="NaN"):
        approximate_top(bad[:1], bad, 3, index=Losing(), wanted=wanted, progress=quiet)
    good = np.ones((3, 2), dtype="f4")
    with pytest.raises(InputError, match="no question has an embedding"):
        approximate_top(good[:1] * 0, good, 3, index=Losing(), wanted=wanted, progress=quiet)


def test_an_index_is_a_class():
    assert isinstance(Losing(), NearIndex)
    with pytest.raises(InputError, match="is no index"):
        index_of("python:json:dumps", {}, 2)
    with pytest.raises(InputError, match="cannot be made of"):
        index_of("python:tests.retrieve.dense.test_approximate:Losing", {"lost": 1}, 2)
