"""Context precision by each of its names, and decisions to answer."""

import pytest

from evenhand.formats.runs.trec import read_qrels
from evenhand.metrics.catalogue.names import parse
from evenhand.metrics.comparison.summary import compare, estimate
from evenhand.metrics.measure.measure import measure
from evenhand.model.run import Qrels, Run

DECISIONS = ["AnsweredPrecision", "AnswerableCoverage", "FalseAnswerRate", "DecisionAccuracy"]


def run(rankings, name="s"):
    return Run.of(name, {q: [(u, -float(i)) for i, u in enumerate(us)] for q, us in rankings.items()})


def test_each_context_precision_has_a_number_of_its_own():
    qrels = Qrels.of({"t": {"a": 1, "b": 1, "c": 1}})
    names = [
        "ContextPrecision@5",
        "ContextPrecision(weight=rank)@5",
        "RagasContextPrecision@5",
        "P@5",
        "AP@5",
    ]
    m = measure(qrels, run({"t": ["x", "a", "b"]}), names)
    harmonic = 1 + 1 / 2 + 1 / 3
    assert m.value[0, :, 0] == pytest.approx(
        [2 / 3, (1 / 2 + 1 / 3) / harmonic, (1 / 2 + 2 / 3) / 2, 2 / 5, (1 / 2 + 2 / 3) / 3]
    )


def test_the_names_of_ragas_are_understood_and_printed_apart():
    assert str(parse("context_precision@5")) == "RagasContextPrecision@5"
    assert str(parse("context_recall@5")) == str(parse("ContextRecall@5")) == "NuggetCoverage@5"


def test_nothing_shown_is_0_and_no_relevant_unit_is_undefined():
    m = measure(
        Qrels.of({"t": {"a": 1}, "u": {"a": 0}}),
        run({"u": ["a"]}),
        ["ContextPrecision", "ContextPrecision(weight=rank)"],
    )
    assert m.value[0, :, 0].tolist() == [0.0, 0.0]
    assert m.why[0, :, 1].all()


def decided(counts):
    """Qrels and a run with these counts of decisions."""
    grades, ranked = {}, {}
    for kind, n in counts.items():
        for i in range(n):
            q = f"{kind}{i}"
            grades[q] = {"a": 0 if kind in ("should_defer", "deferred_right") else 1, "b": 0}
            ranked[q] = {"right": ["a"], "wrong": ["b", "a"], "should_defer": ["a"]}.get(kind, [])
    return Qrels.of(grades), run(ranked)


def test_decisions_of_the_published_study_come_out_with_their_own_n():
    qrels, ranked = decided({"right": 17, "should_defer": 3, "deferred": 5, "deferred_right": 11})
    m = measure(qrels, ranked, DECISIONS)
    found = {name: estimate(m, "s", name) for name in DECISIONS}
    assert {name: (e.k, e.n) for name, e in found.items()} == {
        "AnsweredPrecision": (17, 20),
        "AnswerableCoverage": (17, 22),
        "FalseAnswerRate": (3, 14),
        "DecisionAccuracy": (28, 36),
    }
    low, high = found["AnsweredPrecision"].low, found["AnsweredPrecision"].high
    assert (low, high) == pytest.approx((0.6395811352592431, 0.9476312541037835), abs=1e-9)
    assert found["AnsweredPrecision"].method == "Wilson"


def test_two_systems_that_answer_different_questions_keep_their_own_n():
    qrels, one = decided({"right": 3, "wrong": 1, "deferred": 4})
    other = run({q: [] if q.startswith("right") else ["a"] for q in one.questions}, "other")
    told = compare(
        measure(qrels, [one, other], ["DecisionAccuracy", "AnsweredPrecision"]), primary="DecisionAccuracy"
    )
    found = {(e.system, e.metric): (e.k, e.n) for e in told.estimates}
    assert found["s", "AnsweredPrecision"] == (3, 4)
    assert found["other", "AnsweredPrecision"] == (5, 5)
    assert not [text for text in told.warnings if "they count 0" in text or "taken over" in text]


def test_without_relevant_units_zero_leaves_decisions_alone(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 0\n")
    m = measure(
        read_qrels(tmp_path / "qrels"),
        run({"q1": ["a"], "q2": ["a"]}),
        ["RR", "FalseAnswerRate"],
        without_relevant="zero",
    )
    assert m.value[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert m.why[0].tolist()[0] == [0, 0]
    assert m.why[0].astype(bool).tolist()[1] == [True, False]
