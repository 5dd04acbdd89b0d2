"""Spans × units → qrels, held to an oracle that looks at every pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.gold.align import align, sufficient
from evenhand.gold.nuggets import as_counted, as_nuggets
from evenhand.model.gold import GoldSet, Nugget, Question, QuestionId, Quote
from evenhand.model.run import Qrels
from evenhand.model.text import Corpus, DocId, Document, Span, Units

LENGTHS = {"a": 40, "b": 25, "c": 1}
CORPUS = Corpus(tuple(Document(id=DocId(name), text="x" * n) for name, n in LENGTHS.items()))


def quote(doc: str, start: int, end: int) -> Quote:
    return Quote(Span(DocId(doc), start, end), "")


def nugget(*spans: tuple[str, int, int], vital: bool = True) -> Nugget:
    return Nugget(name="", vital=vital, spans=tuple(quote(*span) for span in spans))


def question(name: str, *nuggets: Nugget, expect: str = "answer") -> Question:
    return Question(id=QuestionId(name), text=f"What of {name}?", expect=expect, evidence=nuggets)


def cut(*rows: tuple[int, int, int]) -> Units:
    return Units.of(CORPUS, "test", list(rows))


@st.composite
def a_span(draw):
    doc = draw(st.sampled_from(sorted(LENGTHS)))
    start = draw(st.integers(0, LENGTHS[doc] - 1))
    return doc, start, draw(st.integers(start + 1, min(LENGTHS[doc], start + 8)))


nuggets = st.builds(
    lambda spans, vital: nugget(*spans, vital=vital),
    st.lists(a_span(), min_size=1, max_size=3),
    st.booleans(),
)
gold_sets = st.builds(
    lambda evidence, spans: GoldSet(
        tuple(question(f"q{i}", *parts) for i, parts in enumerate(evidence)), spans
    ),
    st.lists(st.lists(nuggets, min_size=1, max_size=3), max_size=6),
    st.sampled_from(["any", "all", "nuggets"]),
)


@st.composite
def a_unit(draw):
    d = draw(st.integers(0, 2))
    length = [40, 25, 1][d]
    start = draw(st.integers(0, length - 1))
    return d, start, draw(st.integers(start + 1, length))


def oracle(gold: GoldSet, units: Units) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    for one in gold:
        counted = as_counted(one.evidence, gold.spans)
        grades[one.id] = {}
        for unit in units:
            held = [
                any(
                    s.span.doc == unit.doc and unit.start <= s.span.start and s.span.end <= unit.end
                    for s in n.spans
                )
                for n in counted
            ]
            if any(held):
                needed = all(h for h, n in zip(held, counted, strict=True) if n.vital)
                grades[one.id][unit.id] = 2.0 if needed else 1.0
    return grades


@settings(max_examples=150, deadline=None)
@given(gold_sets, st.lists(a_unit(), max_size=25))
def test_align_agrees_with_looking_at_every_pair(gold, rows):
    units = cut(*rows)
    qrels = align(gold, units)
    expected = oracle(gold, units)
    assert {q: qrels.judged(q) for q in qrels.questions} == expected
    assert list(qrels.unreachable) == [not expected[q] for q in qrels.questions]
    for i, name in enumerate(qrels.questions):
        codes = qrels.unit[qrels.offsets[i] : qrels.offsets[i + 1]]
        assert np.all(np.diff(codes) > 0)  # ascending within a question, no unit twice
        counted = as_counted(gold[name].evidence, gold.spans)
        low, high = qrels.nugget_offsets[i : i + 2]
        assert list(qrels.vital[low:high]) == [n.vital for n in counted]
    # covers says exactly which nuggets a unit holds
    owner = np.repeat(np.arange(len(qrels)), np.diff(qrels.offsets))
    said = {(int(owner[row]), int(qrels.unit[row]), int(n)) for row, n in qrels.covers}
    truth = {
        (i, u, n)
        for i, name in enumerate(qrels.questions)
        for n, part in enumerate(as_counted(gold[name].evidence, gold.spans))
        for u, unit in enumerate(units)
        if any(
            s.span.doc == unit.doc and unit.start <= s.span.start and s.span.end <= unit.end
            for s in part.spans
        )
    }
    assert said == truth
    assert set(qrels.label.tolist()) <= {1}
    assert len(qrels.label) == len(qrels.grade)


@settings(max_examples=50, deadline=None)
@given(gold_sets, st.lists(a_unit(), max_size=15))
def test_writing_the_way_of_counting_into_the_nuggets_changes_no_grade(gold, rows):
    units = cut(*rows)
    one, two = align(gold, units), align(as_nuggets(gold), units)
    assert {q: one.judged(q) for q in one.questions} == {q: two.judged(q) for q in two.questions}


def test_each_span_alone_is_enough_under_any():
    gold = GoldSet((question("q", nugget(("a", 0, 5)), nugget(("a", 20, 25))),), "any")
    assert align(gold, cut((0, 0, 10), (0, 10, 30), (0, 30, 40))).judged("q") == {
        "a#0-10": 2.0,
        "a#10-30": 2.0,
    }


def test_all_references_are_needed_under_all():
    gold = GoldSet((question("q", nugget(("a", 0, 5), ("a", 20, 25))),), "all")
    qrels = align(gold, cut((0, 0, 10), (0, 10, 30), (0, 0, 40)))
    assert qrels.judged("q") == {"a#0-10": 1.0, "a#0-40": 2.0, "a#10-30": 1.0}
    assert list(sufficient(qrels)) == [0, 1, 0]


def test_a_nugget_that_is_not_vital_gives_grade_1_but_is_not_needed_for_2():
    gold = GoldSet((question("q", nugget(("a", 0, 5)), nugget(("a", 20, 25), vital=False)),))
    assert align(gold, cut((0, 0, 10), (0, 10, 30))).judged("q") == {"a#0-10": 2.0, "a#10-30": 1.0}


def test_where_no_nugget_is_vital_all_are():
    gold = GoldSet((question("q", nugget(("a", 0, 5), vital=False), nugget(("a", 8, 9), vital=False)),))
    assert align(gold, cut((0, 0, 6), (0, 0, 10))).judged("q") == {"a#0-6": 1.0, "a#0-10": 2.0}


def test_evidence_cut_by_the_chunking_makes_a_question_unreachable():
    gold = GoldSet(
        (question("q", nugget(("a", 8, 12))), question("r", nugget(("a", 1, 2)), nugget(("b", 1, 2))))
    )
    qrels = align(gold, cut((0, 0, 10), (0, 10, 20), (1, 0, 25)))
    assert list(qrels.unreachable) == [True, False]
    assert qrels.notes == {"without_sufficient_unit": 1, "with_cut_nugget": 1, "not_answerable": 0}


def test_questions_that_expect_no_answer_are_left_out_and_counted():
    gold = GoldSet(
        (question("q", nugget(("a", 0, 1))), question("r", expect="abstain"), question("s", expect="clarify"))
    )
    qrels = align(gold, cut((0, 0, 10)))
    assert qrels.questions == ("q",)
    assert qrels.notes["not_answerable"] == 2


def test_the_same_words_at_another_place_do_not_count_b047():
    text = "Fee waived. Later: fee waived again."
    corpus = Corpus((Document(id=DocId("d"), text=text),))
    gold = GoldSet((Question(id=QuestionId("q"), text="?", evidence=(nugget(("d", 0, 10)),)),))
    qrels = align(gold, Units.of(corpus, "test", [(0, 0, 10), (0, 19, 29)]))
    assert qrels.judged("q") == {"d#0-10": 2.0}


def test_overlapping_units_that_hold_one_span_are_all_relevant_and_the_span_is_there_once_b045():
    gold = GoldSet((question("q", nugget(("a", 10, 16))),))
    qrels = align(gold, cut((0, 0, 20), (0, 8, 28), (0, 15, 30)))
    assert qrels.judged("q") == {"a#0-20": 2.0, "a#8-28": 2.0}
    assert qrels.evidence.tolist() == [[0, 0, 0, 10, 16]]


def test_evidence_outside_the_corpus_is_refused_not_counted_as_a_miss():
    for span in (("z", 0, 1), ("c", 0, 2)):
        with pytest.raises(InputError, match="outside the corpus"):
            align(GoldSet((question("q", nugget(span)),)), cut((0, 0, 10)))


def test_a_question_without_evidence_is_refused():
    with pytest.raises(InputError, match="1 questions expect an answer and have no evidence: q"):
        align(GoldSet((question("q"),)), cut((0, 0, 10)))


def test_grades_of_a_file_do_not_say_what_is_sufficient():
    assert list(sufficient(Qrels.of({"q": {"u": 2.0}}))) == [-1]


def test_many_spans_and_nested_units_stay_far_from_every_pair():
    n = 20_000
    corpus = Corpus((Document(id=DocId("d"), text="x" * n),))
    rows = [(0, 0, n), *((0, i, i + 2) for i in range(n - 1))]  # one unit over everything, nested ones below
    gold = GoldSet(tuple(question(f"q{i}", nugget(("d", i, i + 1))) for i in range(0, n - 1, 2)))
    qrels = align(gold, Units.of(corpus, "test", rows))
    assert (
        len(qrels.unit) == 3 * len(gold) - 1
    )  # each lies in the whole and in two small ones, the first in one
