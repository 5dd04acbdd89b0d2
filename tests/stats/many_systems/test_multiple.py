"""Holm."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.many_systems.multiple import holm


@pytest.mark.parametrize(
    ("p", "adjusted"),
    [([0.04, 0.01, 0.03, 0.005], [0.06, 0.03, 0.06, 0.02]), ([0.6, 0.02, 0.9], [1.0, 0.06, 1.0])],
)
def test_adjustment_is_by_size_not_by_position_b052(p, adjusted):
    assert holm(p) == pytest.approx(adjusted)


def test_the_published_p_of_028_becomes_084():
    assert holm([0.028, 0.4, 0.25])[0] == pytest.approx(0.084)


def test_the_family_is_the_declared_one_even_if_a_test_was_not_run():
    assert holm([0.028, None, 0.3], family=3) == [pytest.approx(0.084), None, pytest.approx(0.6)]
    assert holm([0.01], family=10) == [pytest.approx(0.1)]
    with pytest.raises(InputError):
        holm([0.1, 0.2], family=1)
    with pytest.raises(InputError):
        holm([1.2])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=20))
def test_adjusted_values_keep_the_order_and_stay_between_raw_and_1(p):
    adjusted = holm(p)
    assert all(raw <= new <= 1 for raw, new in zip(p, adjusted, strict=True))
    by_size = [new for _, new in sorted(zip(p, adjusted, strict=True))]
    assert by_size == sorted(by_size)
    assert holm(p[::-1]) == adjusted[::-1]
