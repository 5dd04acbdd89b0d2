"""Votes to decisions: failures stay failures, splits are named, what is undecided goes to people."""

import itertools

import pytest
from tests.judge.asked import call, shown

from evenhand.errors import InputError
from evenhand.judge.panel.labels import labels, single_labels
from evenhand.judge.panel.majority import decisions, rate
from evenhand.judge.panel.parse_reply import vote
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.panel.valid_votes import standing

YES_NO = brief_named("sufficiency")
GRADES = brief_named("contribution")
JUDGES = ("a", "b", "c")
WORD = {1: "yes", 0: "no"}


def voted(grades, question="q1", *, mode="", judges=JUDGES, evidence=()):
    """One item; a number is a verdict, a word the outcome of a call, None no vote at all."""
    made = []
    for judge, grade in zip(judges, grades, strict=True):
        if grade is None:
            continue
        if isinstance(grade, str):
            made.append(vote(call(text="", outcome=grade), YES_NO, shown(question=question), judge=judge))
        else:
            data = {"verdict": WORD[grade], "mode": mode, "evidence": list(evidence)}
            made.append(vote(call(data), YES_NO, shown(question=question), judge=judge))
    return made


def decide(grades, **more):
    (one,) = decisions(voted(grades, **more), YES_NO, judges=more.get("judges", JUDGES))
    return one.grade, one.status


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ((1, 1, 1), (1.0, "unanimous")),
        ((1, 0, 1), (1.0, "split")),
        ((1, "fault", 1), (1.0, "two_agree")),
        ((0, "refused", 0), (0.0, "two_agree")),
        ((1, "fault", 0), (None, "undecided")),
        ((1, "fault", "cut-off"), (None, "undecided")),
        ((1, None, 1), (1.0, "two_agree")),
        (("fault", "fault", "fault"), (None, "undecided")),
    ],
)
def test_three_judges(grades, expected):
    assert decide(grades) == expected
    for turned in itertools.permutations(grades):
        assert decide(turned) == expected


@pytest.mark.parametrize(
    ("judges", "grades", "expected"),
    [
        ("a", (1,), (1.0, "single")),
        ("a", ("fault",), (None, "undecided")),
        ("ab", (1, 1), (1.0, "unanimous")),
        ("ab", (1, 0), (None, "undecided")),
        ("ab", (1, "fault"), (None, "undecided")),
        ("abcd", (1, 1, 0, 0), (None, "undecided")),
        ("abcd", (1, 1, 1, 0), (1.0, "split")),
        ("abcd", (1, 1, "fault", "fault"), (None, "undecided")),
        ("abcde", (1, 1, "fault", 0, 1), (1.0, "split")),
        ("abcde", (1, 1, "fault", 1, "fault"), (1.0, "two_agree")),
    ],
)
def test_fewer_or_more_than_three(judges, grades, expected):
    assert decide(grades, judges=tuple(judges)) == expected


def test_grades_have_their_middle_and_kinds_the_most_frequent():
    def of(brief, words):
        made = [
            vote(call({"verdict": w}), brief, shown(), judge=j) for j, w in zip("abc", words, strict=True)
        ]
        (one,) = decisions(made, brief)
        return one.grade, one.status

    assert of(GRADES, "021") == (1.0, "split")
    assert of(GRADES, "225") == (2.0, "two_agree")
    assert of(GRADES, "205") == (None, "undecided")
    kinds = brief_named("question-type")
    assert of(kinds, ["factual", "procedural", "factual"]) == (4.0, "split")
    assert of(kinds, ["factual", "procedural", "comparative"]) == (None, "undecided")


def test_what_became_of_votes_is_kept_by_item():
    (one,) = decisions(voted((1, "refused", None)), YES_NO, judges=JUDGES)
    assert one.outcomes == {"verdict": 1, "refused": 1, "missing": 1}
    assert (one.valid, one.asked, len(one.votes)) == (1, 3, 2)


def test_the_way_to_fail_is_the_most_named_or_mixed():
    modes = ["partial", "partial", "outdated"]
    made = [
        vote(call({"verdict": "no", "mode": m}), YES_NO, shown(), judge=j)
        for j, m in zip("abc", modes, strict=True)
    ]
    assert decisions(made, YES_NO)[0].mode == "partial"
    assert decisions([made[0], made[2]], YES_NO)[0].mode == "mixed"
    assert decisions(voted((0, 0, 0)), YES_NO)[0].mode == ""


def test_a_later_vote_stands_but_a_fault_never_pushes_out_a_verdict():
    verdict, fault = voted((1, 0, 0))[0], voted(("fault", 0, 0))[0]
    assert standing([fault, verdict]).votes == (verdict,)
    assert standing([verdict, fault]).votes == (verdict,)
    changed = voted((0, 0, 0))[0]
    found = standing([verdict, changed])
    assert (found.votes, found.replaced) == ((changed,), 1)


def test_votes_of_other_sheets_prompts_models_and_judges_are_left_out_and_counted():
    ours = voted((1, 1, 1))
    graded = vote(call({"verdict": "2"}), GRADES, shown(), judge="a")
    assert standing([*ours, graded], sheet=YES_NO.sheet.seal).other_sheet == 1
    assert standing(ours, prompt="p" * 64).other_prompt == 3
    assert standing(ours, judges=("a", "b")).other_judge == 1
    moved = standing(ours, models={"a": "another", "b": "m" * 64})
    assert (len(moved.votes), moved.other_judge) == (2, 1)


def test_repeats_tell_of_noise_and_do_not_vote():
    again = vote(call({"verdict": "no"}), YES_NO, shown(), judge="a", repeat=1)
    assert decisions([*voted((1, 1, 0)), again], YES_NO)[0].grade == 1.0


def test_labels_of_the_panel_are_its_own_and_undecided_items_have_none():
    votes = voted((1, 1, 0), "q1", evidence=["in writing"]) + voted((1, "fault", 0), "q2")
    made = decisions(votes, YES_NO, judges=JUDGES)
    (label,) = labels(made, {shown().item: shown()})
    assert (label.by, label.judge, label.grade, label.comment) == ("panel", "panel", 1.0, "split")
    assert [mark.quote for mark in label.evidence] == ["in writing"]
    assert shown().text[label.evidence[0].start : label.evidence[0].end] == "in writing"
    names = [one.judge for one in single_labels(votes)]
    assert sorted(names) == ["a", "a", "b", "c", "c"]


def test_the_rate_is_over_what_has_a_grade_and_its_bounds_are_told():
    votes = voted((1, 1, 1), "q1") + voted((0, 0, 0), "q2") + voted((1, "fault", 0), "q3")
    found = rate(decisions(votes, YES_NO, judges=JUDGES), YES_NO)
    assert (found.mean, found.n, found.of) == (0.5, 2, 3)
    assert (found.low, found.high) == pytest.approx((1 / 3, 2 / 3))


def test_judges_named_twice_are_an_error():
    with pytest.raises(InputError, match="twice"):
        decisions(voted((1, 1, 1)), YES_NO, judges=("a", "a"))
