"""Human before alignment before panel."""

import hashlib

import pytest

from evenhand.errors import InputError
from evenhand.gold.align import align, sufficient
from evenhand.gold.merge_judgements import apply_judgements
from evenhand.model.gold import GoldSet, Nugget, Question, QuestionId, Quote
from evenhand.model.judging import Judgement
from evenhand.model.run import Qrels
from evenhand.model.text import Corpus, DocId, Document, Span, Units

TEXT = "The fee is 30 euros. Dogs are not allowed."
CORPUS = Corpus((Document(id=DocId("d"), text=TEXT),))
UNITS = Units.of(CORPUS, "test", [(0, 0, 20), (0, 10, 30), (0, 21, 42)])
GOLD = GoldSet(
    (
        Question(
            id=QuestionId("q"),
            text="?",
            evidence=(Nugget(name="", spans=(Quote(Span(DocId("d"), 11, 19), ""),)),),
        ),
        Question(
            id=QuestionId("r"),
            text="?",
            evidence=(Nugget(name="", spans=(Quote(Span(DocId("d"), 5, 25), ""),)),),
        ),
    )
)


def judge(start, end, grade, *, question="q", judge="ann", kind="human", text=None):
    words = TEXT[start:end] if text is None else text
    return Judgement(
        question=question,
        doc="d",
        start=start,
        end=end,
        text_sha256=hashlib.sha256(words.encode()).hexdigest(),
        grade=grade,
        judge=judge,
        kind=kind,
    )


def test_a_human_overrules_alignment_and_the_conflict_is_listed():
    qrels, conflicts = apply_judgements(align(GOLD, UNITS), [judge(0, 20, 0)])
    assert qrels.judged("q") == {"d#0-20": 0.0, "d#10-30": 2.0}
    assert qrels.label.tolist() == [0, 1]
    assert [(c.question, c.unit, c.human, c.aligned, c.grade) for c in conflicts] == [
        ("q", "d#0-20", 0.0, 2.0, 0.0)
    ]
    assert qrels.notes["conflicts"] == 1
    assert sufficient(qrels).tolist() == [0, 1]


def test_a_panel_yields_to_alignment_but_fills_what_nobody_labelled():
    panel = [judge(0, 20, 0, kind="panel"), judge(21, 42, 1, kind="panel")]
    qrels, conflicts = apply_judgements(align(GOLD, UNITS), panel)
    assert qrels.judged("q") == {"d#0-20": 2.0, "d#10-30": 2.0, "d#21-42": 1.0}
    assert qrels.label.tolist() == [1, 1, 2]
    assert len(conflicts) == 1


def test_covers_still_point_at_their_units_when_rows_come_in_between():
    before = align(GOLD, UNITS)
    extra = [judge(0, 20, 1, question="r"), judge(21, 42, 0)]
    after, _ = apply_judgements(before, extra)
    assert after.unit[after.covers[:, 0]].tolist() == before.unit[before.covers[:, 0]].tolist()


def test_a_judgement_counts_only_for_exactly_its_span_and_text():
    given = [judge(0, 20, 0, text="older words"), judge(0, 19, 0), judge(0, 20, 0, question="z")]
    qrels, conflicts = apply_judgements(align(GOLD, UNITS), given)
    assert qrels.judged("q") == {"d#0-20": 2.0, "d#10-30": 2.0}
    assert not conflicts
    assert {k: v for k, v in qrels.notes.items() if k.startswith("judgements")} == {
        "judgements_stale": 1,
        "judgements_elsewhere": 1,
        "judgements_unasked": 1,
    }


def test_a_judge_may_think_again_and_the_lower_median_of_judges_counts():
    given = [judge(21, 42, 2), judge(21, 42, 0), judge(21, 42, 2, judge="ben")]
    assert apply_judgements(align(GOLD, UNITS), given)[0].judged("q")["d#21-42"] == 0.0
    given += [judge(21, 42, 1, judge="cem")]
    assert apply_judgements(align(GOLD, UNITS), given)[0].judged("q")["d#21-42"] == 1.0


def test_a_relevant_unit_found_by_a_judge_makes_a_question_reachable():
    before = align(GOLD, UNITS)
    assert before.unreachable.tolist() == [False, True]
    after, _ = apply_judgements(before, [judge(0, 20, 2, question="r")])
    assert after.unreachable.tolist() == [False, False]
    still, _ = apply_judgements(before, [judge(0, 20, 0, question="r")])
    assert still.unreachable.tolist() == [False, True]


def test_judgements_need_units():
    with pytest.raises(InputError, match="need qrels of units"):
        apply_judgements(Qrels.of({"q": {"u": 1.0}}), [])


@pytest.mark.parametrize("grade", [float("nan"), float("inf")])
def test_a_grade_is_a_finite_number(grade):
    with pytest.raises(InputError, match="finite"):
        judge(0, 20, grade)
