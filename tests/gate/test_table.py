"""The exact decision table, and criteria by point and by bound."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.gate.outcomes import KINDS, Outcome, Outcomes
from evenhand.gate.table import met, table_of, table_of_counts

# the published holdout: 22 to answer, 14 to defer (7 and 7); 20 answered, 17 of them right
STUDY = {
    "correct": 17,
    "clarify_answered": 2,
    "abstain_answered": 1,
    "needless_deferral": 5,
    "correct_deferral": 11,
}
CRITERIA = (
    ("answered_precision", "at_least", 0.75),
    ("answerable_coverage", "at_least", 0.70),
    ("false_answer_rate", "at_most", 0.50),
)


def study():
    return table_of_counts(STUDY, clarify=7, abstain=7)


@pytest.mark.parametrize(
    ("name", "k", "n", "rate", "low", "high"),
    [
        ("answered_precision", 17, 20, 0.850, 0.640, 0.948),
        ("answerable_coverage", 17, 22, 0.773, 0.566, 0.899),
        ("false_answer_rate", 3, 14, 0.214, 0.076, 0.476),
        ("decision_accuracy", 28, 36, 0.778, 0.619, 0.883),
    ],
)
def test_the_published_rates_with_their_intervals(name, k, n, rate, low, high):  # noqa: PLR0917
    row = study().row(name)
    assert (row.k, row.n) == (k, n)
    assert (row.rate, row.wilson.low, row.wilson.high) == pytest.approx((rate, low, high), abs=5e-4)


def test_the_published_criteria_are_met_by_point_and_one_of_them_by_bound():
    rows = {name: study().row(name) for name, _, _ in CRITERIA}
    assert [met(rows[n], **{w: x}).verdict for n, w, x in CRITERIA] == ["met"] * 3
    for by in ("bound", "exact_bound"):
        shown = [met(rows[n], **{w: x}, by=by) for n, w, x in CRITERIA]
        assert [one.verdict for one in shown] == ["not met", "not met", "met"]
    bounds = [met(rows[n], **{w: x}, by="bound").value for n, w, x in CRITERIA]
    assert bounds == pytest.approx([0.678, 0.601, 0.432], abs=5e-4)
    assert met(rows["false_answer_rate"], at_most=0.5, by="exact_bound").value == pytest.approx(
        0.466, abs=5e-4
    )
    assert rows["false_answer_rate"].clopper_pearson.low == pytest.approx(0.047, abs=5e-4)


def test_false_answers_by_expectation_and_plain_coverage():
    table = study()
    assert (table.row("false_answer_rate_clarify").k, table.row("false_answer_rate_clarify").n) == (2, 7)
    assert (table.row("false_answer_rate_abstain").k, table.row("false_answer_rate_abstain").n) == (1, 7)
    assert (table.row("coverage").k, table.row("coverage").n) == (20, 36)


def test_nothing_answered_has_no_precision_and_cannot_be_decided():
    table = table_of_counts({"needless_deferral": 8, "correct_deferral": 6}, clarify=6, abstain=0)
    row = table.row("answered_precision")
    assert (row.rate, row.reason, row.wilson.low) == (None, "nothing was answered", None)
    assert met(row, at_least=0.5).verdict == "cannot be decided"
    assert met(row, at_least=0.5, by="bound").reason == "nothing was answered"
    assert table.row("false_answer_rate_abstain").reason == "nothing is to be abstained from"


def test_b069_a_point_just_at_its_limit_meets_it_and_below_does_not():
    exact = table_of_counts({"correct": 7, "wrong_document": 3}, clarify=0, abstain=0).row(
        "answered_precision"
    )
    assert met(exact, at_least=math.nextafter(0.7, 1)).verdict == "met"
    assert met(exact, at_least=0.7001).verdict == "not met"


def test_accuracy_is_never_a_criterion():
    with pytest.raises(InputError, match="descriptive"):
        met(study().row("decision_accuracy"), at_least=0.5)
    with pytest.raises(InputError, match="answered_precision"):
        study().row("answered_precison")
    with pytest.raises(InputError, match="one limit"):
        met(study().row("coverage"), at_least=0.1, at_most=0.2)


def test_counts_that_do_not_add_up_are_refused():
    with pytest.raises(InputError, match="14 decisions on 13"):
        table_of_counts(STUDY, clarify=7, abstain=6)
    with pytest.raises(InputError, match="no kind"):
        table_of_counts({"right": 1}, clarify=0, abstain=0)


expects = {
    "clarify": ("clarify_answered", "correct_deferral"),
    "abstain": ("abstain_answered", "correct_deferral"),
}
outcome = st.sampled_from(["answer", "clarify", "abstain"]).flatmap(
    lambda e: st.tuples(
        st.just(e),
        st.sampled_from(expects.get(e, ("correct", "obsolete", "wrong_document", "needless_deferral"))),
    )
)


@settings(max_examples=80, deadline=None)
@given(st.lists(outcome, max_size=30))
def test_rates_counted_one_by_one(pairs):
    rows = tuple(Outcome(question=str(i), expect=e, kind=k, top=None) for i, (e, k) in enumerate(pairs))
    table = table_of(Outcomes("rule", rows))
    answered = [(e, k) for e, k in pairs if "deferral" not in k]
    right = sum(k == "correct" for _, k in pairs)
    defer = [(e, k) for e, k in pairs if e != "answer"]
    want = {
        "answered_precision": (right, len(answered)),
        "answerable_coverage": (right, len(pairs) - len(defer)),
        "coverage": (len(answered), len(pairs)),
        "false_answer_rate": (sum("answered" in k for _, k in defer), len(defer)),
        "decision_accuracy": (right + sum(k == "correct_deferral" for _, k in pairs), len(pairs)),
    }
    for name, (k, n) in want.items():
        row = table.row(name)
        assert (row.k, row.n, row.rate) == (k, n, k / n if n else None)
        if n:
            assert row.wilson.low <= row.lower.low + 1e-12 <= row.rate + 1e-9
            assert row.rate <= row.upper.high + 1e-9 <= row.wilson.high + 2e-9
    assert table.kinds == {kind: sum(k == kind for _, k in pairs) for kind in KINDS}
