"""How many questions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.argument_checks import t_quantile
from evenhand.stats.power.paired import (
    mdes_paired_t,
    noninferiority_bootstrap,
    noninferiority_newcombe,
    noninferiority_t,
    power_paired_t,
    sample_size_paired,
    sample_sizes_paired,
    t_from_dz,
)


def test_the_published_plan_needs_63_and_84():
    assert sample_size_paired(0.36).n_t == 63
    assert sample_size_paired(0.36, alpha=0.05 / 3).n_t == 84


def test_a_gap_of_012_with_a_spread_of_155_needs_about_1310_not_27000():
    assert sample_size_paired(0.012 / 0.155).n_t == pytest.approx(1310, abs=10)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.005, 3), st.sampled_from([0.05, 0.01, 0.05 / 66]), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_size_is_the_first_with_the_power(d_z, alpha, power):
    n = sample_size_paired(d_z, power=power, alpha=alpha).n_t
    assert power_paired_t(d_z, n, alpha=alpha) >= power
    assert n == 2 or power_paired_t(d_z, n - 1, alpha=alpha) < power
    assert sample_size_paired(-d_z, power=power, alpha=alpha).n_t == n


def test_no_effect_needs_no_number_and_a_tiny_one_a_large_number():
    assert sample_size_paired(0.0).n_t is None
    assert "cannot be found" in sample_size_paired(0.0).reason
    assert sample_size_paired(1e-4).n_t > 700_000_000
    sizes, enough = sample_sizes_paired(np.array([0.0, 0.5, 1e-9]))
    assert enough.tolist() == [False, True, False]
    assert np.isfinite(sizes).all()


def test_power_is_never_nan_even_far_out():
    found = [power_paired_t(d, n) for d in (0.0, 1e-9, 0.3, 5.0, 50.0) for n in (2, 3, 40, 10**6)]
    assert all(0 <= p <= 1 for p in found)
    assert power_paired_t(0.0, 40) == pytest.approx(0.05)
    assert power_paired_t(50.0, 10**6) == 1.0
    assert power_paired_t(0.3, 1) is None


def test_the_detectable_effect_and_the_size_are_inverse():
    d_z = mdes_paired_t(40)
    assert sample_size_paired(d_z).n_t == 40
    assert mdes_paired_t(1) is None


def test_a_printed_effect_size_gives_its_t():
    found = t_from_dz(0.36, 40)
    assert (round(found.t, 3), round(found.p, 4)) == (2.277, 0.0284)
    assert t_from_dz(0.36, 1) is None


def test_non_inferiority_passes_fails_or_says_that_it_cannot_tell():
    near = [0.01, -0.02, 0.03, 0, -0.01, 0.02, 0.01, -0.03, 0.02, 0]
    worse = [x - 0.2 for x in near]
    for test in (noninferiority_t, noninferiority_bootstrap):
        assert test(near, 0.02).verdict == "pass"
        assert test(worse, 0.02).verdict == "fail"
        assert test([x - 0.02 for x in near], 0.02).verdict == "inconclusive"
        assert test([0.01], 0.02).verdict == "inconclusive"
    assert noninferiority_t([-0.1, -0.1], 0.02).verdict == "fail"
    assert noninferiority_t([-0.1, -0.1], 0.02).p is None
    assert noninferiority_newcombe(36, 1, 2, 1, 0.1).verdict == "inconclusive"
    assert noninferiority_newcombe(0, 0, 0, 0, 0.1).reason == "no pairs"
    with pytest.raises(InputError):
        noninferiority_t(near, 0.0)


@pytest.mark.parametrize(("p", "df"), [(0.4, [5]), (1.0, [5]), (0.9, [0.5])])
def test_students_quantile_refuses_what_it_is_not_for(p, df):
    with pytest.raises(InputError):
        t_quantile(p, df)
