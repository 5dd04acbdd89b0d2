"""A threshold that decides a question was chosen without it."""

import itertools

import numpy as np
from tests.gate.worlds import ranked, truth

from evenhand.gate.columns import column_of
from evenhand.gate.cost import Costs
from evenhand.gate.signals import signal
from evenhand.study.gate.folds import chosen_out_of_fold

COSTS = Costs(false_answer=1, needless_deferral=1)


def world(scores, right):
    made = ranked(
        a={f"q{i}": [("x" if yes else "y", s)] for i, (s, yes) in enumerate(zip(scores, right, strict=True))}
    )
    known = truth(["answer"] * len(scores), [["x"]] * len(scores))
    return made, known, column_of(signal("score(a)", ["a"]), made)


def test_each_fold_has_the_threshold_of_the_others():
    scores = [0.9, 0.8, 0.7, 0.6, 0.2, 0.1]
    ranks, known, column = world(scores, [True, True, True, True, False, False])
    folds = np.array([0, 1, 0, 1, 0, 1])
    made, cuts = chosen_out_of_fold(column, known, ranks, COSTS, folds)
    assert cuts == (0.6, 0.7)
    # q3 (0.6) was decided by 0.7, which fold 0 chose without it
    assert made.answered.tolist() == [True, True, True, False, False, False]
    assert made.made[3].reason == "score(a) is 0.6, not enough: the threshold is 0.7"


def test_a_label_never_decides_its_own_question():
    scores = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    right = [True, False, True, True, False, True]
    folds = np.array([0, 1, 2, 0, 1, 2])
    ranks, known, column = world(scores, right)
    made, _ = chosen_out_of_fold(column, known, ranks, COSTS, folds)
    for i in range(6):
        turned = [not yes if j == i else yes for j, yes in enumerate(right)]
        other, others, col = world(scores, turned)
        again, _ = chosen_out_of_fold(col, others, other, COSTS, folds)
        assert again.answered[i] == made.answered[i]


def test_where_deferring_is_cheapest_for_the_others_the_fold_is_deferred():
    ranks, known, column = world([0.9, 0.8, 0.7, 0.6], [False, True, False, True])
    made, cuts = chosen_out_of_fold(
        column, known, ranks, Costs(false_answer=9, needless_deferral=0.1), np.array([0, 0, 1, 1])
    )
    assert None in cuts
    assert not made.answered[[i for i in range(4) if cuts[[0, 0, 1, 1][i]] is None]].any()


def test_a_long_curve_is_thinned_to_its_ends_and_equal_steps():
    from evenhand.study.gate.signals import POINTS, _thin

    assert _thin(range(POINTS)) == list(range(POINTS))
    made = _thin(range(5001))
    assert (len(made), made[0], made[-1]) == (POINTS, 0, 5000)
    assert {b - a for a, b in itertools.pairwise(made)} <= {10, 11}
