"""A judge against people, correlations, and planning on a bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.agreement.judge_accuracy import judge_against_human
from evenhand.stats.agreement.panel_accuracy import panel_against_human
from evenhand.stats.intervals.correlation import pearson, phi_interval, spearman
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.power.proportion import (
    min_successes_for_wilson_lower,
    n_for_wilson_lower,
    times_design_effect,
)

FEW = {"resamples": 40}
numbers = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=30)


def test_a_judge_who_always_says_no_agrees_often_and_is_seen_through():
    human = [1] * 27 + [0] * 73
    found = judge_against_human([0] * 100, human, **FEW)
    assert found.agreement.value == found.no_skill.value == 0.73
    assert (found.kappa.kappa, found.kappa.degenerate) == (0.0, True)
    assert found.sensitivity.value == 0.0
    assert (found.precision.value, found.precision.reason) == (None, "the judge called nothing yes")
    assert (found.direction.net, found.direction.bias) == (-1.0, -0.27)


def test_counts_add_up_and_shares_are_theirs():
    judge, human = ["y", "y", "n", "y", None, "n"], ["y", "n", "n", "y", "y", "y"]
    found = judge_against_human(judge, human, positive="y", clusters=list("aabbcc"), **FEW)
    assert (found.both_yes, found.judge_only, found.human_only, found.both_no) == (2, 1, 1, 1)
    assert (found.n, found.dropped, found.agreement.clusters) == (5, 1, 3)
    assert found.sides.positive.value == pytest.approx(2 / 3)
    assert found.sensitivity.value == found.precision.value == pytest.approx(2 / 3)
    assert found.specificity.value == 0.5
    assert (found.judge_rate.value, found.human_rate.value) == (0.6, 0.6)


@settings(max_examples=50, deadline=None)
@given(numbers)
def test_correlations_are_symmetric_bounded_and_hold_their_point(rows):
    x, y = zip(*rows, strict=True)
    for measure in (pearson, spearman):
        found = measure(x, y)
        assert measure(y, x).r == pytest.approx(found.r)
        if found.r is None:
            assert found.reason
        elif found.interval.low is not None:
            assert -1 <= found.interval.low <= found.r <= found.interval.high <= 1
        turned = measure(x, [-value for value in y]).r
        assert turned == pytest.approx(-found.r if found.r is not None else None)


def test_columns_that_do_not_vary_or_are_few_have_a_reason():
    assert pearson([1, 1, 1], [1, 2, 3]).reason == "one column does not vary"
    assert pearson([1], [1]).reason == "fewer than two pairs"
    assert spearman([1, 2, 3], [1, 4, 9]).interval.reason == "fewer than four pairs"
    assert spearman([1, 2, 3, 4], [1, 4, 9, 16]).interval.reason == "the columns lie on one line"
    with pytest.raises(InputError):
        pearson([1, 2], [1])


@given(st.floats(0.5, 1), st.floats(0.05, 0.95))
def test_the_planned_n_is_the_first_whose_bound_reaches_the_threshold(observed, threshold):
    n = n_for_wilson_lower(observed, threshold)
    if observed <= threshold:
        assert n is None
    elif n is not None and n < 10**6:
        assert wilson(observed * n, n).low >= threshold
        assert n == 1 or wilson(observed * (n - 1), n - 1).low < threshold


@given(st.integers(1, 400), st.floats(0.01, 0.99))
def test_the_fewest_successes_are_the_fewest(n, threshold):
    k = min_successes_for_wilson_lower(n, threshold)
    if k is None:
        assert wilson(n, n).low < threshold
    else:
        assert wilson(k, n).low >= threshold
        assert k == 0 or wilson(k - 1, n).low < threshold


def test_clusters_multiply_the_plan():
    assert times_design_effect(70, per_cluster=5, icc=0.25) == 140
    assert times_design_effect(70, per_cluster=1, icc=1) == 70
    with pytest.raises(InputError):
        times_design_effect(70, per_cluster=5, icc=1.5)
    with pytest.raises(InputError):
        min_successes_for_wilson_lower(0, 0.5)
    with pytest.raises(InputError):
        n_for_wilson_lower(1.5, 0.5)


def test_a_majority_can_be_worse_than_its_best_member_and_split_votes_are_counted_apart():
    human = [1, 1, 1, 0, 0, 0, 1, None]
    # the first is always right; the other two err together
    votes = [(h if h is not None else 1, v, v) for h, v in zip(human, [1, 1, 0, 0, 1, 0, 0, 1], strict=True)]
    votes[0] = (1, None, None)
    found = panel_against_human(votes, human, clusters=[i // 2 for i in range(8)], **FEW)
    assert found.best == 0
    assert found.singles[0].value == 1.0
    assert found.majority.value == 0.5
    assert found.given_unanimous.value == 1.0
    assert found.given_split.value == 0.0
    assert (found.split.value, found.split.n, found.undecided) == (pytest.approx(3 / 7), 7, 1)
    with pytest.raises(InputError, match="rows of votes"):
        panel_against_human([(1, 1, 1)], [])


def test_the_interval_of_phi_is_that_of_its_influence():
    table = np.array([[0.3, 0.1], [0.15, 0.45]])  # yes/yes, yes/no, no/yes, no/no
    p, q = table[0].sum(), table[:, 0].sum()
    sp, sq = np.sqrt(p * (1 - p)), np.sqrt(q * (1 - q))
    phi = (table[0, 0] - p * q) / (sp * sq)
    x, y = (np.array([[1, 1], [0, 0]]) - p) / sp, (np.array([[1, 0], [1, 0]]) - q) / sq
    variance = (table * (x * y - phi / 2 * (x**2 + y**2)) ** 2).sum()
    found = phi_interval(phi, p, q, 500)
    reach = (np.arctanh(found.high) - np.arctanh(found.low)) / 2
    assert reach == pytest.approx(1.959964 * np.sqrt(variance / 500) / (1 - phi**2), rel=1e-6)
    assert found.low < phi < found.high
    assert phi_interval(1.0, 0.5, 0.5, 50).reason == "the columns lie on one line"
