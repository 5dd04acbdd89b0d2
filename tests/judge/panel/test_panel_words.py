"""What is said of a panel in numbers: clusters as clusters, one truth on who is strict, an interval to each."""

import pytest
from tests.judge.asked import call, shown
from tests.judge.calibrated import all_drawn, cases_from

from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.human_sample import draw
from evenhand.judge.calibration.numbers import numbers_of
from evenhand.judge.calibration.rate_bounds import bracket, direction_words, line_words, trust_words
from evenhand.judge.calibration.sample_size import planned, planned_words
from evenhand.judge.calibration.section import told_of
from evenhand.judge.calibration.text import calibration_words, next_words
from evenhand.judge.calibration.trust_thresholds import lines_of
from evenhand.judge.calibration.trust_verdict import trust
from evenhand.judge.panel.inter_judge_agreement import cohesion
from evenhand.judge.panel.majority import decisions
from evenhand.judge.panel.parse_reply import vote
from evenhand.judge.panel.positive_rate import decided_json
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.panel.text import cohesion_words
from evenhand.judge.panel.valid_votes import standing
from evenhand.labelling.desk.agreement import agreement
from evenhand.labelling.desk.agreement_text import figure, number_words, numbers_words
from evenhand.model.label import Label
from evenhand.model.plan.calibration_sample import Case
from evenhand.study.panel.text import contrary_votes, rate_words, warnings_of

YES_NO = brief_named("sufficiency")
JUDGES = ("a", "b", "c")
FAST = {"resamples": 200}


def grouped(panel, human, *, questions=2, clusters=8, **more):
    """Cases of which so many share a question, and so many a cluster."""
    return [
        Case(
            item=f"i{i:04}",
            question=f"q{i // questions}",
            cluster=f"c{i // clusters}",
            panel=a,
            status="unanimous",
            votes=(a,) * 3,
            human=b,
            **more,
        )
        for i, (a, b) in enumerate(zip(panel, human, strict=True))
    ]


def voted(table, *, per_question):
    """Votes of a table of 0 and 1, one row an item."""
    made = []
    for i, row in enumerate(table):
        item = shown(f"Text {i} says so in writing.", question=f"q{i // per_question}")
        made += [
            vote(call({"verdict": "yes" if grade else "no"}), YES_NO, item, judge=judge)
            for judge, grade in zip(JUDGES, row, strict=True)
            if grade is not None
        ]
    return made


# clusters are no questions


def test_a_sample_tells_its_questions_and_its_clusters():
    questions = {f"i{i}": f"q{i // 2}" for i in range(20)}
    clusters = {item: f"c{int(q[1:]) // 5}" for item, q in questions.items()}
    made = planned(draw(questions, 20, seed=1), clusters, half_width=0.1)
    assert (made["questions"], made["clusters"], made["per_cluster"]) == (10, 2, 10)
    said = planned_words(made)
    assert said[0] == "20 of 20 items, of 10 questions in 2 clusters."
    assert "if items of one cluster are alike" in said[3]
    plain = planned(draw(questions, 20, seed=1), {}, half_width=0.1)
    assert (plain["questions"], plain["clusters"]) == (10, 10)
    assert planned_words(plain)[0] == "20 of 20 items, of 10 questions."
    assert "if items of one question are alike" in planned_words(plain)[3]


def test_a_calibration_counts_questions_and_clusters_apart():
    cases = grouped([0.0] * 32, [1.0] * 16 + [0.0] * 16)
    made = calibrate(cases, all_drawn(cases), **FAST)
    for part in ("population", "sample", "direction"):
        assert (made[part]["questions"], made[part]["clusters"]) == (16, 4), part
    assert made["direction"]["p_by_cluster"] is not None
    assert "over 16 questions in 4 clusters)" in direction_words(made["direction"])


def test_agreement_of_people_counts_questions_and_clusters_apart():
    labels = [
        Label(
            question=f"q{i // 2}",
            doc="d",
            start=i,
            end=i + 1,
            text_sha256="0" * 64,
            judge=judge,
            grade=float(i % 2),
            by="human",
        )
        for i in range(16)
        for judge in ("ann", "ben")
    ]
    made = agreement(labels, clusters={f"q{i}": f"c{i // 4}" for i in range(8)}, resamples=200)
    assert (made["pairs"][0]["questions"], made["pairs"][0]["clusters"]) == (8, 2)
    assert "16 items of 8 questions in 2 clusters" in numbers_words(made)[0]


# who is strict is said once, by the items that both have


def lean(lenient, strict, *, undecided, yes_of_undecided=0):
    """Pairs that differ on both sides, and further items that people did not see."""
    panel = [1.0] * lenient + [0.0] * strict + [1.0, 0.0] * 10
    human = [0.0] * lenient + [1.0] * strict + [1.0, 0.0] * 10
    more = [float(i < yes_of_undecided) for i in range(undecided)]
    cases = cases_from(panel + more, human + [None] * undecided)
    sample = draw({case.item: case.cluster for case in cases}, len(cases), seed=1)
    return calibrate(cases, sample, **FAST)


def test_no_end_is_strict_where_the_pairs_do_not_decide_it():
    made = lean(6, 4, undecided=50, yes_of_undecided=5)
    assert made["panel_rate"]["value"] < made["human_rate"]["point"]  # over other items
    found = bracket(made)
    assert [end["end"] for end in found["ends"]] == [None, None]
    said = " ".join(found["sentences"])
    assert "strict, " not in said
    assert "loose" not in said
    assert "lenient" not in said
    assert "Which of the two is stricter is not decided: that may be chance (p 0.754)." in said


def test_ends_are_named_where_the_pairs_decide_and_the_rates_stand_so():
    found = bracket(lean(12, 0, undecided=0))
    assert [(end["who"], end["end"]) for end in found["ends"]] == [("panel", "loose"), ("people", "strict")]
    assert "The panel is more lenient; the lean is more than chance (p < 0.001)." in found["sentences"][1]
    odd = bracket(lean(12, 0, undecided=200))  # on all items the panel says yes less often than people here
    assert [end["end"] for end in odd["ends"]] == [None, None]
    assert "loose" not in odd["sentences"][0]
    assert "more lenient" in odd["sentences"][1]


# intervals


def test_few_clusters_are_told_beside_the_cohesion_and_the_rate():
    votes = voted([(1, 1, 1), (1, 0, 1), (0, 0, 0), (0, 0, 0)] * 4, per_question=4)
    made = decisions(votes, YES_NO, judges=JUDGES)
    rate = decided_json(made, YES_NO)["rate"]
    assert rate["clusters"] == 4
    assert rate_words(rate).endswith(" of 16 in 4 clusters")
    said = cohesion_words(cohesion(made, YES_NO, judges=JUDGES), None, rate)
    assert said[-1].startswith(
        "with 4 clusters of questions the truth is wider than these intervals: in simul"
    )
    enough = decisions(voted([(1, 1, 0)] * 24 + [(0, 0, 0)] * 24, per_question=2), YES_NO, judges=JUDGES)
    assert not any(
        "wider than these" in one for one in cohesion_words(cohesion(enough, YES_NO, judges=JUDGES))
    )
    assert "clusters" not in rate_words(decided_json(enough, YES_NO)["rate"])


def test_an_interval_of_no_width_is_none():
    flat = {"value": 1.0, "low": 1.0, "high": 1.0, "flags": ["few_clusters", "zero_width"], "clusters": 4}
    assert number_words(flat) == "1.00 (no interval: no variation seen)"
    assert number_words({**flat, "flags": ["few_clusters"], "low": 0.9}) == "1.00 [0.90, 1.00]"


def test_every_rate_of_a_calibration_has_its_interval():
    cases = cases_from([1.0, 0.0] * 20, [1.0, 0.0] * 15 + [0.0, 1.0] * 5, per_question=2)
    made = calibrate(cases, all_drawn(cases), judges=JUDGES, **FAST)
    end = bracket(made)["ends"][1]
    assert end["low"] <= end["value"] <= end["high"]
    assert bracket(made)["ends"][0]["low"] is None  # each cluster has one yes and one no: nothing varies
    said = " ".join(calibration_words(made, withheld=True))
    assert "the panel alone says 50% (no interval: no variation seen) of 40 items" in said
    assert "The best judge alone, a, agrees on 75% [60%, 86%] of 40 items." in said
    inner = made["panel"]
    for name in ("unanimity", "pairwise", "fleiss", "alpha", "ac1"):
        assert inner[name]["n"] == 40, name


def test_nothing_decided_is_told_in_words():
    votes = voted([(1, None, None)] * 2, per_question=1)
    made = decisions(votes, YES_NO, judges=JUDGES)
    assert not any("not defined" in one for one in cohesion_words(cohesion(made, YES_NO, judges=JUDGES)))
    pair = voted([(1, 0, None)] * 2, per_question=1)  # two against each other: no decision, and no three
    said = cohesion_words(cohesion(decisions(pair, YES_NO, judges=JUDGES), YES_NO, judges=JUDGES))
    assert "not defined" not in said[0]
    assert said[0].startswith("no item was graded by all judges; two of them agree on 0%")
    assert said[0].endswith("no item has a decision, of which one could be the commonest")


def test_rogan_and_gladen_without_a_label_say_that_there_is_none():
    cases = cases_from([1.0, 0.0] * 10, [None] * 20)
    made = calibrate(cases, all_drawn(cases), **FAST)
    row = next(one for one in made["rates"] if one["name"] == "Rogan-Gladen")
    assert row["reason"] == "no item has both a person's label and a decision of the panel"
    for name in ("sensitivity", "specificity", "precision"):
        assert made[name]["reason"] == "no labels", name


# words


def test_one_sign_for_less_than_nothing():
    assert [figure(x, ".2f") for x in (-0.3, -0.001, 0.5, 0.0)] == ["−0.30", "0.00", "0.50", "0.00"]
    assert (figure(-3, "+.0f"), figure(0.2, "+.0f"), figure(-0.2, ".0%")) == ("−3", "+0", "−20%")
    assert number_words({"value": -0.3, "low": -0.5, "high": 0.0}) == "−0.30 [−0.50, 0.00]"
    cases = cases_from([1.0, 0.0] * 20, [0.0, 1.0] * 20)
    made = calibrate(cases, all_drawn(cases), **FAST)
    held = trust(numbers_of(made), lines_of({})[0])
    kappa = next(row for row in held["lines"] if row["name"] == "kappa")
    assert line_words(kappa).startswith("G3 kappa with people −1.00")
    assert not any("-1" in one for one in trust_words(held))


def test_one_of_a_thing_is_told_in_the_singular():
    cases = cases_from([1.0, 0.0, None] + [0.0] * 7, [1.0, None, 0.0] + [0.0] * 7)
    told = told_of(cases, all_drawn(cases))
    texts = [one["text"] for one in told["warnings"] if one["count"] == 1]
    assert "a drawn item has no label of a person yet" in texts
    assert any("with its 1 undecided item)" in one for one in told["sentences"])
    assert any("1 drawn item has no grade: were it no, or yes, " in one for one in told["sentences"])
    assert "1 drawn item waits for a person: evenhand serve, or judge import" in next_words(
        told, told["trust"]
    )
    rows = [{"outcomes": {}, "lost": 1, "at_odds": 1}]
    words = {one["kind"]: one["text"] for one in warnings_of(standing([]), rows, [])}
    assert words["quotes lost"] == "a quote does not occur in the text it is said to be of"
    assert words["at odds"] == "a verdict contradicts the contribution given beside it"


# two grades for one thing


def test_a_contrary_vote_is_warned_of_and_a_repaired_one_is_not():
    item = shown("The text.")
    fault = vote(call(text="", outcome="fault", why="reset"), YES_NO, item, judge="a")
    yes, no = (vote(call({"verdict": word}), YES_NO, item, judge="a") for word in ("yes", "no"))
    assert contrary_votes(standing([fault, yes, fault]).contrary) == []  # what --retry-failed leaves
    assert contrary_votes(standing([yes, yes]).contrary) == []
    found = standing([yes, no])
    assert found.votes == (no,)
    (one,) = contrary_votes(found.contrary)
    assert (one["kind"], one["count"]) == ("contrary votes", 1)
    assert "a vote contradicts an earlier grade of the same judge and item" in one["text"]
    assert warnings_of(found, [], [])[0] == one


@pytest.mark.parametrize(("n", "word"), [(1, "contradicts"), (2, "contradict")])
def test_contrary_votes_are_counted(n, word):
    votes = [vote(call({"verdict": "no"}), YES_NO, shown(f"Text {i}."), judge="a") for i in range(n)]
    assert f" {word} an earlier grade" in contrary_votes(votes)[0]["text"]
