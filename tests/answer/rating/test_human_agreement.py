"""Checks, people and models beside each other: blind ratings alone, topics resampled whole, degenerate cases told."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.rubric_house import LEASE, answers, passages, study_items

from evenhand.answer.checks.run_checks import CHECKS
from evenhand.answer.rating.corrected_rate import people_rate
from evenhand.answer.rating.human_agreement import ALL, FIELD_OF, agreement
from evenhand.answer.rating.model_rater import asked_faithful, model_ratings
from evenhand.answer.rating.paired_labels import beside
from evenhand.judge.panel.parse_reply import vote
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.model.answer import RATED, Citation, Finding, Generation, Item, Rating
from evenhand.model.call import Call, Reply
from evenhand.stats.agreement.raw_agreement import kappa_by_topic
from evenhand.stats.intervals.proportion import wilson, wilson_design_effect
from evenhand.stats.prediction_powered.designs import ppi_stratified
from evenhand.stats.prediction_powered.samples import ppi_clustered

FEW = {"resamples": 300}


def items_of(generations):
    return [item for one in generations for item in one.items]


def findings(items, passed, check="numbers-grounded"):
    return [Finding(item=item.id, check=check, passed=yes) for item, yes in zip(items, passed, strict=True)]


def ratings(items, said, rater="ann", field="faithful", **more):
    return [
        Rating(item=item.id, rater=rater, given={field: word}, **more)
        for item, word in zip(items, said, strict=True)
        if word
    ]


def row_of(made, check="numbers-grounded", field="faithful"):
    (row,) = [one for one in made["checks"] if (one["check"], one["field"]) == (check, field)]
    return row


TEN = answers(10)
CHECK = [True, True, True, False, False, True, False, True, None, True]
PEOPLE = ["yes", "yes", "yes", "no", "no", "no", "yes", "cannot-tell", "yes", "yes"]


def test_a_check_beside_people_is_the_four_fold_table():
    items = items_of(TEN)
    row = row_of(agreement(TEN, findings(items, CHECK), ratings(items, PEOPLE), **FEW))
    assert row["table"] == [["yes", "yes", 4], ["yes", "no", 1], ["no", "yes", 1], ["no", "no", 2]]
    assert (row["n"], row["topics"], row["undecided"], row["cannot_tell"]) == (8, 8, 1, 1)
    near = wilson(6, 8)
    assert (row["raw"]["value"], row["raw"]["low"]) == (0.75, pytest.approx(near.low))
    assert row["sensitivity"]["value"] == pytest.approx(2 / 3)  # faults found
    assert row["specificity"]["value"] == pytest.approx(4 / 5)  # rightly let pass
    assert row["p_yes"]["value"] == pytest.approx(8 / 10)
    assert row["p_no"]["value"] == pytest.approx(4 / 6)
    both = [(c, p) for c, p in zip(CHECK, PEOPLE, strict=True) if c is not None and p != "cannot-tell"]
    kappa = kappa_by_topic(
        ["yes" if c else "no" for c, _ in both], [p for _, p in both], list(range(8)), resamples=300
    )
    assert row["kappa"]["value"] == pytest.approx(kappa.kappa)
    assert (row["kappa"]["low"], row["kappa"]["high"]) == pytest.approx(
        (kappa.interval.low, kappa.interval.high)
    )
    assert row["kappa"]["undefined"] == kappa.undefined
    assert row["kappa"]["resamples"] == 300


def test_only_blind_ratings_are_compared_and_the_others_are_counted():
    items = items_of(TEN)
    blind = ratings(items[:5], PEOPLE[:5])
    shown = ratings(items[5:], PEOPLE[5:], checks_shown_before_rating=True)
    with_, without = (agreement(TEN, findings(items, CHECK), each, **FEW) for each in (blind + shown, blind))
    assert row_of(with_) == row_of(without)
    assert with_["unblind"] == {"faithful": 5}
    assert next(one["kind"] for one in with_["warnings"]) == "checks-shown-before-rating"
    assert with_["raters"] == [{"rater": "ann", "by": "human", "ratings": 10, "blind": 5}]
    only = agreement(TEN, findings(items, CHECK), shown, **FEW)
    assert row_of(only)["n"] == 0
    assert only["fields"][0]["blind"] is None
    assert only["sentences"][0].startswith("No item was rated blind")


def test_b_a_field_after_the_checks_is_reported_and_not_compared():
    items = items_of(TEN)
    late = [
        Rating(
            item=item.id, rater="ann", given={"faithful": "yes", "correct": "no"}, after_checks=("correct",)
        )
        for item in items
    ]
    made = agreement(TEN, findings(items, CHECK, "abstention"), late, **FEW)
    assert [one["field"] for one in made["checks"] if one["check"] == "abstention"] == ["faithful"]
    (correct,) = [one for one in made["fields"] if one["field"] == "correct"]
    assert (correct["no"], correct["after_checks"], correct["blind"]) == (10, 10, None)
    assert correct["given"]["point"] == 0.0
    assert "checks on screen in 10" in made["numbers"]["people_correct"]["method"]
    blind = [Rating(item=one.item, rater="ann", given=one.given) for one in late]
    made = agreement(TEN, findings(items, CHECK, "abstention"), blind, **FEW)
    assert row_of(made, "abstention", "correct")["n"] == 9


@pytest.mark.parametrize(
    ("check", "people", "who"),
    [([True] * 10, PEOPLE, "numbers-grounded said yes"), (CHECK, ["no"] * 10, "people said no")],
)
def test_where_one_side_is_constant_there_is_no_kappa_and_it_says_who(check, people, who):
    items = items_of(TEN)
    made = agreement(TEN, findings(items, check), ratings(items, people), **FEW)
    row = row_of(made)
    assert row["kappa"]["value"] is None
    assert row["kappa"]["degenerate"]
    assert who in row["kappa"]["reason"]
    assert row["raw"]["value"] is not None
    assert made["numbers"]["numbers_grounded_kappa"]["point"] is None
    assert who in made["numbers"]["numbers_grounded_kappa"]["reason"]
    assert "degenerate-kappa" in [one["kind"] for one in made["warnings"]]


def test_topics_are_resampled_whole():
    generations = [study_items(f"t{i}") for i in range(6)]
    items = items_of(generations)
    passed = [item.number != 2 for item in items]
    said = ["no" if item.number == 2 or (item.number == 1 and item.topic < "t3") else "yes" for item in items]
    row = row_of(agreement(generations, findings(items, passed), ratings(items, said), **FEW))
    assert (row["n"], row["topics"]) == (18, 6)
    assert row["raw"]["method"] == "percentile bootstrap over clusters"
    found = kappa_by_topic(
        ["yes" if yes else "no" for yes in passed], said, [item.topic for item in items], resamples=300
    )
    assert row["kappa"]["low"] == pytest.approx(found.interval.low)


def test_two_people_are_compared_where_both_were_blind_and_neither_is_the_truth():
    items = items_of(TEN)
    ann, ben = ratings(items, PEOPLE), ratings(items[:6], ["yes"] * 6, rater="ben")
    ben[0] = Rating(item=items[0].id, rater="ben", given={"faithful": "no"}, checks_shown_before_rating=True)
    made = agreement(TEN, findings(items, CHECK), ann + ben, **FEW)
    (pair,) = made["people"]
    assert (pair["raters"], pair["field"], pair["n"]) == (["ann", "ben"], "faithful", 5)
    assert pair["raw"]["value"] == pytest.approx(2 / 5)
    assert "sensitivity" not in pair
    assert made["numbers"]["people_agreement"]["point"] == pytest.approx(2 / 5)
    assert row_of(made)["n"] == 8 + 5


def test_a_model_is_reported_by_its_agreement_and_enters_nothing_else():
    items = items_of(TEN)
    people = ratings(items, PEOPLE)
    model = ratings(items, ["no"] * 5 + ["yes"] * 5, rater="m", by="model")
    with_, without = (
        agreement(TEN, findings(items, CHECK), each, **FEW) for each in (people + model, people)
    )
    for name in ("checks", "fields", "people", "rated", "numbers"):
        assert with_[name] == without[name]
    (one,) = with_["models"]
    assert (one["rater"], one["n"]) == ("m", 9)
    assert "Its ratings count for nothing else." in with_["sentences"][-1]
    alone = agreement(TEN, findings(items, CHECK), model, **FEW)
    assert alone["rated"] == 0
    assert alone["fields"] == []


def test_checks_of_support_together_fail_where_one_does():
    items = items_of(TEN)
    found = findings(items, CHECK) + findings(items, [None] * 9 + [False], "content-words")
    row = row_of(agreement(TEN, found, ratings(items, PEOPLE), **FEW), ALL)
    together = [False if False in pair else True if True in pair else None for pair in zip(CHECK, [None] * 9 + [False], strict=True)]  # fmt: skip
    assert row["n"] == sum(
        c is not None and p != "cannot-tell" for c, p in zip(together, PEOPLE, strict=True)
    )
    assert set(FIELD_OF) == set(CHECKS)
    assert set(FIELD_OF.values()) <= set(RATED)


def test_rates_are_those_of_the_statistics():
    check = [1.0] * 60 + [0.0] * 40
    human = [float(i % 9 != 0) if i < 60 else float(i % 3 == 0) for i in range(100)]
    human = [label if i % 2 == 0 else None for i, label in enumerate(human)]
    topics = [str(i) for i in range(100)]
    made = people_rate(human, check, topics)
    found = ppi_stratified(human, check, ["pass"] * 60 + ["fail"] * 40, bounds=(0.0, 1.0))
    assert made["headline"]["name"] == "PPI++, strata pass and fail"
    assert (made["headline"]["point"], made["headline"]["low"]) == pytest.approx(
        (found.point, found.interval.low)
    )
    given_ = [label for label in human if label is not None]
    alone = wilson_design_effect(given_, [1] * 50)
    assert made["estimates"][0]["low"] == pytest.approx(alone.interval.low)
    assert made["check"] == pytest.approx(0.6)


def test_items_of_one_topic_take_whole_topics_or_people_alone():
    topics = [f"t{i // 3}" for i in range(90)]
    check = [float(i % 4 != 0) for i in range(90)]
    human = [float(i % 5 != 0) if i < 60 else None for i in range(90)]
    made = people_rate(human, check, topics)
    found = ppi_clustered(human, check, topics, form="ratio", bounds=(0.0, 1.0))
    assert made["headline"]["name"] == "PPI++ over topics"
    assert made["headline"]["low"] == pytest.approx(found.interval.low)
    assert "items_taken_as_independent" in made["estimates"][1]["flags"]
    scattered = [label if i % 3 else None for i, label in enumerate(human)]  # no topic is rated whole
    assert people_rate(scattered, check, topics)["headline"]["name"] == "people alone"
    assert people_rate(human[:30] + [None] * 60, [*check], topics)["headline"]["name"] == "PPI++ over topics"
    assert people_rate(human[:12] + [None] * 78, check, topics)["headline"]["name"] == "people alone"
    assert people_rate([None] * 90, check, topics)["headline"]["reason"]


@given(st.lists(st.tuples(st.sampled_from(["yes", "no", None]), st.sampled_from(["yes", "no", None]), st.integers(0, 3))))  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_whatever_is_compared_there_is_no_nan_and_shares_stay_shares(rows):
    first, second, of = [list(column) for column in zip(*rows, strict=True)] if rows else ([], [], [])
    made = beside(first, second, [str(topic) for topic in of], resamples=200)
    json.dumps(made, allow_nan=False)
    for name in ("raw", "no_skill", "p_yes", "p_no", "sensitivity", "specificity"):
        value = made[name]["value"]
        assert value is None or 0 <= value <= 1
        assert value is not None or made[name]["reason"]
    assert made["n"] + made["undecided"] + made["cannot_tell"] == len(rows)


def test_no_rating_at_all_is_told_in_words():
    made = agreement(TEN, findings(items_of(TEN), CHECK), [], **FEW)
    json.dumps(made, allow_nan=False)
    assert made["sentences"] == [
        "No item was rated blind: nothing is known of how far the checks can be trusted."
    ]


def test_ratings_of_items_that_are_gone_are_counted():
    items = items_of(TEN)
    gone = Rating(item="gone", rater="ann", given={"faithful": "yes"})
    made = agreement(TEN, findings(items, CHECK), [*ratings(items, PEOPLE), gone], **FEW)
    assert made["unknown"] == 1
    assert "ratings-of-unknown-items" in [one["kind"] for one in made["warnings"]]


# ---- a model as one more rater


def call_of(verdict, key="k"):
    data = {"evidence": [], "verdict": verdict, "mode": "none"}
    return Call(
        key=key, task="t", model="seal", outcome="reply", reply=Reply(text=json.dumps(data), data=data)
    )


def test_votes_under_the_sheet_on_faithfulness_become_ratings_by_a_model():
    (one,) = answers(1)
    (asked,) = asked_faithful([one])
    brief = brief_named("faithful")
    said = {}
    for verdict in ("2", "1", "0", "cannot-tell"):
        made = vote(call_of(verdict), brief, asked.shown, judge="m", prompt="p")
        (rating,) = model_ratings([made], [asked])
        assert (rating.item, rating.rater, rating.by) == (one.items[0].id, "m", "model")
        said[verdict] = rating.given["faithful"]
    assert said == {"2": "yes", "1": "no", "0": "no", "cannot-tell": "cannot-tell"}
    fault = vote(
        Call(key="f", task="t", model="seal", outcome="fault", why="net"), brief, asked.shown, judge="m"
    )
    assert model_ratings([fault], [asked]) == []
    odd = vote(call_of("7"), brief, asked.shown, judge="m")
    assert model_ratings([odd], [asked]) == []
    assert model_ratings([made], []) == []


def test_what_a_model_is_sent_is_question_answer_and_cited_text_alone():
    one = study_items("topic-canary", "system-canary")
    uncited = Item(topic="t", kind="answer", text="No citation.", system="s")
    bare = Generation(topic="t", ask="Why?", system="s", passages=passages(LEASE), items=(uncited,))
    asked = asked_faithful([one, bare])
    assert [each.item for each in asked] == [item.id for item in one.items]
    for item, each in zip(one.items, asked, strict=True):
        words = "\n".join(message.content for message in each.request().messages)
        assert item.text in words
        assert (item.answer or "30 days") in words
        assert LEASE in words
        assert "months' rent" not in words  # the passage that is not cited
        for canary in ("topic-canary\n", "system-canary", item.id, "numbers-grounded"):
            assert canary not in words
    broken = Item(
        topic="t", kind="multiple-choice", text="Q", options=("a",), key=7, citations=(Citation(marker="1"),)
    )
    (each,) = asked_faithful(
        [Generation(topic="t", ask="T", system="s", passages=passages(LEASE), items=(broken,))]
    )
    assert each.answer == ""
