"""A learned rule: found where there is something to find, honest where there is nothing, never across clusters."""

import numpy as np
import pytest
from tests.gate.worlds import truth

from evenhand.errors import InputError, Undecidable
from evenhand.gate.columns import column_of, decisions_of
from evenhand.gate.cost import Costs, reckon
from evenhand.gate.learn import learn
from evenhand.gate.outcomes import outcomes_of
from evenhand.gate.production.rules import Always, Never
from evenhand.gate.rankings import rankings_of
from evenhand.gate.signals import signal
from evenhand.model.run import Run
from evenhand.stats.selective.folds import folds_by_cluster
from evenhand.stats.selective.logistic import logistic_fit

EVEN = Costs(false_answer=1, needless_deferral=1)


def world(n, *, seed=1, informed=True, clusters=None):
    """Half the questions are answerable; the score of `a` tells which, when *informed*."""
    dice = np.random.default_rng(seed)
    yes = dice.random(n) < 0.5
    a = dice.normal(0, 1, n) + (2.5 * yes if informed else 0)
    b = dice.normal(0, 1, n)
    rows = {
        "a": {f"q{i}": [("good", float(a[i]))] for i in range(n)},
        "b": {f"q{i}": [("good", float(b[i]))] for i in range(n)},
    }
    ranked = rankings_of([Run.of(s, r) for s, r in rows.items()], tuple(rows["a"]))
    right = truth(["answer" if y else "abstain" for y in yes], [["good"]] * n, cluster=clusters)
    columns = [column_of(signal(name, ("a", "b")), ranked) for name in ("score(a)", "score(b)")]
    return columns, right, ranked


def test_it_finds_the_signal_that_says_something():
    columns, right, ranked = world(150)
    found = learn(columns, right, ranked, EVEN)
    told, noise = found.rule.coefficients
    assert told > 5 * abs(noise)
    rules = [
        found.decisions,
        decisions_of(Always(("a", "b")), ranked),
        decisions_of(Never(("a", "b")), ranked),
    ]
    made = reckon([outcomes_of(one, right, ranked) for one in rules], EVEN, resamples=300)
    assert made.best == "learned, out of fold"
    assert made.rules[0].best > 0.99
    assert len(found.folds) == 5
    assert sum(fold.decided for fold in found.folds) == 150


def test_noise_out_of_fold_is_no_better_than_chance():
    """What nesting is for: a rule tuned and judged on the same questions would look better than it is."""
    saved = []
    for seed in range(8):
        columns, right, ranked = world(80, seed=seed, informed=False)
        found = learn(columns, right, ranked, EVEN, folds=4)
        rows = outcomes_of(found.decisions, right, ranked)
        wrong = rows.kinds["abstain_answered"] + rows.kinds["needless_deferral"]
        saved.append(0.5 - wrong / 80)
    assert np.mean(saved) < 0.06


def test_the_same_seed_gives_the_same_rule_and_decisions():
    parts = world(60)
    assert learn(*parts, EVEN, seed=3) == learn(*parts, EVEN, seed=3)


def test_a_question_is_never_decided_by_its_own_cluster():
    """All questions of a cluster share one score, so a leak would give every answer away."""
    n, size = 120, 4
    dice = np.random.default_rng(0)
    yes = dice.random(n // size) < 0.5
    score = dice.random(n // size)
    rows = {f"q{i}": [("good", float(score[i // size]))] for i in range(n)}
    ranked = rankings_of([Run.of("a", rows)], tuple(rows))
    right = truth(
        ["answer" if yes[i // size] else "abstain" for i in range(n)],
        [["good"]] * n,
        cluster=[f"c{i // size}" for i in range(n)],
    )
    fold = folds_by_cluster(right.answerable, right.clusters, folds=5, seed=1)
    assert all(len(set(fold[i : i + size])) == 1 for i in range(0, n, size))
    assert np.bincount(fold).tolist() == [24] * 5
    found = learn([column_of(signal("score(a)", ("a",)), ranked)], right, ranked, EVEN)
    assert all(len({found.decisions.made[i + j].value for j in range(size)}) == 1 for i in range(0, n, size))


def test_a_question_without_a_signal_is_deferred_flagged():
    columns, right, ranked = world(60)
    holed = type(columns[0])(
        columns[0].signal, columns[0].questions, columns[0].value, ("gone", *columns[0].why[1:])
    )
    found = learn([holed, columns[1]], right, ranked, EVEN)
    assert found.left_out == 1
    assert (found.decisions.made[0].decision, found.decisions.made[0].reason) == ("defer", "gone")
    assert found.decisions.made[0].flagged


def test_too_little_to_learn_from_is_said():
    columns, right, ranked = world(60, clusters=[f"c{i % 6}" for i in range(60)])
    with pytest.raises(Undecidable, match="6 clusters of questions are too few for 5 folds"):
        learn(columns, right, ranked, EVEN)
    all_wrong = truth(["abstain"] * 60, [[]] * 60)
    with pytest.raises(Undecidable, match="nothing to learn"):
        learn(columns, all_wrong, ranked, EVEN)
    with pytest.raises(InputError, match="penalties"):
        learn(columns, right, ranked, EVEN, penalties=())


def test_the_logistic_fit_is_that_of_sklearn():
    sklearn = pytest.importorskip("sklearn.linear_model")
    dice = np.random.default_rng(2)
    x = dice.normal(3, 2, (70, 3))
    y = (x[:, 0] + dice.normal(0, 2, 70) > 3).astype(float)
    for penalty in (1.0, 0.01):
        ours = logistic_fit(x, y, penalty=penalty)
        z = (x - x.mean(0)) / x.std(0)
        theirs = sklearn.LogisticRegression(C=1 / (70 * penalty), tol=1e-12, max_iter=10_000).fit(z, y)
        assert ours.coefficients == pytest.approx(theirs.coef_[0], abs=1e-5)
        assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-5)
        assert ours.of(x) == pytest.approx(theirs.predict_proba(z)[:, 1], abs=1e-5)


def test_classes_that_part_wholly_and_columns_that_do_not_vary():
    found = logistic_fit([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]], [0, 0, 1, 1], penalty=0.01)
    assert found.coefficients[0] > 1
    assert (found.coefficients[1], found.spread[1]) == (0.0, 1.0)
    with pytest.raises(InputError, match="two kinds"):
        logistic_fit([[0.0], [1.0]], [1, 1], penalty=0.1)
