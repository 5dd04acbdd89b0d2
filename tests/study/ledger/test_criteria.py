"""Criteria against reported numbers: by point, by bound, with tolerance, and undecided with the reasons."""

import pytest

from evenhand.errors import InputError
from evenhand.model.plan.sections import CriterionPlan
from evenhand.study.ledger.criteria import (
    MET,
    NOT_MET,
    UNDECIDED,
    criteria_section,
    evaluate,
    number_of,
)


def report(numbers=None, estimates=(), contrasts=()):
    return {
        "gate": {"numbers": numbers or {}},
        "estimates": list(estimates),
        "contrasts": list(contrasts),
    }


def number(point, *, k=None, n=None, low=None, high=None, level=0.95, reason=None, **more):
    return {
        "point": point, "k": k, "n": n, "low": low, "high": high, "level": level, "method": "Wilson",
        "reason": reason, **more,
    }  # fmt: skip


def share(k, n):
    return number(k / n, k=k, n=n)


P2 = (
    CriterionPlan(name="precision", on="gate.answered_precision", at_least=0.75),
    CriterionPlan(name="coverage", on="gate.answerable_coverage", at_least=0.70),
    CriterionPlan(name="false", on="gate.false_answer_rate", at_most=0.50),
)
FIGURES = {
    "answered_precision": share(17, 20),
    "answerable_coverage": share(17, 22),
    "false_answer_rate": share(3, 14),
}


def test_the_published_gate_is_met_three_of_three_by_point_and_one_of_three_by_bound():
    made = criteria_section(P2, report(FIGURES), {})
    assert [row["verdict"] for row in made["rows"]] == [MET, MET, MET]
    assert [row["by_bound"] for row in made["rows"]] == [NOT_MET, NOT_MET, MET]
    assert (made["met"], made["met_by_point"], made["met_by_bound"], made["of"]) == (3, 3, 1, 3)
    assert made["sentences"][0].startswith("Criteria met: 3/3")
    assert [row["point"] for row in made["rows"]] == pytest.approx([0.850, 0.773, 0.214], abs=5e-4)


def test_the_bound_is_clopper_and_pearsons_one_sided():
    from scipy.stats import binomtest

    row = evaluate(
        CriterionPlan(name="x", on="gate.x", at_least=0.6, by="lower", level=0.9),
        report({"x": share(17, 20)}),
    )
    theirs = binomtest(17, 20, alternative="greater").proportion_ci(0.9, "exact").low
    assert row["bound"] == pytest.approx(theirs)
    assert row["bound_level"] == 0.9
    assert row["verdict"] == MET


def test_without_counts_the_end_of_the_interval_stands_with_its_own_level():
    held = report({"x": number(0.5, n=30, low=0.4, high=0.6)})
    row = evaluate(CriterionPlan(name="x", on="gate.x", at_most=0.65, by="upper", level=0.975), held)
    assert (row["bound"], row["verdict"]) == (0.6, MET)
    assert row["bound_level"] == pytest.approx(0.975)
    assert "two-sided 0.95 interval" in row["bound_method"]
    # the interval shows less than was asked for
    row = evaluate(CriterionPlan(name="x", on="gate.x", at_most=0.65, by="upper", level=0.99), held)
    assert row["verdict"] == UNDECIDED
    assert row["reasons"] == ["its interval is one-sided at 0.975, and 0.99 was asked for"]


def test_sums_of_floats_do_not_fail_a_criterion_case_b069():
    mean = sum([0.7, 0.7, 0.7]) / 3
    assert mean < 0.7
    plan = CriterionPlan(name="x", on="gate.x", at_least=0.7)
    assert evaluate(plan, report({"x": number(mean)}))["verdict"] == MET
    assert evaluate(plan, report({"x": number(0.6999)}))["verdict"] == NOT_MET
    one = CriterionPlan(name="x", on="gate.x", at_least=1.0)
    assert evaluate(one, report({"x": number(3 / (3 + 1e-10))}))["verdict"] == MET
    assert evaluate(one, report({"x": number(None, reason="no verdicts")}))["verdict"] == UNDECIDED


def test_a_number_that_could_not_be_computed_cannot_be_decided_case_b072():
    reasons = ["off scale", "unreadable", "timeout"]
    held = report({"faithfulness_mean": number(None, reasons=reasons)})
    plan = CriterionPlan(name="faithful", on="gate.faithfulness_mean", at_least=0.8)
    made = criteria_section([plan], held, {})
    row = made["rows"][0]
    assert (row["verdict"], row["by_point"], row["by_bound"]) == (UNDECIDED,) * 3
    assert row["reasons"] == reasons
    assert (made["undecided"], made["met"], made["not_met"]) == (1, 0, 0)
    assert "counts as not passed" in made["sentences"][1]


def test_a_point_without_an_interval_is_decided_by_point_and_not_by_bound():
    held = report({"x": number(0.9, n=1, reason="one question: no interval")})
    assert evaluate(CriterionPlan(name="x", on="gate.x", at_least=0.5), held)["verdict"] == MET
    row = evaluate(CriterionPlan(name="x", on="gate.x", at_least=0.5, by="lower"), held)
    assert (row["verdict"], row["reasons"]) == (UNDECIDED, ["one question: no interval"])


def test_estimates_and_contrasts_are_numbers_and_a_pair_turns_round():
    estimate = {"system": "a.b", "metric": "RBP(p=0.8)", "point": 0.4, "low": 0.3, "high": 0.5, "n": 9}
    contrast = {
        "a": "x", "b": "y", "metric": "nDCG@10", "difference": 0.1, "low": -0.1, "high": 0.4, "n": 9,
        "level": 0.95, "method": "paired", "k": None,
    }  # fmt: skip
    held = report(estimates=[estimate], contrasts=[contrast])
    assert number_of(held, "a.b.RBP(p=0.8)")["point"] == 0.4
    turned = number_of(held, "y-minus-x.nDCG@10")
    assert (turned["point"], turned["low"], turned["high"]) == (-0.1, -0.4, 0.1)
    assert number_of(held, "gate.none")["reason"].startswith("[gate] reports no 'none'")


def test_the_planned_value_stands_beside_the_amended_one_with_its_verdict():
    now = CriterionPlan(name="precision", on="gate.answered_precision", at_least=0.75)
    first = CriterionPlan(name="precision", on="gate.answered_precision", at_least=0.9)
    gone = CriterionPlan(name="gone", on="gate.false_answer_rate", at_most=0.1)
    made = criteria_section([now], report(FIGURES), {"precision": first, "gone": gone})
    assert made["rows"][0]["verdict"] == MET
    assert made["rows"][0]["planned"]["at_least"] == 0.9
    assert made["rows"][0]["planned"]["verdict"] == NOT_MET
    assert made["rows"][1]["planned"]["withdrawn"]
    assert made["of"] == 1


def test_a_criterion_has_one_limit():
    with pytest.raises(InputError, match="exactly one"):
        CriterionPlan(name="x", on="gate.x")
