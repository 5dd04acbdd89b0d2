"""Scores, agreement and selective answering against scikit-learn and scipy."""

import numpy as np
import pytest

from evenhand.stats.agreement import raw_agreement
from evenhand.stats.intervals import ranking
from evenhand.stats.selective import guarantee, risk_coverage

learn = pytest.importorskip("sklearn.metrics")


@pytest.mark.parametrize("seed", range(5))
def test_auc_and_average_precision_agree_with_sklearn(seed):
    dice = np.random.default_rng(seed)
    x, y = dice.integers(0, 8, 60) / 8, dice.integers(0, 2, 60)
    assert ranking.roc_auc(x, y) == pytest.approx(learn.roc_auc_score(y, x))
    assert ranking.average_precision(x, y) == pytest.approx(learn.average_precision_score(y, x))


@pytest.mark.parametrize("seed", range(5))
def test_kappa_agrees_with_sklearn(seed):
    a, b = np.random.default_rng(seed).integers(0, 3, size=(2, 40)).tolist()
    assert raw_agreement.cohen_kappa(a, b).kappa == pytest.approx(learn.cohen_kappa_score(a, b))


def test_delongs_variance_is_near_the_bootstrap_of_the_items():
    dice = np.random.default_rng(3)
    x = np.concatenate([dice.normal(0.7, 1, 80), dice.normal(0, 1, 120)])
    y = np.repeat([1, 0], [80, 120])
    found = ranking.auc_delong(x, y)
    drawn = []
    for _ in range(800):
        p, n = x[dice.integers(0, 80, 80)], x[80 + dice.integers(0, 120, 120)]
        drawn.append(ranking.roc_auc(np.concatenate([p, n]), y))
    assert found.variance == pytest.approx(np.var(drawn), rel=0.2)


def test_ks_and_binomial_tails_agree_with_scipy():
    stats = pytest.importorskip("scipy.stats")
    p, q = np.random.default_rng(1).random((2, 30))
    found = risk_coverage.separability(p, q, np.linspace(0, 1, 11))
    assert found.ks == pytest.approx(stats.ks_2samp(p, q).statistic)
    assert guarantee.binomial_pvalue(3, 50, 0.1) == pytest.approx(stats.binom.cdf(3, 50, 0.1))
