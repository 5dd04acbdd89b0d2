"""Looking repeatedly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.intervals.sequential import (
    alpha_spending,
    asymptotic_radius,
    beta_binomial,
    empirical_bernstein,
    normal_mixture_radius,
)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 200), st.integers(0, 200))
def test_looking_always_costs_width_and_holds_the_point(s, f):
    found = beta_binomial(s, f)
    assert 0 <= found.low <= found.high <= 1
    if s + f:
        once = wilson(s, s + f)
        assert found.low <= s / (s + f) <= found.high
        assert found.high - found.low > once.high - once.low
        turned = beta_binomial(f, s)
        assert found.low == pytest.approx(1 - turned.high, abs=1e-9)


def test_radii_shrink_and_are_undefined_before_the_first_look():
    for radius in (normal_mixture_radius, lambda t: asymptotic_radius(t, 0.2)):
        widths = [radius(t) for t in (10, 40, 160, 640, 10_000)]
        assert widths == sorted(widths, reverse=True)
        assert radius(0) is None


def test_a_rate_watched_after_every_question_is_rarely_lost():
    dice, lost = np.random.default_rng(5), 0
    for _ in range(100):
        hits = np.cumsum(dice.random(120) < 0.7)
        looks = [beta_binomial(int(hits[t - 1]), int(t - hits[t - 1])) for t in range(10, 121, 10)]
        lost += any(not look.low <= 0.7 <= look.high for look in looks)
    assert lost <= 5


def test_the_empirical_bernstein_sequence_is_vacuous_first_and_narrows():
    x = np.random.default_rng(1).beta(8, 2, size=600)
    low, high = empirical_bernstein(x)
    assert (low[4], high[4]) == (0.0, 1.0)
    assert low[-1] <= x.mean() <= high[-1]
    assert high[-1] - low[-1] < 0.12
    tight = empirical_bernstein(x, running_intersection=True)
    assert (np.diff(tight[0]) >= 0).all()
    assert (np.diff(tight[1]) <= 0).all()
    with pytest.raises(InputError):
        empirical_bernstein([0.5, 1.5])
    assert len(empirical_bernstein([])[0]) == 0


def test_planned_looks_share_alpha_as_published():
    found = alpha_spending([0.2, 0.4, 0.6, 0.8, 1.0])
    assert [round(z, 3) for z in found.bounds] == [4.877, 3.357, 2.680, 2.290, 2.031]
    assert found.cumulative_alpha[-1] == pytest.approx(0.05)
    single = alpha_spending([1.0])
    assert single.bounds[0] == pytest.approx(1.959964, abs=1e-5)


def test_the_boundaries_spend_alpha_in_simulation():
    z = np.random.default_rng(2).normal(size=(200_000, 3)).cumsum(axis=1) / np.sqrt([1, 2, 3])
    bounds = alpha_spending([1 / 3, 2 / 3, 1.0], spending="pocock").bounds
    assert (np.abs(z) >= bounds).any(axis=1).mean() == pytest.approx(0.05, abs=0.0015)


@pytest.mark.parametrize("looks", [[], [0.5, 0.5], [0.6, 0.4], [0.5, 1.5], [0.0, 1.0]])
def test_looks_out_of_order_are_refused(looks):
    with pytest.raises(InputError):
        alpha_spending(looks)
    with pytest.raises(InputError):
        alpha_spending([1.0], spending="generous")
