"""Our statistics against scipy and statsmodels."""

import numpy as np
import pytest

from evenhand.stats.intervals import bootstrap, proportion
from evenhand.stats.many_systems import multiple
from evenhand.stats.paired import paired, signflip
from evenhand.stats.power import paired as power

stats = pytest.importorskip("scipy.stats")

COUNTS = [(0, 7), (1, 1), (3, 14), (17, 20), (36, 40), (40, 40), (250, 300), (5, 10_000)]


@pytest.mark.parametrize(("k", "n"), COUNTS)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_proportions_agree_with_scipy(k, n, level):
    for ours, method in ((proportion.wilson, "wilson"), (proportion.clopper_pearson, "exact")):
        theirs = stats.binomtest(k, n).proportion_ci(level, method)
        found = ours(k, n, level=level)
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-10)
    theirs = stats.binomtest(k, n, alternative="less").proportion_ci(level, "exact")
    assert proportion.clopper_pearson(k, n, level=level, side="upper").high == pytest.approx(theirs.high)


@pytest.mark.parametrize("seed", [1, 20241009])
def test_percentile_and_bca_agree_with_scipy(seed):
    x = np.random.default_rng(3).beta(2, 1, size=35)
    for method, found in (
        ("percentile", bootstrap.mean_percentile(x, resamples=2000, seed=seed).interval),
        ("BCa", bootstrap.mean_bca(x, resamples=2000, seed=seed).interval),
    ):
        theirs = stats.bootstrap(
            (x,), np.mean, n_resamples=2000, method=method, rng=np.random.default_rng(seed), vectorized=True
        ).confidence_interval
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_the_exact_sign_flip_agrees_with_scipys_permutation_test():
    for seed in range(5):
        d = np.random.default_rng(seed).normal(0.3, 1, size=11)
        theirs = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf)
        assert signflip.signflip(d).p == pytest.approx(theirs.pvalue)


def test_non_inferiority_agrees_with_scipys_t_test():
    d = np.random.default_rng(8).normal(0, 0.1, size=25)
    theirs = stats.ttest_1samp(d, -0.05, alternative="greater")
    found = power.noninferiority_t(d, 0.05)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.low == pytest.approx(theirs.confidence_interval(0.95).low - 0.0)
    assert paired.summary(d, np.zeros(25)).d_z * 5 == pytest.approx(stats.ttest_1samp(d, 0).statistic)


@pytest.mark.parametrize(("k", "n"), COUNTS)
def test_wilson_agrees_with_statsmodels(k, n):
    theirs = pytest.importorskip("statsmodels.stats.proportion").proportion_confint(k, n, 0.05, "wilson")
    found = proportion.wilson(k, n)
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-12)


def test_holm_agrees_with_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for seed in range(10):
        p = np.random.default_rng(seed).random(12) ** 3
        assert multiple.holm(p.tolist()) == pytest.approx(multitest.multipletests(p, method="holm")[1])


@pytest.mark.parametrize(("b", "c"), [(0, 4), (12, 2), (6, 16), (30, 30), (700, 640)])
def test_mcnemar_agrees_with_statsmodels(b, c):
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    theirs = tables.mcnemar([[9, b], [c, 9]], exact=True).pvalue
    assert paired.mcnemar(b, c).p_exact == pytest.approx(theirs)


@pytest.mark.parametrize("d_z", [0.1, 0.36, 0.8])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 3])
def test_power_agrees_with_statsmodels(d_z, alpha):
    test = pytest.importorskip("statsmodels.stats.power").TTestPower()
    n = test.solve_power(effect_size=d_z, power=0.8, alpha=alpha)
    assert power.sample_size_paired(d_z, alpha=alpha).n_t == int(np.ceil(np.squeeze(n)))
    assert power.power_paired_t(d_z, 50, alpha=alpha) == pytest.approx(test.power(d_z, 50, alpha), abs=1e-9)
    assert power.mdes_paired_t(50, alpha=alpha) == pytest.approx(
        float(np.squeeze(test.solve_power(nobs=50, power=0.8, alpha=alpha))), abs=1e-6
    )
