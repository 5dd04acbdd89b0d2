"""What gold check says beyond the form of the lines."""

import time

import pytest

from evenhand.corpus.chunk import chunk
from evenhand.corpus.sentences import Sentences
from evenhand.gold.align import align
from evenhand.gold.holdout_view import veil
from evenhand.gold.lint import lint
from evenhand.metrics.measure.measure import measure
from evenhand.model.gold import Authoring, GoldSet, Nugget, Question, QuestionId, Quote, Review
from evenhand.model.run import Run
from evenhand.model.text import Corpus, DocId, Document, Span, Units


def evidence(doc, start, quote):
    return (Nugget(name="", spans=(Quote(Span(DocId(doc), start, start + len(quote)), quote),)),)


def question(name, text="?", **more):
    more.setdefault("expect", "answer" if more.get("evidence") else "abstain")
    return Question(id=QuestionId(name), text=text, line=int(name[1:]), **more)


def kinds(findings, severity=None):
    return [f.kind for f in findings if f.severity == severity or (severity is None and f.severity != "info")]


def one(findings, kind):
    (found,) = [f for f in findings if f.kind == kind]
    return found


PARK = "Visitors may park for two hours."


def test_twin_passages_are_listed_with_a_correction_to_paste_b017():
    corpus = Corpus(
        tuple(
            Document(id=DocId(name), text=text)
            for name, text in (("k1", PARK), ("k2", PARK), ("k3", "No dogs."))
        )
    )
    gold = GoldSet((question("q1", "How long can a guest leave a car?", evidence=evidence("k2", 0, PARK)),))
    twin = one(lint(gold, corpus), "twin")
    assert twin.severity == "warning"
    assert "'k2'" in twin.message
    assert "'k1'" in twin.message
    spans = twin.correction["evidence"][0]["spans"]
    assert [(s["doc"], s["start"], s["end"]) for s in spans] == [("k2", 0, 32), ("k1", 0, 32)]
    assert spans[1]["quote"] == PARK
    # once pasted, it is no twin any more but an alternative
    both = (Nugget(name="", spans=(*gold[0].evidence[0].spans, Quote(Span(DocId("k1"), 0, 32), PARK))),)
    assert "twin" not in kinds(lint(GoldSet((question("q1", evidence=both),)), corpus))


def test_r06_the_same_words_twice_in_one_document_are_offered_as_alternatives():
    fee = "Fee is 5 EUR."
    corpus = Corpus((Document(id=DocId("d"), text=f"{fee} Later: {fee}"),))
    gold = GoldSet((question("q1", "What does it cost?", evidence=evidence("d", 0, fee)),))
    twin = one(lint(gold, corpus), "twin")
    assert "the same document at 21" in twin.message
    spans = twin.correction["evidence"][0]["spans"]
    assert [(s["doc"], s["start"], s["end"], s["quote"]) for s in spans] == [
        ("d", 0, 13, fee),
        ("d", 21, 34, fee),
    ]
    both = (Nugget(name="", spans=(*gold[0].evidence[0].spans, Quote(Span(DocId("d"), 21, 34), fee))),)
    mended = GoldSet((question("q1", "What does it cost?", evidence=both),))
    assert "twin" not in kinds(lint(mended, corpus))
    units = chunk(corpus, Sentences(size=20))
    assert [corpus["d"].text[u.start : u.end].strip() for u in units] == [fee, f"Later: {fee}"]
    names = [u.id for u in units]
    run = Run.of("s", {"q1": [(names[1], 2.0), (names[0], 1.0)]})
    values = [
        measure(align(one, units), [run], ["RR@10"]).measurement("s", "RR@10", "q1").value
        for one in (gold, mended)
    ]
    assert values == [0.5, 1.0]


def test_equal_and_near_equal_questions_are_named_with_their_lines():
    gold = GoldSet(
        (
            question("q1", "How many days of leave may be carried over?"),
            question("q2", "how many days of leave may be carried over"),
            question("q3", "How many days of leave may be carried forward then?"),
            question("q4", "Who signs the form?"),
        )
    )
    findings = lint(gold, file="gold.jsonl")
    same = one(findings, "same-text")
    assert (same.question, same.where) == ("q2", "gold.jsonl:2")
    assert "q1 (line 1)" in same.message
    assert {f.question for f in findings if f.kind == "near-text"} == {"q3"}


def test_leakage_across_the_splits_is_found_by_hashes_alone_and_shows_no_word_of_the_holdout():
    words = "How many days of annual leave may be carried into May?"
    hidden = veil(GoldSet((question("h1", words, cluster="leave"), question("h2", "Zebra crossing?"))), ())
    assert "Zebra" not in repr(hidden)
    assert "annual" not in repr(hidden)
    gold = GoldSet(
        (
            question("q1", "Zebra crossing"),
            question("q2", "How many days of annual leave may be carried into June?"),
            question("q3", "Who signs?", cluster="leave"),
        )
    )
    findings = lint(gold, holdout=hidden, file="gold.jsonl", holdout_file="gold.holdout.jsonl")
    leaks = {f.question: f for f in findings if f.kind == "leak"}
    assert leaks["q1"].severity == "error"
    assert leaks["q2"].severity == "warning"
    assert "h1" in leaks["q2"].message
    spanning = one(findings, "cluster-spans")
    assert (spanning.severity, spanning.question) == ("error", "q3")
    assert not any("Zebra" in str(f) or "annual" in str(f) for f in findings)


def test_a_question_id_in_both_splits_is_an_error():
    hidden = veil(GoldSet((question("q1", "Something else"),)), ())
    assert one(lint(GoldSet((question("q1", "Who signs?"),)), holdout=hidden), "leak").severity == "error"


def test_questions_in_the_words_of_a_document_are_named_with_it():
    text = "The keeper of the light must report a failure to the office within an hour."
    corpus = Corpus((Document(id=DocId("a"), text=text),))
    gold = GoldSet(
        (
            question("q1", "Must the keeper of the light report a failure?"),
            question("q2", "What if the keeper of the light must report a failure to the office?"),
        )
    )
    copied = one(lint(gold, corpus), "copied")
    assert copied.question == "q2"
    assert "'a'" in copied.message


def test_obsolete_sources_and_front_matter_are_named():
    text = "---\ntitle: Old fees\n---\nThe fee was 20 euros."
    corpus = Corpus(
        (
            Document(
                id=DocId("old"),
                text=text,
                body=24,
                status="obsolete",
                superseded_by=(DocId("new"),),
                kind="markdown",
            ),
        )
    )
    gold = GoldSet(
        (
            question("q1", "How much?", evidence=evidence("old", 24, "The fee was 20 euros.")),
            question("q2", "Which title?", evidence=evidence("old", 11, "Old fees")),
        )
    )
    findings = lint(gold, corpus)
    assert [f.question for f in findings if f.kind == "obsolete"] == ["q1", "q2"]
    assert "new" in one([f for f in findings if f.question == "q1"], "obsolete").mend
    assert one(findings, "front-matter").question == "q2"


def test_questions_that_no_unit_of_a_chunking_can_answer_are_counted_for_each_chunking():
    corpus = Corpus((Document(id=DocId("a"), text="x" * 30),))
    gold = GoldSet(
        (
            question("q1", "One?", evidence=evidence("a", 8, "xxxx")),
            question("q2", "Two?", evidence=evidence("a", 0, "xx")),
        )
    )
    hidden = veil(GoldSet((question("h1", "Three?", evidence=evidence("a", 9, "xxx")),)), ())
    chunkings = {
        "ten": Units.of(corpus, "ten", [(0, 0, 10), (0, 10, 20), (0, 20, 30)]),
        "whole": Units.of(corpus, "whole", [(0, 0, 30)]),
    }
    lost = [f for f in lint(gold, corpus, holdout=hidden, chunkings=chunkings) if f.kind == "unreachable"]
    assert sorted(f.message for f in lost) == [
        "chunking ten: 1 of 1 holdout questions have their evidence whole in no unit: h1",
        "chunking ten: 1 of 2 questions have their evidence whole in no unit: q1",
    ]


def test_needless_evidence_missing_types_and_provisional_questions_are_noted():
    gold = GoldSet(
        (
            question("q1", "One thing?", expect="clarify", evidence=evidence("a", 0, "x")),
            question("q2", "Another?", type="fact", origin="synthetic"),
            question(
                "q3",
                "A third?",
                type="fact",
                authoring=Authoring(model="m"),
                review=Review(status="accepted"),
            ),
        )
    )
    findings = lint(gold)
    assert one(findings, "needless-evidence").question == "q1"
    assert one(findings, "no-type").message == "1 question has no type: q1"
    assert (
        one(findings, "provisional").message == "1 question has been drafted by a model and not reviewed: q2"
    )


def test_a_clean_gold_set_has_no_findings():
    gold = GoldSet((question("q1", "Who signs?", type="fact", tags=("a",), cluster="c"),))
    assert lint(gold) == []


@pytest.mark.parametrize(
    "template", ["What is the fee for parking in zone {}?", "{} and nothing like it, {}"]
)
def test_five_thousand_questions_take_seconds(template):
    gold = GoldSet(tuple(question(f"q{i}", template.format(f"z{i}", f"y{i * 7}")) for i in range(5_000)))
    begun = time.process_time()
    lint(gold)
    assert time.process_time() - begun < 10


def test_every_place_of_another_document_is_offered_and_numbers_that_differ_are_no_twin():
    fee = "The fee is 3.5 euros a day."
    corpus = Corpus(
        (
            Document(id=DocId("a"), text=fee),
            Document(id=DocId("b"), text=f"Note. {fee} Later: {fee.upper()}"),
            Document(
                id=DocId("c"), text="The fee is 3,5 euros a day."
            ),  # other signs, the same word sequence
        )
    )
    gold = GoldSet((question("q1", "What is due?", evidence=evidence("a", 0, fee)),))
    twin = one(lint(gold, corpus), "twin")
    spans = twin.correction["evidence"][0]["spans"]
    assert [(s["doc"], s["start"]) for s in spans] == [("a", 0), ("b", 6), ("b", 41)]
    assert "'c'" not in twin.message
