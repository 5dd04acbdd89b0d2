"""Two systems on the same questions."""

from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.paired.paired import bootstrap_mean_difference, mcnemar, newcombe, summary

pairs = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=40)
table = st.tuples(*[st.integers(0, 60)] * 4).filter(lambda t: sum(t) > 0)


@settings(max_examples=50, deadline=None)
@given(pairs)
def test_exchange_of_systems_flips_signs(values):
    a, b = zip(*values, strict=True)
    one, other = summary(a, b), summary(b, a)
    assert one.difference == pytest.approx(-other.difference, abs=1e-12)
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert (one.d_z is None) == (other.d_z is None)
    if one.d_z is not None:
        assert one.d_z == pytest.approx(-other.d_z)


@settings(max_examples=15, deadline=None)
@given(pairs)
def test_the_paired_interval_holds_the_difference_and_flips(values):
    a, b = zip(*values, strict=True)
    one = bootstrap_mean_difference(a, b, resamples=500)
    other = bootstrap_mean_difference(b, a, resamples=500)
    assert one.interval.low == pytest.approx(-other.interval.high, abs=1e-12)
    assert one.interval.low - 1e-9 <= one.interval.high


def test_float_noise_is_a_tie_and_no_spread():
    found = summary([0.1 + 0.2, 0.5], [0.3, 0.5])
    assert (found.wins, found.ties, found.losses, found.d_z) == (0, 2, 0, None)
    assert summary([0.5] * 3, [0.4] * 3).reason == "all differences are the same"
    assert summary([], []).reason == "no pairs"
    assert summary([1], [0]).d_z is None
    with pytest.raises(InputError):
        summary([1, 2], [1])


@pytest.mark.parametrize(("b", "c", "p"), [(0, 0, 1.0), (1, 7, 0.0703125), (3, 3, 1.0), (2, 9, 0.0654296875)])
def test_systems_that_never_disagree_are_not_called_different_b050(b, c, p):
    assert mcnemar(b, c).p_exact == p


@pytest.mark.parametrize(("b", "c", "p"), [(4, 0, 0.125), (12, 2, 0.012939453125), (16, 6, 0.05247879)])
def test_the_published_studies_p_values_come_out(b, c, p):
    assert mcnemar(b, c).p_exact == pytest.approx(p, abs=1e-8)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 3000), st.integers(0, 3000))
def test_mcnemar_is_symmetric_and_between_zero_and_one(b, c):
    one, other = mcnemar(b, c), mcnemar(c, b)
    assert (one.p_exact, one.p_mid) == (other.p_exact, other.p_mid)
    assert 0 <= one.p_mid <= one.p_exact <= 1


@pytest.mark.parametrize("least", [0, 300, 480, 501, 620])
def test_the_tail_of_large_tables_is_the_whole_number_one(least):
    # beyond 1,000 discordant pairs logarithms take over: compare with exact arithmetic
    m = 1240
    tail = sum(comb(m, i) for i in range(least + 1)) / 2**m
    found = mcnemar(least, m - least)
    assert found.p_exact == pytest.approx(min(1.0, 2 * tail), rel=1e-9)
    pmf = comb(m, least) / 2**m
    assert found.p_mid == pytest.approx(1 - pmf / 2 if 2 * least == m else 2 * tail - pmf, rel=1e-7)


@settings(max_examples=80, deadline=None)
@given(table, st.sampled_from([8, 9, 10]))
def test_newcombe_flips_holds_its_point_and_stays_inside(counts, method):
    a, b, c, d = counts
    one, other = newcombe(a, b, c, d, method=method), newcombe(a, c, b, d, method=method)
    assert one.difference == -other.difference
    assert one.interval.low == pytest.approx(-other.interval.high, abs=1e-9)
    assert -1 <= one.interval.low <= one.difference + 1e-12
    assert one.difference - 1e-12 <= one.interval.high <= 1


def test_the_published_study_used_method_10():
    found = newcombe(24, 12, 2, 2).interval
    assert (round(found.low, 3), round(found.high, 3)) == (0.068, 0.415)
    found = newcombe(36, 0, 4, 0).interval
    assert (round(found.low, 3), round(found.high, 3)) == (-0.231, 0.006)


def test_no_pairs_have_no_difference():
    assert newcombe(0, 0, 0, 0).interval.reason == "no pairs"
