"""Votes, decisions and what is made of them: which counts, which is the top, whose words are marked."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.judge.asked import shown

from evenhand.judge.calibration.overlap import calibration
from evenhand.judge.calibration.paired_labels import cases_of, human_of, people_of
from evenhand.judge.calibration.panel_vs_people import against_people, grades_of_people
from evenhand.judge.calibration.rank_correlation import correlated
from evenhand.judge.panel.families import kinship
from evenhand.judge.panel.inter_judge_agreement import cohesion
from evenhand.judge.panel.judge_summary import tally
from evenhand.judge.panel.labels import labels, qrel_labels, single_labels
from evenhand.judge.panel.majority import decisions, rate
from evenhand.judge.panel.positive_rate import rate_json
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.panel.valid_votes import standing
from evenhand.labelling.desk.adjudicate import split_by_panel
from evenhand.labelling.desk.labels import Results, grade_of, judgements_of
from evenhand.model.label import Label
from evenhand.model.vote import Vote

YES_NO = brief_named("sufficiency")
GRADES = brief_named("contribution")


def vote(judge, n, grade=None, outcome="", *, question="", brief=YES_NO, **more):
    text = shown(f"text {n}", question=question or f"q{n}")
    return Vote(
        question=text.question,
        doc=text.doc,
        start=text.start,
        end=text.end,
        text_sha256=text.text_sha256,
        judge=judge,
        sheet=brief.sheet.seal,
        outcome=outcome or ("verdict" if grade is not None else "fault"),
        grade=grade,
        **more,
    )


def label(judge, n, grade, by="human", **more):
    text = shown(f"text {n}", question=f"q{n}")
    more.setdefault("kind", "grade" if grade is not None else "cannot-tell")
    return Label(
        question=text.question,
        doc=text.doc,
        start=text.start,
        end=text.end,
        text_sha256=text.text_sha256,
        judge=judge,
        by=by,
        grade=grade,
        **more,
    )


def item(n):
    return shown(f"text {n}", question=f"q{n}").item


def test_a_rate_is_the_share_at_the_top_level_over_what_has_a_grade():
    given = [vote("a", n, g, brief=GRADES) for n, g in enumerate([2.0, 1.0, 1.0, 0.0])] + [vote("a", 9), None]
    made = rate_json(given, GRADES)
    assert (made["point"], made["n"], made["of"]) == (0.25, 4, 6)
    assert (made["bound_low"], made["bound_high"]) == pytest.approx((1 / 6, 3 / 6))
    assert made["low"] == pytest.approx(0.0456, abs=1e-4)  # Wilson, 1 of 4
    assert rate(given, GRADES, at_least=1.0).mean == 0.75
    # questions that belong together are resampled together, where they do
    groups = {f"q{n}": f"g{n // 2}" for n in range(10)}
    assert "clusters" in rate_json(given, GRADES, groups)["method"]
    assert "clusters" not in made["method"]


def test_a_row_of_the_tally_counts_first_votes_and_repeats_apart():
    votes = [
        vote("a", 0, 1.0, told={"evidence": ["x", "y"], "lost": 3, "mode_lost": 1, "contribution": 2.0}),
        vote("a", 1, 1.0, told={"contribution": 1.0}),  # yes, beside "not enough alone"
        vote("a", 2, 0.0, told={"contribution": 2.0}),  # no, beside "enough alone"
        vote("a", 3, 0.0, told={"contribution": 0.0, "lost": 1}),
        vote("a", 4),
        vote("a", 0, 1.0, repeat=1, told={"lost": 9}),
        vote("a", 1, 0.0, repeat=1),
        vote("a", 4, 1.0, repeat=1),
        vote("b", 0, 0.0),
    ]
    first, second = tally(votes, YES_NO, judges=("a", "b"), items=7)
    assert first["outcomes"] == {"verdict": 4, "fault": 1, "missing": 2}
    assert (first["quoted"], first["lost"], first["modes_lost"], first["at_odds"]) == (2, 4, 1, 2)
    assert first["again"] == {"n": 2, "same": 1}
    assert (first["rate"]["point"], first["rate"]["n"], first["rate"]["of"]) == (0.5, 4, 7)
    assert (second["items"], second["outcomes"]["missing"]) == (7, 6)


def test_the_last_vote_stands_and_a_fault_takes_the_place_of_none_but_a_fault():
    def stands(*given):
        (one,) = standing(given).votes
        return one.why or one.grade

    fault, later = vote("a", 0, why="first"), vote("a", 0, why="second")
    assert stands(fault, later) == "second"
    assert stands(fault, vote("a", 0, 1.0)) == 1.0
    assert stands(vote("a", 0, 1.0), fault) == 1.0
    assert stands(vote("a", 0, 1.0), vote("a", 0, 0.0)) == 0.0
    assert standing([fault, later, vote("a", 0, 1.0)]).replaced == 2
    found = standing(
        [vote("a", 0, 1.0, model="old"), vote("a", 1, 1.0, model="new"), vote("a", 2, 1.0)],
        models={"a": "new"},
    )
    assert (len(found.votes), found.other_judge) == (2, 1)
    found = standing([vote("a", 0, 1.0), vote("b", 0, 1.0)], judges=("a",), sheet=YES_NO.sheet.seal)
    assert (len(found.votes), found.other_judge, found.other_sheet) == (1, 1, 0)


def test_repeats_decide_nothing_and_are_no_labels():
    votes = [vote("a", 0, 1.0), vote("b", 0, 1.0), vote("a", 0, 0.0, repeat=1), vote("b", 0, 0.0, repeat=1)]
    (one,) = decisions(votes, YES_NO)
    assert (one.grade, one.status, one.valid) == (1.0, "unanimous", 2)
    beyond = [vote("a", 0, 1.0), vote("b", 0, 1.0), vote("c", 0, 7.0)]  # the sheet has no such grade
    assert [(one.status, one.valid) for one in decisions(beyond, YES_NO)] == [("two_agree", 2)]
    assert [made.grade for made in single_labels(votes)] == [1.0, 1.0]
    assert [made.judge for made in single_labels(votes, judges=("b",))] == ["b"]
    kinds = single_labels(
        [vote("a", 0, outcome="cannot-tell"), vote("a", 1), vote("a", 2, outcome="refused")]
    )
    assert [made.kind for made in kinds] == ["cannot-tell"]


def test_words_are_marked_of_those_who_decided_so_and_that_stand_in_the_text():
    text = shown("Leave is asked for in writing.", question="q0")

    def said(judge, grade, quotes):
        made = vote(judge, 0, grade, told={"evidence": quotes})
        return replace(made, doc=text.doc, start=text.start, end=text.end, text_sha256=text.text_sha256)

    votes = [
        said("a", 1.0, ["in writing", "no such"]),
        said("b", 1.0, ["Leave"]),
        said("c", 0.0, ["asked for"]),
    ]
    (made,) = labels(decisions(votes, YES_NO), {text.item: text})
    assert [(mark.start, mark.end, mark.quote) for mark in made.evidence] == [
        (0, 5, "Leave"),
        (19, 29, "in writing"),
    ]


@pytest.mark.parametrize(
    ("verdict", "beside", "grade"),
    [
        (1.0, (0.0, 0.0, 0.0), 2.0),
        (0.0, (2.0, 2.0, 2.0), 1.0),  # at most 1
        (0.0, (0.0, 1.0, 1.0), 1.0),
        (0.0, (0.0, 1.0, None), 0.0),  # the lower of the two in the middle
        (0.0, (None, None, None), 0.0),
    ],
)
def test_a_grade_of_qrels_beside_yes_and_no(verdict, beside, grade):
    votes = [vote(j, 0, verdict, told={"contribution": b}) for j, b in zip("abc", beside, strict=True)]
    (made,) = qrel_labels(decisions(votes, YES_NO), YES_NO)
    assert made.grade == grade
    dissent = [*votes[:2], vote("c", 0, 1.0 - verdict, told={"contribution": 1.0})]
    (made,) = qrel_labels(decisions(dissent, YES_NO), YES_NO)
    expected = {0.0: sorted(b for b in beside[:2] if b is not None)}
    assert made.grade == (2.0 if verdict else min(1.0, expected[0.0][0]) if expected[0.0] else 0.0)


def test_of_several_people_the_lower_median_stands_and_a_ruling_before_them():
    said = [label(name, 0, g) for name, g in zip("abcd", (0.0, 1.0, 2.0, 2.0), strict=True)]
    assert grade_of(said) == (1.0, "human")
    assert grade_of([*said, label("r", 0, 2.0, "adjudicated")]) == (2.0, "adjudicated")
    assert grade_of([*said, label("m", 0, 0.0, "panel")]) == (1.0, "human")
    open_ = [*said, label("r", 0, None, "adjudicated"), label("m", 0, 2.0, "panel")]
    assert grade_of(open_) == (2.0, "panel")  # left open by the ruling: people say nothing
    assert [one.kind for one in judgements_of(open_)] == ["panel"]
    skipped = [*said, label("r", 0, None, "adjudicated", kind="skip", reason="busy")]
    assert grade_of(skipped) == (1.0, "human")


def test_the_last_ruling_stands_by_its_time_and_a_skipped_one_is_none():
    def ruling(desk, at, kind="grade"):
        return SimpleNamespace(
            desk=desk, number=1, item=SimpleNamespace(id="i"), entry=SimpleNamespace(at=at, kind=kind)
        )

    early, late = ruling("b", "2026-11-30T08"), ruling("a", "2026-11-30T09")
    skipped = ruling("c", "2026-11-30T10", "skip")
    for given in ((early, late, skipped), (skipped, late, early)):
        assert Results(None, (), (), given, {}, {}).ruled == {"i": late}


def test_what_people_said_of_an_item_when_they_gave_no_grade():
    skip = {"kind": "skip", "reason": "busy"}
    given = [
        label("a", 0, None, **skip), label("b", 0, None),
        label("a", 1, None, **skip),
        label("a", 2, None), label("b", 2, 1.0),
        label("m", 3, 1.0, "panel"),
    ]  # fmt: skip
    assert human_of(given) == {item(0): (None, "cannot-tell"), item(1): (None, "skip"), item(2): (1.0, "")}


def test_labels_under_the_sheet_beside_count_for_yes_and_no_and_those_of_others_are_counted():
    own, other = YES_NO.sheet.seal, YES_NO.beside.seal
    given = [
        label("a", 0, 2.0, sheet=other),
        label("a", 1, 1.0, sheet=other),
        label("a", 2, 1.0, sheet=own),
        label("a", 3, 0.0),
        label("a", 4, 1.0, sheet="another"),
        label("a", 5, 1.0, sheet=own), label("b", 5, 1.0, sheet=other),
        label("a", 6, 2.0),  # no grade of this sheet
    ]  # fmt: skip
    assert grades_of_people(given, YES_NO) == {
        item(0): 1.0,
        item(1): 0.0,
        item(2): 1.0,
        item(3): 0.0,
        item(5): 1.0,
    }
    found, elsewhere = people_of(given, YES_NO)
    assert elsewhere == 2
    assert set(found) == {item(n) for n in (0, 1, 2, 3, 5)}


def test_a_case_is_drawn_and_counted_in_the_stratum_of_how_it_was_decided():
    votes = [vote(j, 0, 1.0) for j in "abc"]
    votes += [vote("a", 1, 1.0), vote("b", 1, 1.0), vote("c", 1, outcome="cannot-tell")]
    votes += [vote("a", 2, 1.0), vote("b", 2, 1.0), vote("c", 2, 0.0)]
    votes += [vote("a", 3, 1.0), vote("b", 3, 0.0), vote("c", 3)]
    questions = {item(n): f"q{n}" for n in range(5)}
    made = cases_of(
        decisions(votes, YES_NO, judges="abc"),
        questions,
        {item(1): (0.0, "")},
        clusters={"q0": "g"},
        asked="abc",
    )
    by = {one.item: one for one in made}
    assert [by[item(n)].status for n in range(5)] == ["unanimous", "split", "split", "undecided", "undecided"]
    assert [by[item(n)].abstained for n in range(5)] == [0, 1, 0, 0, 0]
    assert [by[item(n)].votes for n in (1, 3, 4)] == [(1.0, 1.0, None), (1.0, 0.0, None), (None,) * 3]
    assert (by[item(0)].cluster, by[item(1)].cluster, by[item(1)].human) == ("g", "q1", 0.0)


def test_a_panel_is_split_where_answers_differ_and_a_skip_is_no_answer():
    said = [label("a", 0, 1.0, "panel"), label("b", 0, 0.0, "panel"), label("a", 1, 1.0, "panel")]
    said += [
        label("b", 1, None, "panel", kind="skip", reason="x"),
        label("h", 1, 0.0),
        label("a", 2, 1.0, "panel"),
    ]
    assert split_by_panel(said) == {item(0)}
    assert split_by_panel([*said, label("b", 2, None, "panel")]) == {item(0), item(2)}


def test_panel_and_judges_beside_people_by_how_it_was_decided():
    grades = {
        0: (1, 1, 1),
        1: (0, 0, 0),
        2: (1, 1, 0),
        3: (0, 0, 1),
        4: (1, 0, None),
        5: (1, 1, None),
        9: (1, 0, None),
    }
    votes = [
        vote(j, n, float(g))
        for n, of in grades.items()
        for j, g in zip("abc", of, strict=True)
        if g is not None
    ]
    people = {item(n): y for n, y in ((0, 1.0), (1, 1.0), (2, 0.0), (3, 0.0), (4, 1.0), (5, 1.0))}
    made = against_people(
        decisions(votes, YES_NO, judges="abc"), people, YES_NO, judges=("a", "b", "c"), resamples=50
    )
    assert (made["items"], made["questions"], made["undecided"]) == (6, 6, 1)
    assert (made["panel"]["agreement"]["value"], made["panel"]["agreement"]["n"]) == (0.6, 5)
    assert (made["given_unanimous"]["agreement"]["value"], made["given_unanimous"]["agreement"]["n"]) == (
        0.5,
        2,
    )
    assert (made["given_split"]["agreement"]["value"], made["given_split"]["agreement"]["n"]) == (0.5, 2)
    told = {one["judge"]: one["agreement"]["value"] for one in made["judges"]}
    assert told == {"a": pytest.approx(4 / 6), "b": pytest.approx(3 / 6), "c": pytest.approx(2 / 4)}
    assert made["best"] == "a"
    assert made["no_skill"]["value"] == pytest.approx(4 / 6)
    assert made["panel"]["agreement"]["clusters"] is None
    grouped = against_people(
        decisions(votes, YES_NO, judges="abc"),
        people,
        YES_NO,
        judges=("a",),
        clusters={"q0": "g", "q1": "g"},
        resamples=50,
    )
    assert grouped["panel"]["agreement"]["clusters"] == 4


def test_alpha_is_ordinal_for_grades_and_nominal_for_yes_and_no():
    for brief, kind in ((GRADES, "ordinal"), (YES_NO, "nominal")):
        votes = [vote(j, n, float((n + k) % 2), brief=brief) for n in range(6) for k, j in enumerate("ab")]
        votes += [vote("a", 7, 1.0, brief=brief), vote("b", 7, brief=brief)]
        made = cohesion(decisions(votes, brief), brief, judges=("a", "b"), resamples=50)
        assert made["alpha"]["scale"] == kind
        assert (made["items"], made["pairs"][0]["n"], made["pairs"][0]["agreement"]["value"]) == (7, 6, 0.0)
        assert made["pairwise"]["clusters"] is None
        grouped = cohesion(
            decisions(votes, brief), brief, judges=("a", "b"), clusters={"q0": "q1"}, resamples=50
        )
        assert (grouped["clusters"], grouped["questions"]) == (6, 7)


def test_three_of_three_families_are_a_panel_and_two_are_few():
    apart = {"a": "x", "b": "y", "c": "z"}
    assert kinship(apart, {}) == []
    assert [one["kind"] for one in kinship({"a": "x", "b": "y"}, {})] == ["few judges"]
    (same,) = kinship({**apart, "b": "x"}, {})
    assert (same["kind"], same["count"]) == ("same family", 2)
    (own,) = kinship(apart, {"embedder of dense": "z", "drafter": "w", "other": ""})
    assert (own["kind"], own["count"]) == ("judge of its own", 1)
    (unknown,) = kinship({**apart, "b": ""}, {"drafter": ""})
    assert unknown["kind"] == "family unknown"


def test_scores_are_held_against_each_persons_grade_and_lost_ones_are_counted():
    said = [label("ann", n, g) for n, g in enumerate([0.0, 1.0, 2.0, 3.0])]
    said += [label("ben", n, g) for n, g in enumerate([0.0, 2.0, 1.0])] + [
        label("cat", 9, 1.0, "adjudicated")
    ]
    votes = [vote("m", n, g) for n, g in enumerate([0.1, 0.2, 0.3])] + [
        vote("m", 3),
        vote("m", 0, 0.9, repeat=1),
    ]
    made = correlated(said, votes)
    (one,) = made["machines"]
    assert (one["lost"], one["items"], one["n"]) == (1, 3, 6)
    # 0.1, 0.2, 0.3 twice, against 0 1 2 and 0 2 1: sums of squares 4 x 1 and 4 in steps of one
    assert one["pearson"]["value"] == pytest.approx(3 / 4)
    (pair,) = made["people"]
    assert (pair["people"], pair["n"], pair["pearson"]["value"]) == (["ann", "ben"], 3, 0.5)


def panelled(human, judge):
    return [label("ann", n, y) for n, y in enumerate(human)] + [
        label("m", n, f, "panel") for n, f in enumerate(judge)
    ]


def test_what_is_left_of_the_human_label_is_what_the_judge_does_not_say():
    human, judge = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    pairs = {f"q{n}": f"g{n // 2}" for n in range(8)}
    (row,) = calibration(panelled(human, judge), clusters=pairs)
    assert (row["lenient"], row["strict"], row["bias"]) == (2, 1, 0.125)
    assert (row["questions"], row["clusters"]) == (8, 4)
    # slope: cov / var f = (2/8 - 3/8 * 4/8) / (1/4)
    slope = (2 / 8 - 3 / 8 * 4 / 8) / (4 / 8 * 4 / 8)
    rest = [y - slope * f for y, f in zip(human, judge, strict=True)]
    mean = sum(rest) / 8
    means = [(rest[i] + rest[i + 1]) / 2 for i in range(0, 8, 2)]
    between = 2 * sum((m - mean) ** 2 for m in means) / 3
    within = sum((x - means[i // 2]) ** 2 for i, x in enumerate(rest)) / 4
    assert row["icc"]["value"] == pytest.approx((between - within) / (between + within))
    # a judge that says the opposite is not listened to
    (row,) = calibration(panelled(human, [1.0 - f for f in human]), clusters=pairs)
    assert row["icc"] == row["icc_alone"]
    wide, narrow = (calibration(panelled(human, judge), level=level)[0]["phi"] for level in (0.99, 0.8))
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]
