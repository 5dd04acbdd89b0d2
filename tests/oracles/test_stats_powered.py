"""Prediction-powered means and plans, computed a second time: by least squares, by search, by simulation."""

import math

import numpy as np
import pytest

from evenhand.stats.paired import paired
from evenhand.stats.power import mcnemar, prediction_powered
from evenhand.stats.prediction_powered import designs, mean, rogan_gladen, samples


def world(seed, n=60, total=300):
    dice = np.random.default_rng(seed)
    truth = dice.random(total)
    judge = 0.6 * truth + 0.4 * dice.random(total) + 0.1
    return truth[:n], judge[:n], judge[n:], dice


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("convention", "ddof"), [("ppi_py", 0), ("glide", 1)])
def test_the_mean_and_error_are_numpys(seed, convention, ddof):
    y, f, rest, _ = world(seed)
    for lam in (0.3, 1.0):
        found = mean.ppi_mean(y, f, rest, lam=lam, convention=convention)
        se2 = lam**2 * np.var(rest, ddof=ddof) / len(rest) + np.var(y - lam * f, ddof=ddof) / len(y)
        assert found.point == pytest.approx(lam * rest.mean() + (y - lam * f).mean())
        assert found.se == pytest.approx(math.sqrt(se2))


@pytest.mark.parametrize("seed", range(4))
def test_the_tuned_lambda_is_where_the_error_is_least(seed):
    optimize = pytest.importorskip("scipy.optimize")
    y, f, rest, _ = world(seed, n=400, total=1200)

    def error(lam):
        return mean.ppi_mean(y, f, rest, lam=lam, convention="glide").se

    least = optimize.minimize_scalar(error, bounds=(0, 2), method="bounded").x
    found = mean.ppi_mean(y, f, rest, convention="glide")
    # the two estimate Var(f) from other items
    assert found.lam == pytest.approx(least, abs=0.05)
    assert found.se == pytest.approx(error(least), rel=2e-3)


def test_several_judges_are_a_regression_on_all_of_them():
    y, f, rest, dice = world(3)
    more = np.concatenate([f, rest]) + dice.random(300)
    judges = np.column_stack([np.concatenate([f, rest]), more, dice.random(300)])
    human = [*y.tolist(), *[None] * 240]
    found = designs.ppi_several_judges(human, judges, convention="glide")
    together = np.cov(np.column_stack([judges[:60], y]), rowvar=False)[:-1, -1]
    weights = np.linalg.inv(np.cov(judges, rowvar=False) * (1 + 60 / 240)) @ together
    assert found.lam == pytest.approx(weights.tolist())
    rectified = y - judges[:60] @ weights
    assert found.point == pytest.approx((judges[60:] @ weights).mean() + rectified.mean())
    se2 = np.var(judges[60:] @ weights, ddof=1) / 240 + np.var(rectified, ddof=1) / 60
    assert found.se == pytest.approx(math.sqrt(se2))


def test_strata_are_weighed_by_their_share_of_all_items():
    y, f, rest, _ = world(5, n=80)
    human = [*y.tolist(), *[None] * 220]
    stratum = (np.arange(300) % 3 == 0).astype(int)
    judge = np.concatenate([f, rest])
    found = designs.ppi_stratified(human, judge, stratum.tolist(), convention="glide")
    parts = []
    for k in (1, 0):
        here, labelled = stratum == k, np.arange(300) < 80
        one = mean.ppi_mean(
            y[stratum[:80] == k], judge[here & labelled], judge[here & ~labelled], convention="glide"
        )
        parts.append((here.mean(), one.point, one.se))
    assert found.point == pytest.approx(sum(w * point for w, point, _ in parts))
    assert found.se == pytest.approx(math.sqrt(sum((w * se) ** 2 for w, _, se in parts)))


def test_the_ratio_over_clusters_has_the_error_of_statsmodels():
    linear = pytest.importorskip("statsmodels.regression.linear_model")
    dice = np.random.default_rng(1)
    cluster = np.sort(dice.integers(0, 24, 200))
    labelled = cluster < 12
    y, f = dice.random(200), dice.random(200)
    human = [value if yes else None for value, yes in zip(y, labelled, strict=True)]
    found = samples.ppi_clustered(human, f, cluster.tolist(), form="ratio", lam=0.5)

    def error(values, groups):
        fit = linear.OLS(values, np.ones(len(values))).fit()
        return fit.get_robustcov_results("cluster", groups=groups).bse[0]

    point = 0.5 * f[~labelled].mean() + (y - 0.5 * f)[labelled].mean()
    se2 = error(0.5 * f[~labelled], cluster[~labelled]) ** 2
    se2 += error((y - 0.5 * f)[labelled], cluster[labelled]) ** 2
    assert found.point == pytest.approx(point)
    assert found.se == pytest.approx(math.sqrt(se2))


def test_equal_chances_of_a_label_give_ppi():
    y, f, rest, _ = world(2)
    human = [*y.tolist(), *[None] * 240]
    found = samples.ppi_inclusion(human, np.concatenate([f, rest]), [0.2] * 300, lam=1.0)
    # z_i = f_i + xi (Y - f)/pi: the mean over all of f, and the mean residual of the labelled
    assert found.point == pytest.approx(np.concatenate([f, rest]).mean() + (y - f).mean())


@pytest.mark.parametrize("seed", range(3))
def test_the_gain_in_simulation_is_the_planned_one(seed):
    dice = np.random.default_rng(seed)
    points, plain = [], []
    for _ in range(600):
        truth = dice.normal(size=600)
        judge = 0.8 * truth + 0.6 * dice.normal(size=600)
        found = mean.ppi_mean(truth[:100], judge[:100], judge[100:])
        points.append(found.point)
        plain.append(found.human)
    expected = prediction_powered.ppi_gain(0.8, labelled=100, judged_only=500)
    assert np.var(plain) / np.var(points) == pytest.approx(expected, rel=0.2)


def test_the_delta_error_is_that_of_simulation():
    dice, points = np.random.default_rng(7), []
    for _ in range(4000):
        p, sn, sp = (dice.binomial(n, q) / n for n, q in ((500, 0.55), (200, 0.9), (200, 0.85)))
        points.append((p + sp - 1) / (sn + sp - 1))
    found = rogan_gladen.rogan_gladen(
        0.55, sensitivity=0.9, specificity=0.85, n=500, negatives=200, positives=200
    )
    assert np.std(points) == pytest.approx(found.se, rel=0.05)


@pytest.mark.parametrize(("b", "c", "n"), [(0.3, 0.1, 60), (0.2, 0.1, 100), (0.15, 0.02, 40)])
@pytest.mark.parametrize("test", ["exact", "mid"])
def test_mcnemars_power_is_that_of_simulated_studies(b, c, n, test):
    dice = np.random.default_rng(12)
    drawn = dice.multinomial(n, [b, c, 1 - b - c], size=4000)
    pairs, times = np.unique(drawn[:, :2], axis=0, return_counts=True)
    found = [paired.mcnemar(int(x), int(y)) for x, y in pairs]
    p = np.array([one.p_exact if test == "exact" else one.p_mid for one in found])
    simulated = times[p <= 0.05].sum() / 4000
    assert mcnemar.mcnemar_power(b, c, n, test=test) == pytest.approx(simulated, abs=0.03)
