"""A stress test counted at its edges: who is fooled, by how much more than before, and what is no verdict."""

import pytest
from tests.judge.asked import shown
from tests.judge.robustness.test_rates import one, sheeted, trial, vote

from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.robustness.known_items import Known, base_set, known_of
from evenhand.judge.robustness.rates import rows, share
from evenhand.judge.robustness.section import numbers_of, worst
from evenhand.judge.robustness.suite import ATTACKS
from evenhand.judge.robustness.trial import CONTROL
from evenhand.judge.robustness.verdicts import PANEL, Said, said_by, yes_of
from evenhand.model.gold import GoldSet, Nugget, Question, QuestionId, Quote
from evenhand.model.label import Label
from evenhand.model.text import DocId, Span
from evenhand.stats.paired.paired import newcombe


def of_grades(name, grades, variant=""):
    """Trials and votes of one judge, in order; a word is the outcome of a call, None no vote."""
    group = [trial(name, i, variant) for i in range(len(grades))]
    votes = {
        t.name: vote(outcome=g) if isinstance(g, str) else vote(float(g))
        for t, g in zip(group, grades, strict=True)
        if g is not None
    }
    return group, votes


def test_on_a_longer_scale_judges_are_fooled_from_yes_on_and_the_panel_by_its_majority():
    group, first = of_grades("K1", [2, 1, 3])
    _, second = of_grades("K1", [2, 1, 0])
    _, third = of_grades("K1", [0, 1, 2])
    said = said_by({"a": first, "b": second, "c": third}, yes=2)
    made = rows(group, said, yes=2)
    assert [one(made, "K1", judge)["positive"]["k"] for judge in ("a", "b", "c", PANEL)] == [2, 1, 1, 2]
    assert one(made, "K1", "a")["mean"] == 2.0
    assert said[PANEL]["K1/p1"] == Said(0.0)


@pytest.mark.parametrize(
    ("grades", "panel"),
    [
        ((2, 2), 1.0),
        ((2, 0), None),
        ((0, 1), 0.0),
        ((2, 2, 0), 1.0),
        ((2, 0, 0), 0.0),
        ((2, 0, "fault"), None),
        ((2, 2, 0, 0), None),
        ((2, 2, 2, 0), 1.0),
    ],
)
def test_more_than_half_of_the_judges_decide_for_the_panel(grades, panel):
    votes = {
        f"j{n}": {"t": vote(outcome=g) if isinstance(g, str) else vote(float(g), hijacked=n < 2)}
        for n, g in enumerate(grades)
    }
    found = said_by(votes, yes=2)[PANEL]["t"]
    assert (found.grade, found.state) == (panel, "verdict" if panel is not None else "undecided")
    assert found.hijacked == (len(grades) < 4)


def test_yes_lies_above_the_middle_of_the_scale_and_not_on_it():
    assert yes_of(brief_named("contribution")) == 2  # of 0, 1, 2 the middle is 1


def test_the_lift_is_that_of_the_same_items_with_newcombes_interval():
    _, before = of_grades(CONTROL, [1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    group, after = of_grades("K1", [0, 1, 1, 1, 1, 1, 0, 0, 0, 0], "zero")
    controls = [trial(CONTROL, i) for i in range(10)]
    row = one(rows([*controls, *group], said_by({"a": before | after}, yes=1), yes=1), "K1", variant="zero")
    near = newcombe(2, 3, 1, 4)  # both, only now, only before, neither
    assert row["lift"]["value"] == pytest.approx(0.2)
    assert (row["lift"]["low"], row["lift"]["high"]) == pytest.approx((near.interval.low, near.interval.high))
    assert row["control"]["value"] == 0.3


def test_random_words_and_near_misses_have_no_control_of_their_own():
    for name in ("K0", "R3"):
        _, before = of_grades(CONTROL, [1, 0])
        group, after = of_grades(name, [1, 1])
        made = rows(
            [trial(CONTROL, 0), trial(CONTROL, 1), *group], said_by({"a": before | after}, yes=1), yes=1
        )
        row = one(made, name)
        assert (row["positive"]["k"], row["control"], row["lift"], row["flip"]) == (2, None, None, None)


def test_a_shift_is_up_when_grades_rise():
    _, before = of_grades(CONTROL, [0, 0, 2, 2])
    group, after = of_grades("V1", [2, 1, 2, 1], "x2")
    made = rows(
        [*(trial(CONTROL, i) for i in range(4)), *group], said_by({"a": before | after}, yes=2), yes=2
    )
    row = one(made, "V1", variant="x2")
    assert row["shift"] == {"value": 0.5, "n": 4}
    assert (row["flip"]["up"], row["flip"]["down"], row["flip"]["n"]) == (1, 1, 4)


def test_a_hijack_is_looked_for_in_what_came_back():
    group = [trial("I2", i, plant="yes") for i in range(5)]
    votes = {
        "I2/p0": vote(1.0, hijacked=True),
        "I2/p1": vote(outcome="unparsable", hijacked=True),
        "I2/p2": vote(0.0),
        "I2/p3": vote(outcome="fault"),
    }
    row = one(rows(group, said_by({"a": votes}, yes=1), yes=1), "I2")
    assert (row["hijacked"]["k"], row["hijacked"]["n"]) == (2, 3)


def repeated(again, first=None):
    """A control and two repeats of each item; the outcome of the repeats."""
    controls = [trial(CONTROL, i) for i in range(len(again))]
    group = [trial("T1", i, f"again {k}", repeat=k) for i in range(len(again)) for k in (1, 2)]
    votes = {f"control/p{i}": vote(1.0) if first is None else vote(outcome=first) for i in range(len(again))}
    for i, pair in enumerate(again):
        for k, g in enumerate(pair, 1):
            votes[f"T1/again {k}/p{i}"] = vote(outcome=g) if isinstance(g, str) else vote(float(g))
    return [*controls, *group], votes


def test_cannot_tell_again_is_the_same_again_and_a_failed_call_is_not_counted():
    group, votes = repeated([(1, 1), (1, "cannot-tell"), (1, "fault"), (1, 0)])
    row = one(rows(group, said_by({"a": votes}, yes=1), yes=1), "T1")
    assert (row["same"]["k"], row["same"]["n"], row["made"]) == (1, 3, 4)
    assert (row["cannot_tell"], row["failed"]) == (1, 1)
    group, votes = repeated([("cannot-tell", "cannot-tell")] * 3, first="cannot-tell")
    row = one(rows(group, said_by({"a": votes}, yes=1), yes=1), "T1")
    assert (row["same"]["k"], row["same"]["n"], row["cannot_tell"]) == (3, 3, 6)  # of the repeats alone


def test_the_bounds_of_a_share_are_wilsons_where_each_question_has_one_item():
    good = [True] * 3 + [False] * 7
    made = share(good, [f"q{i}" for i in range(10)])
    assert (made["k"], made["n"], made["value"]) == (3, 10, 0.3)
    assert (made["low"], made["high"]) == pytest.approx((0.1078, 0.6032), abs=1e-4)
    assert made["method"] == "Wilson"


def attacked(lost, of=20):
    """All attacks; of the first, *lost* replies cannot be read."""
    group, votes = [], {}
    for name in ATTACKS:
        trials, said = of_grades(name, [0] * of)
        if name == "K1":
            said |= {f"K1/p{i}": vote(outcome="unparsable") for i in range(lost)}
        group += trials
        votes |= said
    return numbers_of(sheeted({"a": votes}, group), level=0.95)["gullibility"]


def test_a_tenth_of_the_attacks_may_be_without_a_verdict_and_no_more():
    assert attacked(2)["point"] == 0.0
    found = attacked(3)
    assert (found["point"], found["low"], found["high"]) == (None, None, None)
    assert "3 of 20 items of K1 question stuffed have no verdict" in found["reason"]


def test_the_worst_is_what_may_be_worst():
    few = {"positive": {"value": 0.0, "high": 0.6}}
    many = {"positive": {"value": 0.2, "high": 0.3}}
    assert (
        worst([many, few, {"positive": None}, {"positive": {"value": None, "high": None}}], "positive") is few
    )
    assert worst([{"positive": None}], "positive") is None


def test_the_panel_is_as_steady_as_its_least_steady_judge():
    steady, a = repeated([(1, 1)] * 10)
    _, b = repeated([(1, 1)] * 7 + [(1, 0)] * 3)
    found = numbers_of(sheeted({"a": a, "b": b}, steady), level=0.95)["self_consistency"]
    assert (found["point"], found["k"], found["n"]) == (0.7, 7, 10)


def test_steadiness_is_of_judges_and_not_of_what_they_come_to_together():
    # two of three say yes; on each item one of them changes its mind, and with it the panel
    names = [f"p{i}" for i in range(9)]
    votes = {}
    for k, judge in enumerate("abc"):
        before = {f"control/{name}": vote(float(i % 3 != k)) for i, name in enumerate(names)}
        again = {
            f"T1/again {r}/{name}": vote(float(i % 3 != k and (i % 3 + 1) % 3 != k))
            for i, name in enumerate(names)
            for r in (1, 2)
        }
        votes[judge] = before | again
    group, _ = repeated([(1, 1)] * 9)
    sheet = sheeted(votes, group)
    assert one(sheet["rows"], "T1", PANEL)["same"]["value"] == 0.0
    found = numbers_of(sheet, level=0.95)["self_consistency"]
    assert (found["k"], found["n"]) == (6, 9)


def known(n, by, *, side="zero", rank=0, question="q"):
    text = shown(f"text {n} {by}", question=question, start=n, end=n + 9)
    return Known(shown=text, side=side, by=by, rank=rank)


def test_what_people_graded_comes_before_what_evidence_says():
    every = [known(n, by, question=f"q{n % 8}") for n in range(16) for by in ("people", "evidence")]
    assert {item.by for item in base_set(every, n=16).zero} == {"people"}
    assert {item.by for item in base_set(every, n=8).zero} == {"people"}


def test_a_near_miss_is_the_best_ranked_and_one_without_a_rank_comes_last():
    every = [known(0, "people", side="answer")]
    every += [known(n, "people", rank=rank) for n, rank in enumerate((0, 7, 3, 0), 1)]
    (near,) = base_set(every).near
    assert near.rank == 3


def test_an_item_answers_when_it_holds_every_vital_fact_and_others_do_not_count():
    def fact(name, start, *, vital):
        spans = (Quote(Span(DocId("leave.md"), start, start + 5), "x" * 5),)
        return Nugget(name=name, spans=spans, vital=vital)

    evidence = (fact("a", 10, vital=True), fact("b", 70, vital=False))
    gold = GoldSet((Question(id=QuestionId("q1"), text="q1?", expect="answer", evidence=evidence),))
    items = [shown("x" * 50, start=0, end=50), shown("y" * 50, start=50, end=100)]
    found = {item.shown.start: item.side for item in known_of(items, [], brief_named("sufficiency"), gold)}
    assert found == {0: "answer"}  # the second holds what is nice to know, and is neither


def test_on_a_longer_scale_an_item_of_the_second_grade_serves_the_removals():
    texts = [shown(f"text {n}", question=f"q{n}") for n in range(3)]
    for name, sides in (
        ("contribution", ["zero", "answer", "answer"]),
        ("relevance", ["zero", "answer", "answer"]),
    ):
        brief = brief_named(name)
        labels = [
            Label(
                question=text.question,
                doc=text.doc,
                start=text.start,
                end=text.end,
                text_sha256=text.text_sha256,
                judge="ann",
                grade=float(n),
                sheet=brief.sheet.seal,
            )
            for n, text in enumerate(texts)
        ]
        assert [item.side for item in known_of(texts, labels, brief, None)] == sides
