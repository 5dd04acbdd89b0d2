"""What passes a threshold: counts, macro and pooled rates, areas; against plain loops."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.shared import SHARED, needs_shared

from evenhand.errors import InputError
from evenhand.metrics.threshold.auc import areas
from evenhand.metrics.threshold.false_discovery import passing
from evenhand.metrics.threshold.pairs import NO, TOLERANCE, UNKNOWN, YES, Pairs, passes
from evenhand.stats.intervals.bootstrap import cluster_rate
from evenhand.stats.intervals.cluster_rates import cluster_rates
from evenhand.stats.intervals.ranking import threshold_table

ONE = st.tuples(
    st.integers(0, 40).map(lambda i: i / 40),
    st.sampled_from((YES, NO, UNKNOWN)),
    st.integers(0, 7),
    st.sampled_from("ab"),
)


def pairs_of(rows, **more):
    return Pairs(
        score=np.array([row[0] for row in rows], dtype=np.float64),
        sufficient=np.array([row[1] for row in rows], dtype=np.int8),
        question=[f"q{row[2]}" for row in rows],
        source=[f"d{row[2] % 3}" for row in rows],
        role=[row[3] for row in rows],
        type=["t" if row[2] % 2 else "u" for row in rows],
        **more,
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(ONE, max_size=40))
def test_rates_are_those_of_plain_loops(rows):
    pairs = pairs_of(rows, sources=["d0", "d1", "d2", "d9"])
    for made in passing(pairs, (0.25, 0.5), resamples=20, min_n=3, min_sources=2):
        kept = [
            row
            for row in rows
            if row[0] >= made.threshold - TOLERANCE
            and (not made.role or row[3] == made.role)
            and (not made.type or ("t" if row[2] % 2 else "u") == made.type)
        ]
        known = [row for row in kept if row[1] != UNKNOWN]
        wrong = [row for row in known if row[1] == NO]
        assert (made.pairs, made.n, made.wrong) == (len(kept), len(known), len(wrong))
        assert made.questions == len({row[2] for row in kept})
        by = {}
        for row in known:
            by.setdefault(row[2] % 3, []).append(row[1] == NO)
        assert made.sources == len(by)
        if by:
            assert made.macro.point == pytest.approx(np.mean([np.mean(own) for own in by.values()]))
            assert made.pooled.point == pytest.approx(len(wrong) / len(known))
        else:
            assert made.macro.point is made.pooled.point is None
        if kept:
            assert made.least == pytest.approx(len(wrong) / len(kept))
            assert made.most == pytest.approx((len(wrong) + len(kept) - len(known)) / len(kept))
            assert made.macro_least <= made.macro_most
        if made.by == "all":
            assert made.sources + made.empty == 4
        assert bool(made.sparse) == (len(known) < 3 or len(by) < 2)


def test_macro_and_pooled_differ_where_one_source_is_large():
    rows = [(0.9, NO, 0, "a")] * 8 + [(0.9, YES, 1, "a")] * 2
    (made,) = passing(pairs_of(rows), (0.5,), groups=("all",), resamples=50)
    assert made.macro.point == 0.5
    assert made.pooled.point == 0.8


def test_a_source_alone_has_no_interval_and_a_value_that_nothing_reaches_no_rate():
    one, none = passing(pairs_of([(0.5, NO, 0, "a")]), (0.5, 0.9), groups=("all",), resamples=50)
    assert one.macro.point == 1.0
    assert one.macro.interval.low is None
    assert one.macro.interval.reason == "only one source"
    assert none.macro.point is none.pooled.point is none.least is None
    assert none.sparse == ("n 0 below 30", "0 sources, below 10")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6), max_size=8))
def test_many_rates_at_once_are_each_to_the_same_bits(lists):
    found = [([min(x, n) for x, n in rows], [n for _, n in rows]) for rows in lists]
    assert cluster_rates(found, resamples=40) == [cluster_rate(x, n, resamples=40) for x, n in found]


def test_more_rates_than_one_product_holds():
    dice = np.random.default_rng(3)
    found = []
    for _ in range(230):
        n = dice.integers(1, 9, size=12)
        found.append((dice.integers(0, n + 1), n))
    assert cluster_rates(found, resamples=30)[217] == cluster_rate(*found[217], resamples=30)


def test_b069_what_is_at_the_threshold_passes_and_what_is_below_does_not():
    """B069: the mean of three 0.7 is 0.6999999999999998 and passes 0.7; 0.6999 does not."""
    score = np.array([np.mean([0.7, 0.7, 0.7]), 0.7, 0.6999, 1.0])
    assert passes(score, 0.7).tolist() == [True, True, False, True]
    assert passes(score, 1.0).tolist() == [False, False, False, True]
    assert not passes(np.array([np.float64(np.float32(0.7))]), 0.7)[0]  # a float32 falls below, as is said


def test_b067_one_class_has_no_area():
    """B067: neither 0, 0.5 nor 1; ties count one half where there are two classes."""
    rows = [(s, YES, i, "a") for i, s in enumerate((0.2, 0.5, 0.9))]
    (made,) = areas(pairs_of(rows), (0.0,), resamples=50)
    assert made.auc is None
    assert made.says is None
    assert made.reason == "all 3 pairs that pass can answer"
    marks = (YES, YES, NO, YES, NO)
    rows = [(s, m, i, "a") for i, (s, m) in enumerate(zip((0.9, 0.9, 0.9, 0.4, 0.1), marks, strict=True))]
    (made,) = areas(pairs_of(rows), (0.0,), resamples=50)
    assert made.auc == pytest.approx(0.666667, abs=1e-6)
    (none,) = areas(pairs_of(rows), (2.0,), resamples=50)
    assert none.reason == "no pair with a verdict passes"


def test_pairs_without_a_verdict_are_in_no_area():
    rows = [(0.9, YES, 0, "a"), (0.1, NO, 1, "a"), (0.95, UNKNOWN, 2, "a")]
    (made,) = areas(pairs_of(rows), (0.0,), resamples=50)
    assert (made.n, made.auc) == (2, 1.0)


@pytest.mark.parametrize(
    ("column", "value"), [("score", [np.nan]), ("sufficient", [3]), ("question", ["a", "b"])]
)
def test_what_is_no_pair_is_refused(column, value):
    good = {
        "score": [0.5],
        "sufficient": [1],
        "question": ["q"],
        "source": ["d"],
        "role": ["r"],
        "type": ["t"],
    }
    given_ = {**good, column: value}
    with pytest.raises(InputError):
        Pairs(
            score=np.array(given_["score"], dtype=np.float64),
            sufficient=np.array(given_["sufficient"], dtype=np.int8),
            **{name: given_[name] for name in ("question", "source", "role", "type")},
        )


@needs_shared
def test_the_published_tables_of_thresholds():
    cases = json.loads((SHARED / "golden" / "statistics.json").read_text("utf-8"))
    cases = cases["cases"] if isinstance(cases, dict) else cases
    seen = 0
    for case in cases:
        if case["function"] != "threshold_table":
            continue
        given_ = case["inputs"]
        scores, labels = (given_[name] for name in ("scores", "labels"))
        sources = given_.get("sources") or given_.get("source")
        grid = given_.get("thresholds") or given_.get("grid")
        rows = threshold_table(scores, labels, sources, grid)
        pairs = Pairs(
            score=np.array(scores, dtype=np.float64),
            sufficient=np.array(labels, dtype=np.int8),
            question=[str(i) for i in range(len(scores))],
            source=[str(s) for s in sources],
            role=[""] * len(scores),
            type=[""] * len(scores),
        )
        for row, made in zip(rows, passing(pairs, grid, groups=("all",), resamples=50), strict=True):
            assert (row.n, row.wrong, row.sources) == (made.n, made.wrong, made.sources)
            assert made.macro.point == pytest.approx(row.macro) if row.n else made.macro.point is None
            seen += 1
    assert seen
