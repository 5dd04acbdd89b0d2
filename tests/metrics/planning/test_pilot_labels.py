"""Planning from the labels of a pilot: limits, clusters, and what a judge is worth."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from evenhand.metrics.planning.designs import Wish, value_at, with_curves
from evenhand.metrics.planning.pilot_labels import of_agreement
from evenhand.metrics.planning.pilot_panel import lower_phi, of_calibration
from evenhand.stats.intervals.proportion import n_for_wilson_halfwidth, wilson
from evenhand.stats.power.kappa import kappa_at_agreement
from evenhand.stats.power.prediction_powered import ppi_labels_needed
from evenhand.stats.power.proportion import n_for_wilson_lower

WISH = Wish()


def pair(table=((40, 5), (5, 50)), questions=20, icc=0.25):
    n = sum(map(sum, table))
    rows = [[str(i), str(j), x] for i, row in enumerate(table) for j, x in enumerate(row) if x]
    raw = sum(x for a, b, x in rows if a == b) / n
    return {
        "judges": ["ann", "ben"],
        "n": n,
        "questions": questions,
        "raw": {"value": raw},
        "table": rows,
        "icc": {"value": icc, **({} if icc is not None else {"reason": "the values do not vary"})},
    }


def row(*, p=0.3, phi=0.7, n=100, questions=20, icc=0.1, alone=0.4):
    return {
        "judge": "model",
        "grade": 1.0,
        "n": n,
        "questions": questions,
        "human_rate": {"value": p},
        "judge_rate": 0.35,
        "phi": {"value": phi},
        "bias": 0.02,
        "icc": {"value": icc},
        "icc_alone": {"value": alone},
    }


def test_agreement_and_kappa_are_planned_at_the_lower_limit_of_the_effective_n():
    raw, kappa = of_agreement([pair()], WISH, width=0.05, at_least=None)
    worth = 100 / (1 + (5 - 1) * 0.25)
    safe = wilson(0.9 * worth, worth, level=0.8, side="lower").low
    assert raw.n == n_for_wilson_halfwidth(safe, 0.05)
    assert raw.assumed["n_as_seen"] == n_for_wilson_halfwidth(0.9, 0.05) == 141
    assert raw.n_clustered == raw.n * 2
    assert (raw.per_cluster, raw.icc) == (5, 0.25)
    z = NormalDist().inv_cdf(0.975)
    seen, taken = (kappa_at_agreement([[40, 5], [5, 50]], at) for at in (None, safe))
    assert kappa.n == math.ceil(z * z * taken[1] / 0.05**2)
    assert kappa.assumed["pilot_kappa"] == pytest.approx(seen[0])
    assert kappa.n > kappa.assumed["n_as_seen"]


def test_a_bound_is_planned_at_the_lower_limit_and_may_be_out_of_reach():
    (near,) = of_agreement([pair()], WISH, width=None, at_least=0.75)
    assert near.assumed["n_as_seen"] == n_for_wilson_lower(0.9, 0.75) == 33
    assert near.n > 33
    (out,) = of_agreement([pair()], WISH, width=None, at_least=0.88)
    assert out.n is None
    assert "is not above 0.88" in out.reason
    assert out.assumed["n_as_seen"] == n_for_wilson_lower(0.9, 0.88)


def test_what_is_asked_of_clusters_stands_before_what_was_seen():
    raw, _ = of_agreement([pair()], WISH, width=0.05, at_least=None, per_cluster=10, icc=0.1)
    assert (raw.per_cluster, raw.icc) == (10, 0.1)
    assert raw.n_clustered == math.ceil(raw.n * 1.9 - 1e-9)
    one, _ = of_agreement([pair(questions=100)], WISH, width=0.05, at_least=None)
    assert one.n_clustered is None


def test_an_icc_that_is_undefined_counts_questions_and_says_so():
    raw, _ = of_agreement([pair(((40, 0), (0, 60)), icc=None)], WISH, width=0.05, at_least=None)
    assert raw.icc == 1.0
    assert raw.n_clustered == raw.n * 5
    assert any("taken as 1: the values do not vary" in note for note in raw.notes)
    # 20 questions without a disagreement do not show that there is none
    assert raw.assumed["agreement"] == pytest.approx(wilson(20, 20, level=0.8, side="lower").low)


def test_a_judge_with_one_answer_has_agreement_and_no_kappa():
    (raw,) = of_agreement([pair(((90, 10), (0, 0)))], WISH, width=0.05, at_least=None)
    assert raw.kind == "agreement"
    assert "no kappa: a judge gave one answer throughout" in raw.notes
    assert of_agreement([pair(((1, 0), (0, 0)), questions=1)], WISH, width=0.05, at_least=None) == []


def test_labels_beside_a_judge_take_rate_and_phi_at_their_limits():
    (got,) = of_calibration([row()], WISH, width=0.05, items=2000)
    worth = 100 / 1.4
    own = 100 / (1 + 4 * 0.4)
    p, rho = wilson(0.3 * own, own, level=0.8, side="upper").high, lower_phi(0.7, 0.3, 0.35, worth)
    assert got.n == ppi_labels_needed(p, rho, 0.05, items=2000).n
    assert got.n_alone == n_for_wilson_halfwidth(p, 0.05)
    assert got.assumed["n_as_seen"] == ppi_labels_needed(0.3, 0.7, 0.05, items=2000).n
    assert got.n_clustered == math.ceil(got.n * 1.4)
    assert got.assumed["gain"] == pytest.approx(ppi_labels_needed(p, rho, 0.05, items=2000).gain)
    alone = math.ceil(got.n_alone * 2.6 - 1e-9)
    assert got.assumed["n_without_judge_clustered"] == alone
    assert f"in clusters {alone:,} without the judge" in got.notes
    (short,) = of_calibration([row()], WISH, width=0.05, items=250)
    assert short.n is None


def test_items_must_be_enough_in_clusters_too():
    (plain,) = of_calibration([row(icc=0.0)], WISH, width=0.05, items=450)
    (alike,) = of_calibration([row(icc=0.5)], WISH, width=0.05, items=450)
    assert plain.n < 450
    assert alike.n is None
    assert alike.reason == "all 450 items labelled would not be enough, in clusters"


@pytest.mark.parametrize(
    ("phi", "why"), [(None, "its phi is not defined"), (0.05, "may be 0"), (-0.4, "may be 0")]
)
def test_a_judge_that_may_be_of_no_use_is_planned_as_of_none(phi, why):
    (got,) = of_calibration([row(phi=phi)], WISH, width=0.05, items=None)
    assert got.n == got.n_alone
    assert got.icc == 0.4  # of the human label itself
    assert why in got.notes[0]


@pytest.mark.parametrize(("p", "agree"), [(0.4, 0.85), (0.2, 0.9), (0.5, 0.7)])
def test_the_lower_limit_of_phi_covers_it_as_often_as_it_says(p, agree):
    dice = np.random.default_rng(1)
    n = 80
    human = dice.random((3000, n)) < p
    judge = np.where(dice.random((3000, n)) < agree, human, ~human)
    q = p * agree + (1 - p) * (1 - agree)
    true = (p * agree - p * q) / math.sqrt(p * (1 - p) * q * (1 - q))
    lows = [
        lower_phi(np.corrcoef(a, b)[0, 1], a.mean(), b.mean(), n) for a, b in zip(human, judge, strict=True)
    ]
    assert np.mean(np.array(lows) <= true) == pytest.approx(0.8, abs=0.04)


def test_a_judge_who_never_differed_may_yet():
    most = wilson(0, 50, level=0.8, side="upper").high
    assert lower_phi(1.0, 0.5, 0.5, 50) == pytest.approx(1 - most / 0.5)
    assert lower_phi(0.9, 0.5, 0.5, 3) == 0.0


def test_the_curve_of_a_design_in_clusters_meets_its_target_at_the_n_in_clusters():
    for one in with_curves(of_agreement([pair()], WISH, width=0.05, at_least=0.75), WISH):
        here, before = value_at(one, one.needed, WISH), value_at(one, one.needed - 3, WISH)
        assert one.curve_n[-1] > one.needed
        if one.kind == "bound":
            assert before < 0.75 <= here + 1e-9
        else:
            assert before > 0.05 >= here - 1e-9
