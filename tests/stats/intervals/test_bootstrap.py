"""Bootstrap intervals, and where there are none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.intervals.bootstrap import (
    cluster_rate,
    cluster_rate_exact,
    mean,
    mean_bca,
    mean_exact,
    mean_percentile,
)

unit = st.lists(st.floats(0, 1), min_size=3, max_size=40)


def test_values_that_do_not_vary_are_stated_as_such_b048():
    # B048: BCa of constant values is undefined, the percentile interval is flagged, never NaN
    constant = [1, 1, 1, 1, 1, 1, 1, 1]
    assert mean_bca(constant).interval.low is None
    assert mean_bca(constant).interval.reason == "no variation seen"
    found = mean_percentile(constant)
    assert (found.point, found.interval.low, found.interval.high) == (1.0, 1.0, 1.0)
    assert "zero_width" in found.interval.flags
    one = mean_percentile([0.4])
    assert one.point == 0.4
    assert {"zero_width", "single_value"} == set(one.interval.flags)
    assert mean_bca([0.4]).interval.reason == "fewer than two values"
    none = mean_percentile([])
    assert (none.point, none.interval.low, none.interval.reason) == (None, None, "no values")


@settings(max_examples=30, deadline=None)
@given(unit)
def test_intervals_hold_their_point_and_the_range_of_the_values(values):
    found = mean_percentile(values, resamples=1000)
    low, high = found.interval.low, found.interval.high
    assert min(values) - 1e-12 <= low <= found.point + 1e-12
    assert found.point - 1e-12 <= high <= max(values) + 1e-12


@settings(max_examples=20, deadline=None)
@given(unit)
def test_turning_the_values_round_turns_the_interval_round(values):
    one = mean_percentile(values, resamples=500)
    other = mean_percentile([-v for v in values], resamples=500)
    assert one.interval.low == pytest.approx(-other.interval.high, abs=1e-12)


def test_the_random_interval_is_close_to_the_one_over_all_resamples():
    values = [0.1, 0.4, 0.5, 0.9, 1.0]
    exact, random = mean_exact(values), mean_percentile(values)
    assert exact.resamples == 5**5
    assert abs(exact.interval.low - random.interval.low) < 0.03
    assert abs(exact.interval.high - random.interval.high) < 0.03


def test_the_interval_narrows_with_more_of_the_same():
    values = list(np.random.default_rng(0).random(30))
    small, large = mean_percentile(values).interval, mean_percentile(values * 10).interval
    assert large.high - large.low < (small.high - small.low) / 2


@pytest.mark.parametrize("bad", [[0.1, float("nan")], [float("inf")], [[0.1], [0.2]]])
def test_values_that_would_spread_silently_are_refused(bad):
    with pytest.raises(InputError):
        mean_percentile(bad)


def test_the_mean_does_not_depend_on_the_order():
    values = np.random.default_rng(3).random(1001)
    assert mean(values) == mean(values[::-1]) == mean(np.sort(values))


def test_a_large_source_dominates_the_pooled_rate_only():
    found = cluster_rate([90, 0, 0, 0], [100, 1, 1, 1])
    assert found.macro.point == pytest.approx(0.225)
    assert found.pooled.point == pytest.approx(90 / 103)


def test_one_source_has_a_rate_and_no_interval():
    for found in (cluster_rate([3], [5]), cluster_rate_exact([3, 0], [5, 0])):
        assert found.macro.point == 0.6
        assert found.macro.interval.low is None
        assert found.macro.interval.reason == "only one source"
    assert cluster_rate_exact([3, 0], [5, 0]).empty == 1
    assert cluster_rate([], []).macro.interval.reason == "no source has items"
