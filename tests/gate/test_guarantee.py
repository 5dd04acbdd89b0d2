"""Thresholds with a promise: kept in simulation, refused in words, never on the questions that report."""

import numpy as np
import pytest
from tests.gate.test_curve import column

from evenhand.errors import HoldoutSpent, InputError
from evenhand.gate.calibration import calibration_split, one_per_cluster
from evenhand.gate.conformal import conformal
from evenhand.gate.guarantee import guarantee
from evenhand.model.gold import GoldSet, Question
from evenhand.stats.intervals.proportion import min_n_zero_errors
from evenhand.stats.selective.guarantee import certificate, min_n_certified

GRID = (0.0, 0.25, 0.5, 0.75)


def world(n, seed):
    """Scores in 0..1, wrong with probability 0.4 (1 - score)."""
    dice = np.random.default_rng(seed)
    scores = dice.random(n)
    return column(scores.tolist()), (dice.random(n) < 0.4 * (1 - scores)).astype(float)


def risk_at(threshold):
    return 0.4 * (1 - threshold) / 2  # of what is answered, scores being uniform above the threshold


def test_the_promise_is_kept_as_often_as_it_says():
    alpha, delta, kept, chosen = 0.12, 0.2, 0, 0
    for seed in range(60):
        for method in ("fixed_sequence", "bonferroni"):
            found = guarantee(*world(150, seed), GRID, alpha=alpha, delta=delta, method=method)
            chosen += found.threshold is not None
            kept += found.threshold is None or risk_at(found.threshold) <= alpha
    assert kept >= 0.8 * 120
    assert chosen > 30  # it does choose


def test_a_chosen_threshold_is_certified_and_says_so():
    found = guarantee(*world(400, 1), GRID, alpha=0.15, delta=0.1)
    row = next(one for one in found.grid if one.threshold == found.threshold)
    assert row.certified
    assert row.upper <= 0.15
    assert certificate(row.wrong, row.answered, alpha=0.15, delta=0.1).certified
    assert f"{row.wrong} of {row.answered}" in found.says
    assert [one.threshold for one in found.grid] == sorted(GRID, reverse=True)


def test_the_questions_that_chose_may_not_report():
    found = guarantee(*world(50, 1), GRID, alpha=0.3, delta=0.1)
    with pytest.raises(HoldoutSpent, match="1 questions chose the threshold"):
        found.apart(["q7", "other"])
    found.apart(["other"])
    with pytest.raises(HoldoutSpent):
        conformal(*world(50, 1), GRID, alpha=0.3).apart(["q7"])


def test_a_refusal_says_how_many_would_do():
    scores = [0.9] * 20 + [0.1] * 20
    few = guarantee(column(scores), [0.0] * 40, (0.5,), alpha=0.1, delta=0.05)
    assert few.threshold is None
    assert few.needed_error_free == 29 == few.needed_at_seen
    assert few.needed_questions == 58
    assert "29 answered without an error would do (about 58 questions" in few.says
    bad = guarantee(column(scores), [1.0] * 10 + [0.0] * 30, (0.5,), alpha=0.1, delta=0.05)
    assert bad.needed_at_seen is None
    assert "no number would: 50% is not below 10%" in bad.says
    some = guarantee(column(scores), [1.0] + [0.0] * 39, (0.5,), alpha=0.1, delta=0.05)
    assert some.needed_at_seen == min_n_certified(0.05, alpha=0.1, delta=0.05)
    assert f"{some.needed_at_seen:,} answered" in some.says


def test_a_grid_that_begins_where_nothing_is_answered_is_told():
    scores = [0.5] * 100
    found = guarantee(column(scores), [0.0] * 100, (0.5, 0.9), alpha=0.1, delta=0.05)
    assert found.threshold is None
    assert "stops at its first threshold, 0.9, which answers only 0" in found.says
    both = guarantee(column(scores), [0.0] * 100, (0.5, 0.9), alpha=0.1, delta=0.05, method="bonferroni")
    assert both.threshold == 0.5
    none = guarantee(column(scores), [0.0] * 100, (0.9,), alpha=0.1, delta=0.05)
    assert none.says == "No threshold on the grid answers any calibration question."


@pytest.mark.parametrize("bad", [float("nan"), "0,7", None, float("inf")])
def test_b070_a_grid_of_no_numbers_is_refused(bad):
    with pytest.raises(InputError, match="threshold on"):
        guarantee(column([0.5]), [0.0], (bad,), alpha=0.1, delta=0.1)


def test_conformal_control_by_hand():
    # wrong and answered: 2 of 4 at 0.0, 1 at 0.5, 0 at 0.8; (4 R + 1)/5 = 0.6, 0.4, 0.2
    found = conformal(column([0.1, 0.4, 0.6, 0.9]), [1, 0, 1, 0], (0.0, 0.5, 0.8), alpha=0.4)
    assert found.threshold == 0.5
    assert found.adjusted == ((0.0, pytest.approx(0.6)), (0.5, pytest.approx(0.4)), (0.8, pytest.approx(0.2)))
    assert conformal(column([0.9] * 3), [0] * 3, (0.5,), alpha=0.1).threshold is None
    assert found.needed == 2
    assert "not the risk among the answered" in found.controls


def test_the_fewest_that_certify_are_the_fewest():
    for rate in (0.0, 0.01, 0.03, 0.07):
        n = min_n_certified(rate, alpha=0.1, delta=0.1)

        def fine(m, rate=rate):
            return certificate(int(np.ceil(rate * m - 1e-9)), m, alpha=0.1, delta=0.1).certified

        assert fine(n)
        assert not any(fine(m) for m in range(1, n))
    assert min_n_certified(0.0, alpha=0.1, delta=0.05) == min_n_zero_errors(0.1, 0.05) == 29
    assert min_n_certified(0.1, alpha=0.1, delta=0.05) is None
    assert min_n_certified(0.0999, alpha=0.1, delta=0.05) is None  # more than 100,000


def gold(clusters):
    return GoldSet(tuple(Question(id=f"q{i}", text="?", cluster=c) for i, c in enumerate(clusters)))


def test_the_split_keeps_clusters_whole_and_is_its_own():
    questions = gold([f"c{i // 3}" for i in range(60)])
    chosen, report = calibration_split(questions, seed=3)
    assert (chosen, report) == calibration_split(questions, seed=3)
    assert set(chosen) | set(report) == set(questions.ids)
    cluster = {q.id: q.cluster for q in questions}
    assert not {cluster[q] for q in chosen} & {cluster[q] for q in report}
    assert 24 <= len(chosen) <= 36


def test_one_question_of_each_cluster():
    kept = one_per_cluster(["a", "b", "c", "d"], ["x", "x", "y", "z"], seed=1)
    assert len(kept) == 3
    assert {"c", "d"} <= set(kept)
    assert list(kept) == sorted(kept)
    assert kept == one_per_cluster(["a", "b", "c", "d"], ["x", "x", "y", "z"], seed=1)
