"""Shares of yes/no items."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.intervals.proportion import (
    clopper_pearson,
    icc_anova_binary,
    min_n_zero_errors,
    n_for_wilson_halfwidth,
    wilson,
    wilson_design_effect,
)

counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (8, 12, 0.391, 0.862),
        (10, 12, 0.552, 0.953),
        (12, 12, 0.758, 1.0),
        (83, 100, 0.745, 0.891),
        (250, 300, 0.787, 0.871),
        (40, 40, 0.912, 1.0),
        (17, 20, 0.640, 0.948),
    ],
)
def test_the_published_studies_intervals_come_out(k, n, low, high):
    found = wilson(k, n)
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)


@settings(max_examples=60, deadline=None)
@given(counts, levels)
def test_intervals_hold_their_point_and_stay_inside_zero_and_one(count, level):
    k, n = count
    for method in (wilson, clopper_pearson):
        found = method(k, n, level=level)
        assert 0.0 <= found.low <= k / n <= found.high <= 1.0
        assert (found.low == 0.0) == (k == 0)
        assert (found.high == 1.0) == (k == n)


@settings(max_examples=60, deadline=None)
@given(counts, levels)
def test_exchanging_successes_and_failures_mirrors_the_interval(count, level):
    k, n = count
    for method in (wilson, clopper_pearson):
        one, other = method(k, n, level=level), method(n - k, n, level=level)
        assert one.low == pytest.approx(1 - other.high, abs=1e-9)
        assert one.high == pytest.approx(1 - other.low, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(counts)
def test_wilson_shrinks_when_the_same_share_has_ten_times_the_items(count):
    k, n = count
    small, large = wilson(k, n), wilson(10 * k, 10 * n)
    assert large.high - large.low < small.high - small.low


def test_a_one_sided_bound_is_the_end_of_a_wider_two_sided_interval():
    assert wilson(17, 20, level=0.95, side="lower").low == pytest.approx(wilson(17, 20, level=0.9).low)
    assert wilson(17, 20, level=0.95, side="lower").high == 1.0
    assert clopper_pearson(3, 14, side="upper").high == pytest.approx(clopper_pearson(3, 14, level=0.9).high)


def test_no_items_give_no_interval_but_a_reason():
    for method in (wilson, clopper_pearson):
        found = method(0, 0)
        assert (found.low, found.high, found.reason) == (None, None, "no items")


@pytest.mark.parametrize(("k", "n"), [(5, 4), (-1, 4), (math.nan, 4), (1, math.inf)])
def test_counts_that_are_no_share_are_refused(k, n):
    with pytest.raises(InputError):
        wilson(k, n)


def test_29_items_without_error_show_less_than_ten_percent_at_95_percent():
    assert min_n_zero_errors(0.1, 0.05) == 29


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 0.5), st.floats(0.001, 0.3))
def test_one_item_fewer_would_not_be_enough(alpha, delta):
    n = min_n_zero_errors(alpha, delta)
    assert (1 - alpha) ** n <= delta * (1 + 1e-9)
    assert n == 1 or (1 - alpha) ** (n - 1) > delta * (1 - 1e-9)


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 1), st.floats(0.01, 0.4))
def test_the_planned_n_is_the_first_with_that_half_width(p, target):
    n = n_for_wilson_halfwidth(p, target)

    def width(n):
        # the formula allows fractional successes: p n of n
        found = wilson(min(p * n, n), n)
        return found.high - found.low

    assert width(n) <= 2 * target + 1e-9
    assert n == 1 or width(n - 1) >= 2 * target - 1e-9


def test_clusters_that_all_agree_leave_the_icc_undefined_and_say_which_fallback_was_used():
    all_passed = ([7] * 8, [7] * 8)
    assert icc_anova_binary(*all_passed).icc is None
    careful, literal = (
        wilson_design_effect(*all_passed),
        wilson_design_effect(*all_passed, on_undefined_icc="zero"),
    )
    assert (careful.n_eff, literal.n_eff) == (8.0, 56.0)
    assert round(careful.interval.low, 3) == 0.676
    assert round(literal.interval.low, 3) == 0.936
    assert careful.interval.high == 1.0
    assert {"icc_undefined", "icc_taken_as_one", "few_clusters"} <= set(careful.interval.flags)


def test_uneven_clusters_are_read_more_cautiously_by_size():
    x, n = [9, 1, 2, 0], [10, 2, 3, 1]
    mean, weighted = wilson_design_effect(x, n), wilson_design_effect(x, n, m="size_weighted")
    assert weighted.m > mean.m
    assert weighted.n_eff < mean.n_eff


def test_no_clusters_and_empty_clusters_are_states_not_errors():
    assert wilson_design_effect([], []).point is None
    assert icc_anova_binary([3, 0, 2], [4, 0, 4]) == icc_anova_binary([3, 2], [4, 4])
    with pytest.raises(InputError):
        icc_anova_binary([5], [4])
