import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.retrieve.conftest import hits

from evenhand.errors import InputError
from evenhand.retrieve.dense.dense import Dense
from evenhand.retrieve.dense.exact import cosine_top
from evenhand.retrieve.search import retrieve


def test_a_unit_without_embedding_is_left_out_and_counted_b033(units_of):
    table = {"d1": [3, 4], "d2": [0, 0], "d3": [4, 3], "d4": [-1, 0], "query": [1, 0]}
    units = units_of({name: name for name in ("d1", "d2", "d3", "d4")})
    system = Dense(lambda texts: [table[text] for text in texts])
    assert hits(retrieve(system, units, {"q": "query"}, depth=2)) == [("d3", 0.8), ("d1", 0.6)]
    run = retrieve(system, units, {"q": "query"})
    assert [unit for unit, _ in hits(run)] == ["d3", "d1", "d4"]
    assert hits(run)[2][1] == -1.0
    assert run.notes["no_embedding"] == 1


@pytest.mark.parametrize("block", [1, 2, 3, 9])
@pytest.mark.parametrize("turn", [0, 3, 6])
def test_the_top_is_cut_back_at_every_block_b084(block, turn):
    names = "abcdefghi"
    score = {"a": 0.9, "b": 0.8, "c": 0.1, "d": 0.95, "e": 0.2, "f": 0.15, "g": 0.85, "h": 0.84, "i": 0.05}
    order = names[turn:] + names[:turn]
    held = np.array([[score[n], np.sqrt(1 - score[n] ** 2)] for n in order], dtype=np.float32)
    rows, _, _ = cosine_top(np.array([[1, 0]], dtype=np.float32), held, 3, block=block)
    assert [order[i] for i in rows[0][0]] == ["d", "a", "g"]
    assert len(rows[0][0]) == 3


def _reference(asked, held, k, decimals=6):
    wide_a, wide_h = asked.astype(float), held.astype(float)
    found = []
    for q in wide_a:
        lengths = np.linalg.norm(wide_h, axis=1)
        good = np.flatnonzero(lengths > 0) if np.linalg.norm(q) > 0 else np.zeros(0, dtype=int)
        cosines = np.round(wide_h[good] @ q / (lengths[good] * np.linalg.norm(q)), decimals)
        order = np.lexsort((good, -cosines))[:k]
        found.append((good[order], cosines[order]))
    return found


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 90),
    k=st.integers(1, 100),
    block=st.integers(1, 40),
    twins=st.integers(1, 5),
)
@settings(max_examples=60, deadline=None)
def test_blocks_agree_with_a_full_sort_in_float64(seed, n, k, block, twins):
    rng = np.random.default_rng(seed)
    held = rng.normal(size=(n, 8)).astype(np.float32)
    held = held[rng.integers(0, max(1, n // twins), n)]  # many exact ties
    held[rng.random(n) < 0.1] = 0
    asked = rng.normal(size=(3, 8)).astype(np.float32)
    asked[2] = 0
    rows, blank, unasked = cosine_top(asked, held, k, block=block)
    assert blank == int((~held.any(axis=1)).sum())
    assert unasked == 1
    for (unit, score), (unit_, score_) in zip(rows, _reference(asked, held, k), strict=True):
        assert unit.tolist() == unit_.tolist()
        assert score.tolist() == score_.tolist()


def test_nan_and_other_dimensions_are_refused():
    good = np.ones((2, 3), dtype=np.float32)
    with pytest.raises(InputError, match="NaN"):
        cosine_top(good, np.array([[np.nan, 1, 1]], dtype=np.float32), 1)
    with pytest.raises(InputError, match="dimensions"):
        cosine_top(good, np.ones((2, 4), dtype=np.float32), 1)


def test_candidates_stay_few_when_every_unit_is_the_same(monkeypatch):
    import evenhand.retrieve.dense.exact as module

    most = 0
    add = module._Proposed.add

    def watched(self, near, first):
        nonlocal most
        add(self, near, first)
        most = max(most, len(self.unit))

    monkeypatch.setattr(module._Proposed, "add", watched)
    held = np.ones((3000, 4), dtype=np.float32)
    rows, _, _ = cosine_top(np.ones((1, 4), dtype=np.float32), held, 5, block=50)
    assert rows[0][0].tolist() == [0, 1, 2, 3, 4]
    assert most <= 5 + 50


def test_similarities_a_millionth_apart_are_ties_and_two_are_not():
    held = np.array([[0.6, 0.8], [0.6000002, 0.7999999], [0.600003, 0.79999775]], dtype=np.float32)
    rows, _, _ = cosine_top(np.array([[1, 0]], dtype=np.float32), held, 3, block=1)
    assert rows[0][0].tolist() == [2, 0, 1]
