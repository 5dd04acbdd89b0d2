"""Bounds over what a published figure leaves open: brute force, scipy and statsmodels as second opinions."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.paired.paired import mcnemar
from evenhand.stats.paired.signflip import signflip
from evenhand.stats.power.audit import (
    correlation_needed,
    counts_behind,
    fewest_wins,
    largest_sd,
    least_p,
    mcnemar_detectable,
    means_apart,
    pairings,
    shares_apart,
    t_interval,
)
from evenhand.stats.power.mcnemar import mcnemar_power


def test_a_percentage_that_no_count_gives_has_no_counts_behind_it():
    assert counts_behind(0.85, 7, 0.005) is None
    assert counts_behind(0.85, 20, 0.005) == (17, 17)
    assert counts_behind(0.85, 1000, 0.005) == (845, 855)
    assert counts_behind(1.0, 3, 0.005) == (3, 3)


@given(st.integers(1, 400), st.data())
def test_the_count_that_was_printed_is_among_those_behind(n, data):
    k = data.draw(st.integers(0, n))
    low, high = counts_behind(float(f"{k / n:.2f}"), n, 0.005)
    assert low <= k <= high


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_no_values_spread_more_than_the_largest_spread(values):
    assert np.std(values, ddof=1) <= largest_sd(float(np.mean(values)), len(values)) + 1e-9


def test_the_largest_spread_is_that_of_zeros_and_ones():
    assert largest_sd(0.25, 8) == pytest.approx(np.std([0, 0, 0, 0, 0, 0, 1, 1], ddof=1))
    assert largest_sd(1.5, 8) is None
    assert largest_sd(0.5, 1) is None


def test_the_floor_of_p_is_what_a_clean_sweep_gives():
    for k in (1, 2, 6, 12):
        assert least_p(k) == mcnemar(k, 0).p_exact == pytest.approx(signflip(np.ones(k)).p)
    assert least_p(0) == 1


@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.05, 0.05 / 3, 0.05 / 28, 0.001])
def test_the_fewest_wins_are_the_first_that_reach_alpha(alpha):
    w = fewest_wins(alpha)
    assert mcnemar(w, 0).p_exact <= alpha < mcnemar(w - 1, 0).p_exact


@settings(max_examples=60)
@given(st.integers(1, 40), st.data())
def test_pairings_hold_every_table_with_these_margins(n, data):
    k1, k2 = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    found = pairings(k1, k2, n)
    tables = [mcnemar(k1 - both, k2 - both).p_exact for both in range(max(0, k1 + k2 - n), min(k1, k2) + 1)]
    assert found.closest.p == min(tables)
    assert found.furthest.p == max(tables)
    gap, most = abs(k1 - k2), min(k1, k2) - max(0, k1 + k2 - n)
    passing = [c for c in range(most + 1) if mcnemar(gap + c, c).p_exact <= 0.05]
    assert found.most_losses == (passing[-1] if passing else None)
    for way in (found.closest, found.furthest):
        assert way.both + way.only_first + way.only_second + way.neither == n
        assert way.both + way.only_first == k1


def test_independent_shares_agree_with_statsmodels_and_scipy():
    from scipy.stats import fisher_exact
    from statsmodels.stats.proportion import confint_proportions_2indep

    for k1, n1, k2, n2 in ((56, 70, 48, 80), (3, 9, 9, 10), (0, 12, 5, 40)):
        found = shares_apart(k1, n1, k2, n2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            low, high = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb")
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-12)
        assert found.p == pytest.approx(fisher_exact([[k1, n1 - k1], [k2, n2 - k2]])[1])


def test_independent_means_agree_with_scipy():
    from scipy.stats import ttest_ind_from_stats

    found = means_apart((0.7, 0.3, 40), (0.6, 0.25, 50))
    other = ttest_ind_from_stats(0.7, 0.3, 40, 0.6, 0.25, 50, equal_var=False)
    assert found.p == pytest.approx(other.pvalue, abs=1e-12)
    assert found.interval.low < 0 < found.interval.high
    assert means_apart((0.7, 0.0, 40), (0.6, 0.0, 50)).p is None
    assert means_apart((0.7, 0.3, 1), (0.6, 0.2, 50)).interval.reason == "fewer than two values"


def test_a_t_interval_from_figures_is_that_from_values():
    from scipy import stats

    values = np.array([0.1, 0.4, 0.8, 0.9, 0.3])
    low, high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    found = t_interval(float(values.mean()), float(values.std(ddof=1)), 5)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_at_the_correlation_needed_the_paired_t_test_just_passes():
    from scipy import stats

    gap, s1, s2, n = 0.05, 0.3, 0.32, 120
    r = correlation_needed(gap, s1, s2, n)
    spread = np.sqrt(s1**2 + s2**2 - 2 * r * s1 * s2)
    assert 2 * stats.t.sf(gap * np.sqrt(n) / spread, n - 1) == pytest.approx(0.05)
    assert correlation_needed(0.0, s1, s2, n) is None
    assert correlation_needed(0.5, s1, s2, n) < -1


@pytest.mark.parametrize(("p", "n"), [(0.8, 50), (0.3, 80), (0.95, 40)])
def test_a_detectable_difference_has_the_power_it_was_asked_for(p, n):
    top = max(p, 1 - p)
    nested = mcnemar_detectable(p, n, nested=True)
    assert mcnemar_power(nested, 0.0, n) == pytest.approx(0.8, abs=0.02)
    gap = mcnemar_detectable(p, n)
    assert mcnemar_power(top * (1 - top + gap), (1 - top) * (top - gap), n) == pytest.approx(0.8, abs=0.02)
    assert nested <= gap
    assert mcnemar_detectable(p, n, alpha=0.01) > gap


def test_five_questions_find_nothing():
    assert mcnemar_detectable(0.8, 5) is None


def test_impossible_arguments_are_refused():
    with pytest.raises(InputError, match="21 and 3 of 20"):
        pairings(21, 3, 20)
    with pytest.raises(InputError, match="level"):
        t_interval(0.5, 0.1, 9, level=95)
