"""Means over what could be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.intervals.missing_bounds import mean_readable, paired_readable


def test_b058_a_failed_reading_is_no_zero_and_does_not_turn_the_ranking_round():
    a, b = [5, 4, 5, None, 5], [4, 4, 4, 4, 4]
    one, other = mean_readable(a, scale=(1, 5)), mean_readable(b, scale=(1, 5))
    assert (one.mean, one.n, one.of, one.missing) == (4.75, 4, 5, 1)
    assert (one.low, one.high) == pytest.approx((4.0, 4.8))
    assert (other.mean, other.n, other.low, other.high) == (4.0, 5, 4.0, 4.0)
    both = paired_readable(a, b, scale=(1, 5))
    assert [side.mean for side in both] == [4.75, 4.0]
    assert {side.n for side in both} == {4}


def test_without_anything_readable_there_are_only_bounds():
    found = mean_readable([None, None], scale=(0, 1))
    assert (found.mean, found.low, found.high) == (None, 0.0, 1.0)
    assert found.reason == "nothing could be read"
    assert mean_readable([], scale=(0, 1)).reason == "no items"


def test_values_beyond_the_scale_are_an_error():
    with pytest.raises(InputError, match="not on the scale"):
        mean_readable([6], scale=(1, 5))
    with pytest.raises(InputError, match="2 values against 1"):
        paired_readable([1, 1], [1], scale=(1, 5))


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=30))
def test_the_mean_with_the_rest_filled_in_lies_within_the_bounds(values):
    found = mean_readable(values, scale=(0, 1))
    for rest in (0, 0.3, 1):
        filled = [rest if value is None else value for value in values]
        assert found.low - 1e-9 <= sum(filled) / len(filled) <= found.high + 1e-9
