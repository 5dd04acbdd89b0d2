"""A score against a label."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.intervals import auc_sources
from evenhand.stats.intervals.auc_sources import auc_by_source, auc_by_source_exact
from evenhand.stats.intervals.ranking import (
    auc_delong,
    average_precision,
    roc_auc,
    threshold_table,
)

items = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1)), min_size=1, max_size=30)


@settings(max_examples=50, deadline=None)
@given(items)
def test_the_auc_is_the_share_of_pairs_won_and_turns_with_the_labels(rows):
    x, y = [a for a, _ in rows], [b for _, b in rows]
    pairs = [(p > n) + (p == n) / 2 for p, yes in rows if yes for n, no in rows if not no]
    found = roc_auc(x, y)
    assert found is None if not pairs else found == pytest.approx(np.mean(pairs))
    if pairs:
        assert roc_auc(x, [1 - b for b in y]) == pytest.approx(1 - found)
        assert roc_auc([-a for a in x], y) == pytest.approx(1 - found)


def test_one_class_has_no_auc_and_says_why():
    assert roc_auc([0.1, 0.2], [1, 1]) is None
    assert average_precision([0.1, 0.2], [0, 0]) is None
    assert auc_delong([0.1, 0.2], [1, 1]).interval.reason == "only one class"
    assert auc_delong([0.1, 0.2, 0.3], [1, 0, 0]).interval.reason == "a class of one item"
    assert auc_by_source([0.1, 0.2], [1, 1], "ab").interval.reason == "only one class"
    assert auc_by_source([0.1, 0.2], [1, 0], "aa").interval.reason == "only one source"
    assert "resamples hold one class only" in auc_by_source([0.1, 0.2], [1, 0], "ab").interval.reason


def test_sources_resampled_at_random_come_near_all_resamples():
    dice = np.random.default_rng(0)
    x, source = dice.random(42), np.repeat(np.arange(7), 6).tolist()
    y = (x + dice.normal(0, 0.4, 42) > 0.5).astype(int)
    exact, random = auc_by_source_exact(x, y, source), auc_by_source(x, y, source)
    assert exact.resamples == 7**7
    assert exact.point == random.point == pytest.approx(roc_auc(x, y))
    assert random.interval.low == pytest.approx(exact.interval.low, abs=0.02)
    assert random.interval.high == pytest.approx(exact.interval.high, abs=0.02)


def test_a_threshold_nothing_passes_has_no_rate_and_is_sparse():
    row = threshold_table([0.1, 0.2], [0, 1], ["a", "b"], [0.9])[0]
    assert (row.n, row.pooled, row.macro, row.interval.low, row.sparse) == (0, None, None, None, True)
    at = threshold_table([0.4, 0.4], [0, 1], ["a", "b"], [0.4], min_n=2, min_sources=2)[0]
    assert (at.n, at.pooled, at.macro, at.sparse) == (2, 0.5, 0.5, False)


def test_labels_that_are_not_yes_or_no_are_refused():
    with pytest.raises(InputError):
        roc_auc([0.1, 0.2], [0, 2])
    with pytest.raises(InputError):
        auc_by_source([0.1, 0.2], [0, 1], ["a"])


def test_few_sources_and_many_are_counted_differently_with_the_same_bits(monkeypatch):
    dice = np.random.default_rng(8)
    x, y = dice.integers(0, 12, 300) / 12, dice.integers(0, 2, 300)
    source = dice.integers(0, 40, 300).tolist()
    few = auc_by_source(x, y, source, resamples=300)
    monkeypatch.setattr(auc_sources, "FEW", 0)
    assert auc_by_source(x, y, source, resamples=300) == few
