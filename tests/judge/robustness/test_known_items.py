"""The base set: people's grades first, evidence after, one item a question as long as questions last."""

from tests.judge.asked import shown

from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.robustness.known_items import base_set, known_of
from evenhand.model.gold import GoldSet, Nugget, Question, QuestionId, Quote
from evenhand.model.judging import EvidenceMark
from evenhand.model.label import Label
from evenhand.model.text import DocId, Span

BRIEF = brief_named("sufficiency")


def question(name, *spans, expect="answer"):
    evidence = tuple(
        Nugget(name=f"n{i}", spans=(Quote(Span(DocId("leave.md"), *span), "x" * (span[1] - span[0])),))
        for i, span in enumerate(spans)
    )
    return Question(id=QuestionId(name), text=f"{name}?", expect=expect, evidence=evidence)


def at(start, end, name="q1"):
    return shown(f"{name} {start} {end}".ljust(end - start, "."), start=start, end=end, question=name)


def labelled(item, grade, **more):
    fields = ("question", "doc", "start", "end", "text_sha256")
    return Label(**{name: getattr(item, name) for name in fields}, judge="ann", grade=grade, **more)


def test_evidence_says_what_answers_and_what_nothing_of_it_touches():
    gold = GoldSet((question("q1", (10, 20), (30, 40)), question("q2"), question("q3", expect="abstain")))
    items = [at(0, 50), at(0, 25), at(15, 22), at(50, 90), at(0, 50, "q2"), at(0, 50, "q3"), at(0, 50, "q9")]
    known = known_of(items, [], BRIEF, gold)
    assert [(one.shown.item, one.side, one.by) for one in known] == [
        (items[0].item, "answer", "evidence"),
        (items[3].item, "zero", "evidence"),
        (items[5].item, "zero", "evidence"),  # it has no answer anywhere
    ]
    assert known[0].spans == ((10, 20), (30, 40))
    graded = known_of(items, [], brief_named("contribution"), gold)
    assert [one.shown.item for one in graded if one.side == "answer"] == [items[0].item, items[1].item]


def test_people_stand_before_evidence_and_mark_where_the_answer_is():
    gold = GoldSet((question("q1", (10, 20)),))
    items = [at(0, 50), at(50, 90)]
    labels = [
        labelled(items[0], 0.0),
        labelled(items[1], 1.0, evidence=(EvidenceMark(start=2, end=6, quote="abcd"),)),
        labelled(at(0, 50), 1.0, by="panel"),
    ]
    known = known_of(items, labels, BRIEF, gold, ranks={items[1].item: 3})
    assert [(one.side, one.by, one.rank) for one in known] == [("zero", "people", 0), ("answer", "people", 3)]
    assert known[1].spans == ((2, 6),)
    assert known[0].spans == ()


def test_one_item_a_question_as_long_as_there_are_questions():
    gold = GoldSet(tuple(question(f"q{i}", (0, 5)) for i in range(10)))
    items = [at(100 * j, 100 * j + 50, f"q{i}") for i in range(10) for j in range(4)]
    known = known_of(items, [], BRIEF, gold, ranks={one.item: n for n, one in enumerate(items, 1)})
    base = base_set(known, n=15)
    assert len(base.zero) == 15
    assert len({one.shown.question for one in base.zero[:10]}) == 10
    assert len(base.answer) == 10
    assert base_set(known[::-1], n=15) == base  # whatever the order they come in
    near = {one.shown.question: one for one in base.near}
    assert len(near) == 10
    assert near["q3"].shown.start == 100  # the best ranked of grade 0 in the document with the answer
    assert base.counts()["zero"] == {"items": 15, "questions": 10, "there": 30, "evidence": 15}
