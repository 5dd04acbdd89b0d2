"""What each decision was: kinds of errors, who knew better, and which documents are acceptable."""

from dataclasses import replace

import pytest
from tests.gate.worlds import ranked, truth

from evenhand.errors import InputError
from evenhand.gate.acceptable import documents_by_evidence, documents_by_units
from evenhand.gate.columns import column_of, decisions_of
from evenhand.gate.gold_labels import truth_of
from evenhand.gate.outcomes import outcomes_of
from evenhand.gate.production.rules import Always, Consensus, Never, threshold_rule
from evenhand.gate.queue import queue_of
from evenhand.gate.signals import signal
from evenhand.model.gold import GoldSet, Nugget, Question, Quote
from evenhand.model.run import Qrels
from evenhand.model.text import Corpus, Document, Span

WORLD = ranked(
    a={
        "q0": [("x", 1.0)],
        "q1": [("old", 1.0), ("x", 0.5)],
        "q2": [("z", 1.0)],
        "q3": [("x", 1.0)],
        "q4": [("x", 1.0)],
    },
    b={
        "q0": [("x", 1.0)],
        "q1": [("old", 1.0)],
        "q2": [("z", 1.0), ("y", 0.5)],
        "q3": [("x", 1.0)],
        "q4": [("x", 1.0)],
    },
)
TRUTH = truth(
    ["answer", "answer", "answer", "clarify", "abstain"],
    ["x", ["x", "old"], "y", "", ""],
    outdated=["old"],
    replaced={"old": frozenset("x")},
)


def test_each_kind_of_decision_is_named():
    all_answered = outcomes_of(decisions_of(Always(("a", "b")), WORLD), TRUTH, WORLD)
    assert [row.kind for row in all_answered.rows] == [
        "correct",
        "obsolete",
        "wrong_document",
        "clarify_answered",
        "abstain_answered",
    ]
    assert all_answered.rows[1].superseded
    assert [row.below for row in all_answered.rows] == [1, None, 2, None, None]
    assert [row.question for row in all_answered.errors()] == ["q1", "q2", "q3", "q4"]
    none = outcomes_of(decisions_of(Never(("a", "b")), WORLD), TRUTH, WORLD)
    assert none.kinds["needless_deferral"] == 3
    assert none.kinds["correct_deferral"] == 2
    assert sum(none.kinds.values()) == 5


def test_a_deferral_says_who_disagreed_and_who_knew():
    apart = ranked(a={"q0": [("x", 1.0)]}, b={"q0": [("y", 1.0), ("x", 0.5)]})
    found = outcomes_of(decisions_of(Consensus(("a", "b")), apart), truth(["answer"], ["x"]), apart)
    (row,) = found.rows
    assert (row.kind, row.below, row.knew, row.dissent) == ("needless_deferral", 2, ("a",), ("a",))
    assert found.dissent == {"a": 1}


def test_losses_are_the_wrong_first_documents():
    assert TRUTH.losses(WORLD, "b").tolist() == [0, 1, 1, 1, 1]
    assert TRUTH.unreachable == 0
    assert truth(["answer"], [["old"]], outdated=["old"]).unreachable == 1


def test_other_questions_are_refused():
    with pytest.raises(InputError, match="different questions"):
        outcomes_of(decisions_of(Never(("a",)), WORLD), TRUTH.take(["q1", "q0"]), WORLD)
    part = ["q2", "q0"]
    found = outcomes_of(decisions_of(Always(("b",)), WORLD.take(part)), TRUTH.take(part), WORLD.take(part))
    assert [row.kind for row in found.rows] == ["wrong_document", "correct"]


def nugget(name, *docs, vital=True):
    return Nugget(name=name, vital=vital, spans=tuple(Quote(Span(d, 0, 1), "q") for d in docs))


def test_acceptable_documents_hold_every_vital_nugget():
    gold = GoldSet(
        (
            Question(id="one", text="?", evidence=(nugget("n", "a", "b"),)),
            Question(id="two", text="?", evidence=(nugget("n", "a", "b"), nugget("m", "b", "c"))),
            Question(id="hops", text="?", evidence=(nugget("n", "a"), nugget("m", "c"))),
            Question(id="more", text="?", evidence=(nugget("n", "a"), nugget("m", "c", vital=False))),
            Question(id="none", text="?", expect="abstain"),
        )
    )
    found = documents_by_evidence(gold)
    assert found == {
        "one": frozenset("ab"),
        "two": frozenset("b"),
        "hops": frozenset(),
        "more": frozenset("a"),
        "none": frozenset(),
    }
    any_of = GoldSet(gold.questions[:3], spans="any")
    assert documents_by_evidence(any_of)["hops"] == frozenset("ac")


def test_acceptable_documents_by_grades():
    qrels = Qrels.of({"q": {"a": 2.0, "b": 1.0}, "r": {}})
    assert documents_by_units(qrels) == {"q": frozenset("a"), "r": frozenset()}
    assert documents_by_units(qrels, rel=1)["q"] == frozenset("ab")


def test_status_and_links_come_from_the_corpus_also_in_circles():
    corpus = Corpus(
        (
            Document(id="v1", text="t", status="obsolete", superseded_by=("v2",)),
            Document(id="v2", text="t", status="obsolete"),
            Document(id="v3", text="t", status="current", supersedes=("v2",)),
            Document(id="d", text="t", status="draft", superseded_by=("d",)),
            Document(id="u", text="t"),
        )
    )
    made = truth_of(GoldSet((Question(id="q", text="?"),)), {"q": ["v3"]}, corpus)
    assert made.outdated == {"v1", "v2", "d"}
    assert made.replaced["v1"] == {"v2", "v3"}
    assert made.replaced["d"] == frozenset()
    assert made.right(0, "v3")
    assert not made.right(0, "u")
    assert made.clusters is None


def test_a_question_that_could_not_be_asked_is_deferred_flagged():
    stopped = replace(WORLD, not_run={"b": {"q0": "timeout"}})
    assert decisions_of(Always(("a",)), stopped).flagged == {}
    assert column_of(signal("score(b)", ("a", "b")), stopped).undefined == {
        "b could not be asked: timeout": 1
    }
    made = decisions_of(Always(("a", "b")), stopped)
    assert (made.made[0].decision, made.made[0].flagged) == ("defer", True)
    assert made.flagged == {"b could not be asked: timeout": 1}


def test_the_queue_shows_broken_ones_first_then_the_nearest():
    world = ranked(s={f"q{i}": [(f"d{i}", s)] for i, s in enumerate([0.1, 0.6, 0.3, 2.0, 0.9])})
    rule = threshold_rule("score(s)", 0.7, ["s"], {"s": "share"})
    found = queue_of(decisions_of(rule, world), world, {"q1": "how?"})
    assert [one.question for one in found] == ["q3", "q1", "q2", "q0"]
    assert found[0].flagged
    assert found[1].as_json() == {
        "place": 2,
        "question": "q1",
        "text": "how?",
        "reason": "score(s) is 0.6, below 0.7",
        "value": 0.6,
        "flagged": False,
        "documents": {"s": ["d1"]},
    }
