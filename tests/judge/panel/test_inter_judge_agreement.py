"""Agreement within a panel, with people, and what each judge came to."""

from dataclasses import replace

import numpy as np
import pytest
from tests.judge.asked import call, shown

from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.comparisons import between_people
from evenhand.judge.calibration.paired_labels import cases_of, human_of, people_of
from evenhand.judge.calibration.panel_vs_people import against_people, best_of, grades_of_people
from evenhand.judge.calibration.rank_correlation import correlated
from evenhand.judge.calibration.text import calibration_words
from evenhand.judge.panel.families import kinship
from evenhand.judge.panel.inter_judge_agreement import cohesion
from evenhand.judge.panel.judge_summary import tally
from evenhand.judge.panel.labels import qrel_labels
from evenhand.judge.panel.majority import decisions
from evenhand.judge.panel.parse_reply import vote
from evenhand.judge.panel.positive_rate import decided_json
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.panel.text import cohesion_words
from evenhand.judge.sheets.built_in import CONTRIBUTION, SUFFICIENCY
from evenhand.labelling.desk.labels import judgements_of
from evenhand.model.label import Label
from evenhand.study.panel.section import people_next
from evenhand.study.panel.text import rate_words

YES_NO = brief_named("sufficiency")
JUDGES = ("a", "b", "c")


def voted(table, *, per_question=2, beside=None):
    """Votes of a table of 0, 1 and None (a fault), one row an item."""
    made, items = [], []
    for i, row in enumerate(table):
        item = shown(f"Text {i} says so in writing.", question=f"q{i // per_question}")
        items.append(item)
        for judge, grade in zip(JUDGES, row, strict=True):
            if grade is None:
                one = vote(call(text="", outcome="fault", why="reset"), YES_NO, item, judge=judge)
            else:
                data = {
                    "verdict": "yes" if grade else "no",
                    "contribution": beside or ("2" if grade else "1"),
                }
                one = vote(call(data), YES_NO, item, judge=judge, family=judge)
            made.append(one)
    return made, items


TABLE = [(1, 1, 1), (1, 0, 1), (0, 0, 0), (0, 0, 0), (1, None, 1), (1, None, 0), (0, 0, 1), (1, 1, 1)]


def test_numbers_by_hand():
    votes, _ = voted(TABLE)
    made = decisions(votes, YES_NO, judges=JUDGES)
    found = cohesion(made, YES_NO, judges=JUDGES)
    assert (found["items"], found["questions"], found["split"], found["undecided"]) == (8, 4, 2, 1)
    assert found["unanimity"]["value"] == pytest.approx(4 / 6)
    assert [pair["n"] for pair in found["pairs"]] == [6, 8, 6]
    by_hand = [5 / 6, 6 / 8, 4 / 6]
    assert [pair["agreement"]["value"] for pair in found["pairs"]] == pytest.approx(by_hand)
    assert found["pairwise"]["value"] == pytest.approx(np.mean(by_hand))
    assert found["pooled_pairwise"] == pytest.approx(15 / 20)
    assert found["no_skill"]["value"] == pytest.approx(4 / 7)  # decisions: 4 yes, 3 no, 1 none
    for name in ("unanimity", "pairwise", "fleiss", "alpha", "ac1", "no_skill"):
        assert found[name]["low"] is not None, name
        assert "cluster" in found[name]["method"], name
    assert found["alpha"]["scale"] == "nominal"


def test_a_panel_that_always_says_the_same_has_no_kappa_to_boast_of():
    votes, _ = voted([(1, 1, 1)] * 6)
    found = cohesion(decisions(votes, YES_NO), YES_NO, judges=JUDGES)
    assert found["unanimity"]["value"] == found["no_skill"]["value"] == 1.0
    assert found["fleiss"]["value"] is None
    assert found["alpha"]["value"] is None
    assert found["ac1"]["degenerate"]
    words = " ".join(cohesion_words(found))
    assert "not told (one answer throughout)" in words
    assert "no person has graded" in words


def test_six_items_on_which_all_agree_show_no_certainty():
    votes, _ = voted([(1, 1, 1), (0, 0, 0)] * 3, per_question=1)
    found = cohesion(decisions(votes, YES_NO), YES_NO, judges=JUDGES)
    for name in ("fleiss", "alpha", "ac1"):
        one = found[name]
        assert (one["value"], one["low"], one["high"]) == (1.0, None, None)
        assert one["no_interval"] == "no variation seen"
    for name in ("unanimity", "pairwise"):
        assert (found[name]["low"], found[name]["high"]) == (pytest.approx(0.61, abs=0.005), 1.0)
    assert found["pairs"][0]["kappa"]["no_interval"] == "no variation seen"
    words = " ".join(cohesion_words(found))
    assert "1.00]" not in words
    assert "AC1 1.00 (no interval: no variation seen)" in words


def test_one_judge_has_nobody_to_agree_with():
    votes = [one for one in voted(TABLE)[0] if one.judge == "a"]
    found = cohesion(decisions(votes, YES_NO, judges=("a",)), YES_NO, judges=("a",))
    assert "nobody" in found["reason"]
    assert "unanimity" not in found


def person(item, grade, sheet=SUFFICIENCY, by="human", judge="ann", *, month=1):
    return Label(
        question=item.question, doc=item.doc, start=item.start, end=item.end, text_sha256=item.text_sha256,
        judge=judge, by=by, grade=grade, sheet=sheet.seal, at=f"2026-0{month}-01T00:00:00Z",
        kind="cannot-tell" if grade is None else "grade",
    )  # fmt: skip


def test_the_best_single_judge_stands_beside_the_panel_and_splits_apart():
    votes, items = voted(TABLE)
    made = decisions(votes, YES_NO, judges=JUDGES)
    truth = [1, 0, 0, 0, 1, 1, 0, 1]
    people = grades_of_people([person(i, g) for i, g in zip(items, truth, strict=True)], YES_NO)
    found = against_people(made, people, YES_NO, judges=JUDGES)
    values = {one["judge"]: one["agreement"]["value"] for one in found["judges"]}
    assert values == pytest.approx({"a": 7 / 8, "b": 1.0, "c": 5 / 8})
    assert found["best"] == "b"
    assert found["panel"]["agreement"]["value"] == pytest.approx(6 / 7)
    assert found["given_unanimous"]["agreement"]["value"] == 1.0
    assert found["given_split"]["agreement"]["value"] == 0.5
    assert (found["undecided"], found["no_skill"]["value"]) == (1, 0.5)
    assert "the best single judge, b" in " ".join(cohesion_words({}, found))
    assert against_people(made, {}, YES_NO, judges=JUDGES) is None


def test_labels_under_the_sheet_beside_count_for_yes_and_no_and_others_do_not():
    _, items = voted(TABLE[:4])
    labels = [
        person(items[0], 2.0, CONTRIBUTION),
        person(items[1], 1.0, CONTRIBUTION),
        person(items[2], 3.0, brief_named("relevance").sheet),
        person(items[3], 1.0, by="panel", judge="panel"),
    ]
    assert grades_of_people(labels, YES_NO) == {items[0].item: 1.0, items[1].item: 0.0}
    ruled = [person(items[0], 0.0), person(items[0], 1.0, by="adjudicated", judge="eve")]
    assert grades_of_people(ruled, YES_NO) == {items[0].item: 1.0}


def test_what_a_person_said_last_stands_wherever_it_is_listed():
    _, (item, other, *_) = voted(TABLE[:4])
    newer, older = person(item, 1.0, month=3), person(item, 0.0, month=2)
    for labels in ([newer, older], [older, newer], [person(item, 1.0), newer, older]):
        assert grades_of_people(labels, YES_NO) == {item.item: 1.0}
        assert people_of(labels, YES_NO) == ({item.item: (1.0, "")}, 0)
        assert human_of(labels) == {item.item: (1.0, "")}
    taken_back = [person(item, 1.0), person(item, None, month=2)]
    for labels in (taken_back, taken_back[::-1]):
        assert grades_of_people(labels, YES_NO) == {}
        assert people_of(labels, YES_NO) == ({item.item: (None, "cannot-tell")}, 0)
    # what is said under another sheet, later or not, takes back nothing of this one
    beside = [person(item, None, month=2), person(item, 2.0, CONTRIBUTION, month=4)]
    assert people_of(beside, YES_NO) == ({item.item: (None, "cannot-tell")}, 0)
    elsewhere = person(other, 3.0, brief_named("relevance").sheet)
    assert people_of([*taken_back, elsewhere], YES_NO) == ({item.item: (None, "cannot-tell")}, 1)
    ruled = [newer, person(item, None, by="adjudicated", judge="eve", month=5)]
    ruled.append(person(item, 0.0, by="adjudicated", judge="max", month=4))
    assert grades_of_people(ruled, YES_NO) == {}
    assert judgements_of(ruled) == []


def test_two_people_are_compared_on_what_they_stand_by():
    _, items = voted(TABLE[:4])
    labels = [person(i, 1.0, judge=name) for i in items for name in ("ann", "ben")]
    labels.append(person(items[0], None, judge="ben", month=2))
    options = {"level": 0.95, "resamples": 50, "seed": 1}
    assert between_people(labels, {i.item: i.question for i in items}, 1.0, options)["n"] == 3
    assert correlated(labels, [])["people"][0]["pearson"]["n"] == 3


def test_of_judges_that_are_level_the_first_is_the_best_everywhere():
    votes, items = voted([(1, 1, 0), (0, 0, 1)] * 4)
    made = decisions(votes, YES_NO, judges=JUDGES)
    people = {i.item: float(k % 2 == 0) for k, i in enumerate(items)}
    found = against_people(made, people, YES_NO, judges=JUDGES)
    assert found["best"] == "a"
    cases = [
        replace(c, human=people[c.item])
        for c in cases_of(made, {i.item: i.question for i in items}, {}, asked=JUDGES)
    ]
    words = calibration_words(calibrate(cases, None, judges=JUDGES, resamples=20), withheld=False)
    assert any("The best judge alone, a," in sentence for sentence in words)
    assert best_of([("a", None)]) is None


def test_each_judge_has_its_row_with_failures_and_bounds():
    votes, _ = voted(TABLE)
    rows = tally(votes[:-1], YES_NO, judges=JUDGES, items=8)
    assert [row["judge"] for row in rows] == list(JUDGES)
    b, c = rows[1], rows[2]
    assert b["outcomes"] == {"verdict": 6, "fault": 2}
    assert b["grades"] == {"no": 4, "yes": 2}
    assert (b["rate"]["n"], b["rate"]["of"]) == (6, 8)
    assert (b["rate"]["point"], b["rate"]["bound_low"], b["rate"]["bound_high"]) == pytest.approx(
        (1 / 3, 0.25, 0.5)
    )
    assert c["outcomes"] == {"verdict": 7, "missing": 1}
    assert c["rate"]["of"] == 8


def test_a_rate_of_nothing_has_an_interval_with_width_at_the_level_asked_for():
    votes, _ = voted([(0, 0, 0)] * 8)
    wide, narrow = (
        tally(votes, YES_NO, judges=JUDGES, items=8, level=level)[0]["rate"] for level in (0.95, 0.8)
    )
    assert (wide["point"], wide["low"], wide["method"]) == (0.0, 0.0, "Wilson over clusters")
    assert 0.4 < wide["high"] < 0.5  # 0 of 4 questions
    assert 0 < narrow["high"] < wide["high"]
    assert decided_json(decisions(votes, YES_NO, judges=JUDGES), YES_NO, level=0.8)["rate"] == narrow


def test_a_panel_that_could_not_be_read_says_so_once():
    votes, _ = voted([(None, None, None)] * 2)
    made = decisions(votes, YES_NO, judges=JUDGES)
    assert cohesion_words(cohesion(made, YES_NO, judges=JUDGES))[0] == (
        "no item was graded by two judges: how far they agree is unknown"
    )
    found = decided_json(made, YES_NO)["rate"]
    assert rate_words(found) == "not known (nothing could be read); 0% to 100% of all 2"


def test_verdicts_at_odds_with_the_other_grade_are_counted():
    votes, _ = voted([(1, 1, 0)], beside="1")
    assert [row["at_odds"] for row in tally(votes, YES_NO, judges=JUDGES, items=1)] == [1, 1, 0]


def test_repeats_are_held_against_the_first_reply():
    votes, items = voted([(1, 1, 1), (0, 0, 0)])
    again = [vote(call({"verdict": "yes"}), YES_NO, item, judge="a", repeat=1) for item in items]
    row = tally([*votes, *again], YES_NO, judges=JUDGES, items=2)[0]
    assert row["again"] == {"n": 2, "same": 1}
    assert row["outcomes"] == {"verdict": 2}


def test_items_that_nobody_was_asked_about_are_undecided_counted_and_bounded():
    votes, items = voted([(1, 1, 1)] * 10)
    every = [*items, *(shown(question=f"later{i}") for i in range(90))]
    made = decisions(votes, YES_NO, judges=JUDGES, shown=every)
    assert [one.item for one in made] == sorted(one.item for one in every)
    told = decided_json(made, YES_NO)
    assert (told["items"], told["status"]) == (100, {"unanimous": 10, "undecided": 90})
    rate = told["rate"]
    assert (rate["n"], rate["of"], rate["bound_low"], rate["bound_high"]) == (10, 100, 0.1, 1.0)
    assert rate_words(rate).endswith("of 10 in 5 clusters; 10% to 100% of all 100")
    waits = people_next(made)
    assert waits["undecided"] == 90
    assert waits["items"][0]["question"].startswith("later")
    assert waits["items"][0]["unit"].startswith(f"{every[10].doc}#")
    nobody = decisions([], YES_NO, judges=JUDGES, shown=every)
    assert cohesion(nobody, YES_NO, judges=JUDGES)["undecided"] == 100


def test_decisions_are_counted_by_how_they_came_about():
    votes, _ = voted(TABLE)
    found = decided_json(decisions(votes, YES_NO, judges=JUDGES), YES_NO)
    assert found["status"] == {"unanimous": 4, "split": 2, "two_agree": 1, "undecided": 1}
    assert found["grades"] == {"no": 3, "yes": 4}
    assert (found["rate"]["bound_low"], found["rate"]["bound_high"]) == (0.5, 0.625)


def test_yes_and_no_become_grades_of_qrels_by_what_is_said_beside():
    votes, _ = voted([(1, 1, 1), (0, 0, 1), (0, 0, 0), (1, None, 0)])
    odd, _ = voted([(0, 0, 0)], beside="2")
    nothing = [vote(call({"verdict": "no"}), YES_NO, shown("None."), judge=judge) for judge in JUDGES]
    made = decisions([*votes, *nothing], YES_NO, judges=JUDGES)
    grades = {one.item: one.grade for one in qrel_labels(made, YES_NO)}
    assert sorted(grades.values()) == [0.0, 1.0, 1.0, 2.0]
    assert {label.sheet for label in qrel_labels(made, YES_NO)} == {CONTRIBUTION.seal}
    (capped,) = qrel_labels(decisions(odd, YES_NO, judges=JUDGES), YES_NO)
    assert capped.grade == 1.0  # "no" is never grade 2, whatever is said beside it
    assert qrel_labels(made, brief_named("claim")) == []


def test_families():
    told = kinship(
        {"a": "gpt", "b": "gpt", "c": ""}, {"embedder of dense": "gpt", "drafter of questions": "x"}
    )
    assert [one["kind"] for one in told] == ["same family", "family unknown", "judge of its own"]
    assert told[0]["count"] == 2
    assert "embedder of dense" in told[2]["text"]
    assert [one["kind"] for one in kinship({"a": "gpt", "b": "claude"}, {})] == ["few judges"]
    assert kinship({"a": "gpt", "b": "claude", "c": "qwen"}, {"reranker of best": "", "x": "llama"}) == []
