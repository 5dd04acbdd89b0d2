"""Agreement beyond chance, computed a second time: by libraries where they have it, else straight from the text."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from evenhand.stats.agreement import gwet, kappa, krippendorff, raw_agreement
from evenhand.stats.intervals import clusters, correlation

FEW = {"resamples": 20}


def some(seed, items=30, raters=4, missing=0.25, top=4):
    dice = np.random.default_rng(seed)
    true = dice.integers(1, top + 1, items)
    return [
        [
            None if dice.random() < missing else int(t if dice.random() < 0.6 else dice.integers(1, top + 1))
            for _ in range(raters)
        ]
        for t in true
    ]


def alpha_by_pairs(rows, distance):
    """Krippendorff's alpha as 1 - observed / expected disagreement, over pairs of values, in fractions."""
    units = [[v for v in row if v is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    values = [v for unit in units for v in unit]
    counts = Counter(values)
    n = len(values)
    observed = sum(
        Fraction(distance(a, b, counts)) / (len(unit) - 1)
        for unit in units
        for a, b in itertools.permutations(unit, 2)
    )
    expected = sum(Fraction(distance(a, b, counts)) for a, b in itertools.permutations(values, 2))
    return float(1 - (observed / n) / (expected / (n * (n - 1))))


DISTANCES = {
    "nominal": lambda a, b, counts: a != b,
    "interval": lambda a, b, counts: (a - b) ** 2,
    "ratio": lambda a, b, counts: Fraction(a - b, a + b) ** 2,
    "ordinal": lambda a, b, counts: (
        (sum(counts[g] for g in range(min(a, b), max(a, b) + 1)) - Fraction(counts[a] + counts[b], 2)) ** 2
    ),
}


@pytest.mark.parametrize("scale", sorted(DISTANCES))
@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_disagreement_seen_over_expected_pair_by_pair(scale, seed):
    rows = some(seed)
    found = krippendorff.krippendorff_alpha(rows, scale=scale, **FEW).value
    assert found == pytest.approx(alpha_by_pairs(rows, DISTANCES[scale]), abs=1e-10)


def gwet_by_pairs(rows, names, credit):
    given = [[v for v in row if v is not None] for row in rows]
    several = [unit for unit in given if len(unit) > 1]
    seen = [
        sum(credit(a, b) for a, b in itertools.permutations(unit, 2)) / (len(unit) * (len(unit) - 1))
        for unit in several
    ]
    some_label = [unit for unit in given if unit]
    pi = [sum(unit.count(name) / len(unit) for unit in some_label) / len(some_label) for name in names]
    q = len(names)
    weight = sum(credit(a, b) for a in names for b in names)
    chance = weight / (q * (q - 1)) * sum(p * (1 - p) for p in pi)
    return (sum(seen) / len(seen) - chance) / (1 - chance)


@pytest.mark.parametrize("seed", range(4))
def test_gwets_coefficients_are_credit_pair_by_pair(seed):
    rows, names = some(seed), (1, 2, 3, 4)
    for weights, credit in (
        ("identity", lambda a, b: float(a == b)),
        ("linear", lambda a, b: 1 - abs(a - b) / 3),
        ("quadratic", lambda a, b: 1 - (a - b) ** 2 / 9),
    ):
        found = gwet.gwet_ac2(rows, weights=weights, categories=names, **FEW).value
        assert found == pytest.approx(gwet_by_pairs(rows, names, credit), abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_fleiss_kappa_agrees_with_statsmodels(seed):
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    rows = some(seed, missing=0)
    theirs = raters.fleiss_kappa(raters.aggregate_raters(np.array(rows))[0])
    assert gwet.fleiss_kappa(rows, **FEW).value == pytest.approx(theirs)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@pytest.mark.parametrize("seed", range(4))
def test_kappa_and_its_errors_agree_with_sklearn_and_statsmodels(weights, seed):
    learn = pytest.importorskip("sklearn.metrics")
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    a, b = zip(*some(seed, raters=2, missing=0), strict=True)
    name = None if weights == "none" else weights
    found = kappa.cohen_kappa(a, b, weights=weights)
    assert found.kappa == pytest.approx(learn.cohen_kappa_score(a, b, weights=name))
    table = np.zeros((4, 4))
    np.add.at(table, (np.array(a) - 1, np.array(b) - 1), 1)
    theirs = raters.cohens_kappa(table, wt=name)
    assert (found.se, found.se_null) == pytest.approx((theirs.std_kappa, theirs.std_kappa0))


def test_a_panels_agreement_is_counted_pair_by_pair():
    rows = some(9, raters=3)
    found = raw_agreement.panel(rows, **FEW)
    for pair in found.pairs:
        both = [row for row in rows if None not in (row[pair.first], row[pair.second])]
        agree = sum(row[pair.first] == row[pair.second] for row in both)
        assert (pair.n, pair.agree) == (len(both), agree)
    for row, label in zip(rows, found.majority, strict=True):
        given = [vote for vote in row if vote is not None]
        assert label is None or given.count(label) > len(given) / 2


@pytest.mark.parametrize("seed", range(3))
def test_the_error_over_clusters_agrees_with_statsmodels(seed):
    linear = pytest.importorskip("statsmodels.regression.linear_model")
    dice = np.random.default_rng(seed)
    cluster = np.sort(dice.integers(0, 15, 80))
    y = dice.random(80) + (cluster % 3) / 3
    fit = linear.OLS(y, np.ones(80)).fit()
    found = clusters.cluster_mean(y, cluster.tolist())
    for ours, corrected in ((found.se_uncorrected, False), (found.se, True)):
        theirs = fit.get_robustcov_results("cluster", groups=cluster, use_correction=corrected).bse[0]
        assert ours == pytest.approx(theirs)


def test_clusters_resampled_by_sums_are_clusters_resampled_by_items():
    dice = np.random.default_rng(6)
    cluster = np.sort(dice.integers(0, 12, 60))
    names = list(dict.fromkeys(cluster.tolist()))
    a, b = dice.integers(0, 2, (2, 60))
    found = raw_agreement.raw_agreement(
        a.tolist(), b.tolist(), clusters=cluster.tolist(), resamples=500, seed=3
    )
    draws = np.random.default_rng(3).integers(0, len(names), size=(500, len(names)))
    shares = [np.concatenate([(a == b)[cluster == names[k]] for k in draw]).mean() for draw in draws]
    assert (found.interval.low, found.interval.high) == pytest.approx(np.quantile(shares, [0.025, 0.975]))


def test_kappa_over_clusters_is_kappa_of_the_items_drawn():
    learn = pytest.importorskip("sklearn.metrics")
    dice = np.random.default_rng(8)
    a, b = dice.integers(0, 2, (2, 80))
    found = kappa.cohen_kappa(
        a.tolist(), b.tolist(), clusters=[i // 4 for i in range(80)], resamples=300, seed=1
    )
    draws = np.random.default_rng(1).integers(0, 20, size=(300, 20))
    drawn = [np.concatenate([np.arange(4 * k, 4 * k + 4) for k in draw]) for draw in draws]
    values = [learn.cohen_kappa_score(a[items], b[items]) for items in drawn]
    assert (found.interval.low, found.interval.high) == pytest.approx(np.quantile(values, [0.025, 0.975]))


@pytest.mark.parametrize("seed", range(3))
def test_correlations_agree_with_scipy(seed):
    stats = pytest.importorskip("scipy.stats")
    x, y = np.random.default_rng(seed).integers(0, 6, (2, 40)).astype(float)
    theirs = stats.pearsonr(x, y)
    found = correlation.pearson(x, y)
    assert found.r == pytest.approx(theirs.statistic)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(theirs.confidence_interval()))
    assert correlation.spearman(x, y).r == pytest.approx(stats.spearmanr(x, y).statistic)


@pytest.mark.parametrize(("b", "c"), [(12, 3), (2, 9), (40, 41), (0, 3)])
def test_one_sided_disagreement_agrees_with_scipys_binomial_test(b, c):
    stats = pytest.importorskip("scipy.stats")
    found = clusters.direction(b, c, 200)
    assert found.p == pytest.approx(stats.binomtest(b, b + c).pvalue)
    assert found.p_lenient == pytest.approx(stats.binomtest(b, b + c, alternative="greater").pvalue)
