"""Retrieval good or bad × answer good or bad, and what stands behind each."""

import pytest

from evenhand.answer.checks.settings import Settings
from evenhand.answer.claims.pairs import pairs_of
from evenhand.answer.diagnosis.correctness import Known, Right, by_reference, rated_right, right, right_item
from evenhand.answer.diagnosis.diagnose import CELLS, Place, case, cells, rate
from evenhand.answer.diagnosis.evidence import given, rank_of_all
from evenhand.answer.diagnosis.sufficient_context import sufficient_table
from evenhand.metrics.catalogue.claims import claim_rates
from evenhand.model.answer import Finding, Generation, Item, Passage, Rating
from evenhand.model.gold import Nugget, Question, QuestionId, Quote
from evenhand.model.text import DocId, Span


def quote(doc, start, text):
    return Quote(span=Span(DocId(doc), start, start + len(text)), quote=text)


def question(*, expect="answer", reference="21 crowns a day", evidence=None, name="q1"):
    nuggets = (Nugget(name="price", spans=(quote("a.md", 100, "It costs 21 crowns a day."),)),)
    return Question(
        id=QuestionId(name),
        text="What does it cost?",
        expect=expect,
        reference=reference,
        evidence=nuggets if evidence is None else evidence,
        cluster=name,
    )


def passage(start=90, end=140, text="x", doc="a.md"):
    return Passage(unit="u", text=text, marker="1", doc=doc, start=start, end=end)


def made(text="It is 21 crowns a day [1].", *, state="made", expect="answer", **more):
    item = Item(topic="q1", kind="answer", text=text, system="s", **more)
    return Generation(
        topic="q1",
        ask="?",
        system="s",
        state=state,
        items=(item,) if state == "made" else (),
        expect=expect,
        why="why",
    )


# --- what the passages held -------------------------------------------------------------------------------


def test_evidence_is_held_by_place_and_words_elsewhere_do_not_count():
    assert given(question(), [passage()]).sufficient is True
    assert given(question(), [passage(90, 110)]).sufficient is False  # cut in the middle
    assert given(question(), [passage(doc="b.md", text="It costs 21 crowns a day.")]).sufficient is False


def test_passages_without_a_place_are_searched_for_the_words():
    loose = Passage(unit="u", text="Well:  It costs\n21 crowns a day.", marker="1")
    found = given(question(), [loose])
    assert (found.sufficient, found.placed) == (True, False)


def test_several_facts_must_all_be_held_and_one_of_alternative_spans_is_enough():
    two = (
        Nugget(name="a", spans=(quote("a.md", 0, "one"), quote("b.md", 0, "one"))),
        Nugget(name="b", spans=(quote("c.md", 0, "two"),)),
        Nugget(name="c", vital=False, spans=(quote("z.md", 0, "nice"),)),
    )
    asked = question(evidence=two)
    assert given(asked, [passage(0, 9, doc="b.md")]).held == (0,)
    assert given(asked, [passage(0, 9, doc="b.md"), passage(0, 9, doc="c.md")]).sufficient is True
    assert given(asked, [passage(0, 9, doc="b.md")], spans="any").sufficient is True
    assert rank_of_all(asked, "nuggets", [("x.md", 0, 9), ("a.md", 0, 9), ("c.md", 0, 9)]) == 3
    assert rank_of_all(asked, "nuggets", [("a.md", 0, 9)]) is None
    assert given(question(evidence=()), [passage()]).sufficient is None


# --- whether the answer is right --------------------------------------------------------------------------


def test_a_model_that_gave_nothing_is_wrong_and_a_fault_says_nothing():
    refused = right(made(state="refused"), question(), Known(), Settings())
    assert (refused.right, refused.did, refused.by) == (False, "failed", "state")
    fault = right(made(state="fault"), question(), Known(), Settings())
    assert (fault.right, fault.did) == (None, "fault")


@pytest.mark.parametrize(
    ("expect", "did", "good"),
    [
        ("abstain", "abstained", True),
        ("abstain", "answered", False),
        ("clarify", "asked-back", True),
        ("clarify", "abstained", False),
        ("answer", "abstained", False),
        ("answer", "asked-back", False),
    ],
)
def test_what_was_expected_decides_where_no_answer_was_given_or_none_should_be(expect, did, good):
    one = made(expect=expect)
    found = right(one, question(expect=expect), Known(did={one.items[0].id: did}), Settings())
    assert (found.right, found.by) == (good, "expectation")


def test_people_come_before_claims_and_claims_before_words():
    one = made()
    item = one.items[0].id
    by = [
        right(one, question(), known, Settings()).by
        for known in (Known(people={item: False}, claims={item: True}), Known(claims={item: True}), Known())
    ]
    assert by == ["people", "claims", "reference"]


def test_the_reference_asks_for_its_numbers_and_half_of_its_words():
    def judged(text, **more):
        return by_reference(made(text).items[0], question(**more), Settings(), "answered").right

    assert judged("21 crowns every day") is True
    assert judged("22 crowns a day") is False
    assert judged("It is 21.") is False
    assert judged("21 crowns a day", reference="") is True  # the evidence stands in
    assert judged("x", reference="", evidence=()) is None


def test_only_blind_ratings_of_people_count_and_a_draw_decides_nothing():
    def rating(said, *, rater="ann", blind=True, by="human", field="correct"):
        return Rating(item="i", rater=rater, given={field: said}, checks_shown_before_rating=not blind, by=by)

    assert rated_right([rating("yes")]) == {"i": True}
    assert rated_right([rating("yes", blind=False)]) == {}
    assert rated_right([rating("yes", by="model")]) == {}
    assert rated_right([rating("cannot-tell")]) == {}
    assert rated_right([rating("yes"), rating("no", rater="ben")]) == {"i": None}
    assert rated_right([rating("yes", field="useful")]) == {}


def test_a_study_item_is_good_when_people_accept_it_or_no_check_fails():
    item = Item(topic="t", kind="short-answer", text="?", answer="a", system="s")
    fails = [
        Finding(item=item.id, check="key-grounded", passed=False),
        Finding(item=item.id, check="x", passed=None),
    ]
    assert right_item(item, Known(findings={item.id: fails})).why == "fails key-grounded"
    assert right_item(item, Known(findings={item.id: fails}, people={item.id: True})).right is True
    assert right_item(item, Known()).right is None


# --- cells ------------------------------------------------------------------------------------------------


def found(*, good, did="answered", by="reference"):
    return Right(right=good, by=by, did=did, why="why")


def many():
    return [
        case(
            "q1",
            found(good=True),
            retrieval=True,
            place=Place(rank=1),
            cluster="a",
            expect="answer",
            closed=True,
        ),
        case(
            "q2",
            found(good=False),
            retrieval=True,
            place=Place(rank=2),
            cluster="a",
            expect="answer",
            closed=False,
            failed=("numbers-grounded",),
        ),
        case(
            "q3",
            found(good=True),
            retrieval=False,
            place=Place(rank=9),
            cluster="b",
            expect="answer",
            closed=True,
        ),
        case(
            "q4",
            found(good=False, did="abstained"),
            retrieval=False,
            place=Place(rank=9),
            cluster="c",
            expect="answer",
        ),
        case(
            "q5",
            found(good=False),
            retrieval=False,
            place=Place(reachable=False),
            cluster="d",
            expect="answer",
        ),
        case("q6", found(good=True), retrieval=None, cluster="e", expect="answer"),
        case("q7", found(good=None, did="fault"), retrieval=True, cluster="f", expect="answer"),
    ]


def test_each_case_has_its_cell_and_its_cause():
    told = {one.question: (one.cell, one.cause) for one in many()}
    assert told["q1"][0] == "working"
    assert told["q2"] == ("generation", "it states numbers that the passages it cites do not hold")
    assert told["q3"] == ("fragile", "the model knew it without any passage")
    assert told["q4"] == (
        "retrieval",
        "all evidence was ranked, below what was given, and it rightly did not answer",
    )
    assert told["q5"] == ("retrieval", "no units of this chunking hold the evidence whole")
    assert told["q6"][0] == told["q7"][0] == "undecided"


def test_shares_are_of_those_that_can_be_decided_and_cells_keep_everything():
    made = {one.name: one for one in cells(many())}
    assert list(made) == list(CELLS)
    assert sum(len(one.cases) for one in made.values()) == 7
    assert (made["retrieval"].share.k, made["retrieval"].share.n) == (2, 5)
    assert sum(made[name].share.k for name in ("working", "generation", "fragile", "retrieval")) == 5
    assert (made["fragile"].closed, made["fragile"].closed_n) == (1, 1)


def test_a_rate_knows_that_questions_of_one_cluster_are_alike():
    alone = rate(many(), lambda one: one.answer)
    assert (alone.k, alone.n, alone.clusters) == (3, 6, 5)
    assert alone.interval.low < 0.5 < alone.interval.high
    nothing = rate([], lambda one: one.answer)
    assert nothing.point is None
    assert nothing.interval.reason == "no items"


def test_fragile_without_a_closed_book_arm_leaves_the_cause_open():
    assert "luck" in case("q", found(good=True), retrieval=False, place=Place()).cause
    assert (
        case("q", found(good=True), retrieval=False, place=Place(), closed=False).cause
        == "other passages say it, or luck"
    )


def test_the_table_of_sufficient_context_counts_each_question_once():
    rows = [
        *many(),
        case("q8", found(good=True, did="abstained", by="expectation"), retrieval=None, expect="abstain"),
        case(
            "q9",
            found(good=False, did="failed", by="state"),
            retrieval=True,
            place=Place(rank=1),
            expect="answer",
        ),
    ]
    made = {row.name: row for row in sufficient_table(rows)}
    assert made["sufficient"].counts == {
        "right": 1,
        "wrong": 1,
        "abstained": 0,
        "failed": 1,
        "cannot be said": 0,
    }
    assert made["sufficient"].again == 1
    assert made["insufficient"].counts["abstained"] == 1
    assert (made["insufficient"].right.k, made["insufficient"].right.n) == (1, 3)
    assert made["no answer expected"].counts["right"] == 1


def test_a_reference_of_stop_words_alone_decides_nothing():
    asked = Question(id=QuestionId("q"), text="Is it?", reference="It is not.")
    found = by_reference(
        Item(topic="q", kind="answer", text="It is."), asked, Settings(language="en"), "answered"
    )
    assert found.right is None
    assert found.why == "the reference holds neither a number nor a content word"


def test_claims_of_an_answer_whose_passages_are_unknown_say_nothing_of_passages():
    asked = Question(
        id=QuestionId("q"),
        text="?",
        evidence=(Nugget(name="n", spans=(quote("a", 0, "abc"),)),),
    )
    item = Item(topic="q", kind="answer", text="It says so.")
    for passages, known in (((), False), ((Passage(unit="x", text="other"),), True)):
        one = Generation(topic="q", ask="?", system="s", items=(item,), passages=passages)
        pairs = pairs_of(one, asked)
        said = {shown.item: False for shown in pairs.shown()}
        rates = claim_rates(pairs.claimed(said))
        for name in ("faithfulness", "hallucination", "retrieved_recall", "self_knowledge"):
            assert (rates[name] is not None) == (known or name == "self_knowledge"), name
        assert rates["claim_precision"] == 0


def test_what_most_people_say_names_the_rule():
    item = Item(topic="q", kind="answer", text="x")
    asked = Question(id=QuestionId("q"), text="?", reference="x")
    one = Generation(topic="q", ask="?", system="s", items=(item,))
    for said, word in ((True, "most"), (False, "most"), (None, "as many")):
        found = right(one, asked, Known(people={item.id: said}), Settings())
        assert (found.right, found.why.split(" of those")[0]) == (said, word)


def test_evidence_is_not_held_by_a_passage_that_only_has_its_words_within_longer_ones():
    span = Quote(Span(DocId("d"), 0, 10), "5 days off")
    asked = Question(id=QuestionId("q"), text="?", evidence=(Nugget(name="n", spans=(span,)),))
    for text, held in (("You get 5 days  off.", (0,)), ("You get 15 days off.", ()), ("5 days offered", ())):
        assert given(asked, (Passage(unit="u", text=text),)).held == held
