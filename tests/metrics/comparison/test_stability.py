"""Curves over the number of questions: each point held to a computation of its own."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.metrics.comparison.stability import stability
from evenhand.metrics.comparison.summary import compare
from evenhand.model.result import Measurements
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.intervals.sequential import asymptotic_radius, beta_binomial, empirical_bernstein
from evenhand.stats.power.paired import sample_size_paired
from evenhand.stats.sampling.seeds import stream

SEED = 20241009


def measured(table, metric="nDCG@10"):
    value = np.asarray(table, dtype=float)[:, None, :]
    systems = tuple(f"s{i}" for i in range(len(value)))
    names = tuple(f"q{i}" for i in range(value.shape[2]))
    return Measurements(systems, (metric,), names, value, np.zeros(value.shape, dtype=np.int16))


def noisy(n=60, gaps=(0.0, 0.05, -0.1), seed=3):
    dice = np.random.default_rng(seed)
    base = dice.beta(0.6, 0.6, size=n)
    return np.stack([np.clip(base + gap + dice.normal(0, 0.2, n), 0, 1) for gap in gaps])


def compared(table, metric="nDCG@10", **options):
    m = measured(table, metric)
    c = compare(m, primary=metric, resamples=500, signs=500)
    return stability(m, metric, standing=c.standing, contrasts=c.contrasts, **options), c


def test_every_point_is_the_mean_and_students_interval_of_the_first_questions():
    from scipy import stats

    table = noisy()
    found, _ = compared(table)
    order = stream(SEED, "stability").permutation(60)
    assert found.sizes[0] == 5
    assert found.sizes[-1] == found.n == 60
    assert len(found.sizes) <= 30
    for one in found.curves:
        x = table[int(one.system[1:])][order]
        below, above = empirical_bernstein(x)
        for i, n in enumerate(found.sizes):
            low, high = stats.t.interval(0.95, n - 1, x[:n].mean(), stats.sem(x[:n]))
            assert one.curve.mean[i] == pytest.approx(x[:n].mean())
            assert one.curve.low[i] == pytest.approx(max(0, low))
            assert one.curve.high[i] == pytest.approx(min(1, high))
            assert (one.curve.seq_low[i], one.curve.seq_high[i]) == (below[n - 1], above[n - 1])


def test_hit_rates_get_wilson_and_beta_binomial_and_never_a_bootstrap():
    table = (noisy() > 0.5).astype(float)
    found, _ = compared(table, "Success@5")
    assert (found.method, found.sequence) == ("Wilson", "beta-binomial")
    order = stream(SEED, "stability").permutation(60)
    one = found.curves[0]
    x = table[int(one.system[1:])][order]
    for i, n in enumerate(found.sizes):
        k = int(x[:n].sum())
        assert one.curve.low[i] == wilson(k, n).low
        assert one.curve.seq_high[i] == beta_binomial(k, n - k).high


def test_ranks_count_who_is_ahead_and_ties_share_the_better():
    table = np.array([[1.0] * 8, [0.5] * 8, [0.5] * 8, [0.0] * 8])
    found = stability(measured(table), "nDCG@10")
    assert [one.rank[0] for one in found.curves] == [1, 2, 2, 4]


def test_the_last_point_is_the_field_as_it_stands():
    found, c = compared(noisy())
    assert found.leader == c.standing.leader
    assert found.curves[0].system == found.leader
    assert found.curves[0].rank[-1] == 1
    assert found.led[-1] == 1
    gap = next(x for x in c.contrasts if {x.a, x.b} == {found.gap.a, found.gap.b})
    assert found.gap.curve.mean[-1] == pytest.approx(abs(gap.difference))


def test_the_gap_has_its_interval_and_an_asymptotic_sequence_from_twenty_questions_on():
    table = noisy(gaps=(0.0, 0.02))
    found, _ = compared(table)
    g, order = found.gap, stream(SEED, "stability").permutation(60)
    d = (table[int(g.a[1:])] - table[int(g.b[1:])])[order]
    log = -2 * math.log(0.05)
    for i, n in enumerate(found.sizes):
        if n < 20:
            assert g.curve.seq_low[i] is None
            continue
        rho = math.sqrt((log + math.log(log + 1)) / 60)
        radius = asymptotic_radius(n, d[:n].std(ddof=1), rho=rho)
        assert g.curve.seq_high[i] - g.curve.mean[i] == pytest.approx(radius)
        assert radius > g.curve.high[i] - g.curve.mean[i]


def test_more_questions_needed_are_those_of_the_declared_test():
    found, c = compared(noisy(gaps=(0.0, 0.02)))
    gap = c.contrasts[0]
    assert gap.verdict == "cannot tell"
    needed = sample_size_paired(abs(gap.difference) / gap.sd).n_t
    assert found.gap.needed == needed == gap.needed["n"]
    assert found.gap.needed_looking > needed
    assert "more questions" in found.sentences[1]
    assert "in all) would decide a gap of +" in found.sentences[1]


def test_a_clear_lead_is_said_to_be_decided_and_from_when_on():
    found, _ = compared(noisy(n=200, gaps=(0.0, 0.3)))
    assert found.gap.verdict == "better"
    assert found.gap.decided is not None
    at = found.sizes.index(found.gap.decided)
    assert all(low > 0 for low in found.gap.curve.seq_low[at:])
    assert "decided at 200 questions by the declared test" in found.sentences[1]
    assert f"from question {found.gap.decided} on" in found.sentences[1]


def test_the_sequence_of_the_gap_is_adjusted_for_the_family_as_the_verdict_is():
    one, _ = compared(noisy(gaps=(0.0, 0.02)))
    many, _ = compared(noisy(gaps=(0.0, 0.02, -0.3, -0.4)))
    assert one.gap.seq_level == pytest.approx(0.95)
    assert many.gap.seq_level == pytest.approx(1 - 0.05 / 6)


def test_twins_of_the_leader_are_not_its_rival():
    table = noisy(gaps=(0.1, 0.0))
    found, _ = compared(np.stack([table[0], table[0], table[1]]))
    assert found.gap.b == "s2"
    same, _ = compared(np.stack([table[0], table[0]]))
    assert same.gap is None


def test_one_system_alone_has_a_curve_and_nothing_to_lead():
    found = stability(measured(noisy()[:1]), "nDCG@10")
    assert found.gap is None
    assert found.led == ()
    assert found.sentences == ()


def test_nothing_is_drawn_below_five_questions_nor_for_counts():
    assert stability(measured(np.ones((2, 4)) * 0.5), "nDCG@10") is None
    assert stability(measured(np.ones((2, 9))), "nDCG@10") is not None
    assert stability(measured(np.ones((2, 9)), "NumRet"), "NumRet") is None


def test_values_outside_the_unit_interval_get_no_exact_sequence():
    found = stability(measured(noisy() * 5), "nDCG@10")
    assert found.sequence.startswith("none")
    assert found.curves[0].curve.seq_low[-1] is None


def test_only_questions_that_the_whole_field_defines_are_added():
    m = measured(noisy())
    m.why[1, 0, :7] = 1
    assert stability(m, "nDCG@10").n == 53


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5), st.integers(5, 70), st.integers(0, 10**6))
def test_no_number_is_infinite_and_intervals_hold_their_mean(systems, n, seed):
    dice = np.random.default_rng(seed)
    table = dice.choice([0.0, 0.5, 1.0], size=(systems, n))
    found, _ = compared(table)
    assert list(found.sizes) == sorted(set(found.sizes))
    for one in found.curves:
        c = one.curve
        for low, mean, high in zip(c.low, c.mean, c.high, strict=True):
            assert low - 1e-12 <= mean <= high + 1e-12
        for low, high in zip(c.seq_low, c.seq_high, strict=True):
            assert 0 <= low <= high <= 1 + 1e-12
    numbers = [x for x in flat(dataclasses.asdict(found)) if isinstance(x, float)]
    assert all(math.isfinite(x) for x in numbers)


def flat(thing):
    if isinstance(thing, dict):
        return [x for value in thing.values() for x in flat(value)]
    if isinstance(thing, list | tuple):
        return [x for value in thing for x in flat(value)]
    return [thing]


def test_the_same_seed_gives_the_same_curve_and_another_seed_another():
    table = noisy()
    one, two, other = compared(table)[0], compared(table)[0], compared(table, seed=1)[0]
    assert one == two
    assert one.curves[0].curve.mean[0] != other.curves[0].curve.mean[0]
    assert one.curves[0].curve.mean[-1] == pytest.approx(other.curves[0].curve.mean[-1])
