"""From a store to labels, agreement, paces and the data card."""

import json
from dataclasses import replace

import pytest
from tests.judge.desked import at, worked

from evenhand.judge.sheets.built_in import CONTRIBUTION
from evenhand.labelling.desk.adjudicate import disputes
from evenhand.labelling.desk.agreement import agreement, agreement_of, latest
from evenhand.labelling.desk.assign import Filling
from evenhand.labelling.desk.data_card import card, card_of_labels, markdown
from evenhand.labelling.desk.judging_time import paces
from evenhand.labelling.desk.labels import gather, grade_of, judgements_of, labels_of, without_judges
from evenhand.model.label import Label


def label(judge, question, i, grade, **more):
    kind = "grade" if grade is not None else more.pop("kind", "cannot-tell")
    return Label(
        question=question,
        doc=f"{i}.md",
        start=0,
        end=4,
        text_sha256=f"{i:064d}",
        judge=judge,
        kind=kind,
        grade=grade,
        **more,
    )


def pairs(one, other, questions=None):
    made = []
    for i, (a, b) in enumerate(zip(one, other, strict=True)):
        q = questions[i] if questions else f"q{i}"
        made += [label("ann", q, i, a), label("ben", q, i, b)]
    return made


def test_a_double_click_is_one_label_and_kappa_is_over_items_not_clicks_b063():
    rows = [("ann", 1, 1.0), ("ann", 1, 1.0), ("ben", 1, 1.0), ("ann", 2, 0.0), ("ben", 2, 0.0)]
    rows += [("ann", 3, 1.0), ("ben", 3, 0.0)]
    labels = [label(judge, f"q{i}", i, grade) for judge, i, grade in rows]
    found, again, revised = latest(labels)
    assert (len(found), again, revised) == (6, 1, 0)
    made = agreement(labels)
    assert made["pairs"][0]["n"] == 3
    assert made["pairs"][0]["kappa"]["value"] == pytest.approx(0.4)
    assert made["repeated"] == 1
    # a later, different answer is a revision
    later = [*labels, label("ben", "q3", 3, 1.0, at=at(9))]
    assert latest(later)[2] == 1
    assert agreement(later)["pairs"][0]["raw"]["value"] == 1.0
    # … and an earlier one that comes in late is not
    early = [replace(one, at=at(9)) for one in labels] + [label("ben", "q3", 3, 1.0, at=at(1))]
    assert agreement(early)["pairs"][0]["kappa"]["value"] == pytest.approx(0.4)


def test_kappa_of_constant_judges_is_never_shown_as_agreement_b065():
    both = agreement(pairs([1.0] * 6, [1.0] * 6))
    pair = both["pairs"][0]
    assert pair["raw"]["value"] == 1.0
    assert pair["kappa"]["value"] is None
    assert pair["kappa"]["reason"]
    assert "kappa not defined" in both["sentences"][0]
    one = agreement(pairs([1.0] * 6, [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]))
    pair = one["pairs"][0]
    assert pair["kappa"]["value"] == pytest.approx(0.0)
    assert pair["kappa"]["degenerate"]
    assert pair["kappa"]["note"]
    assert pair["raw"]["value"] == pytest.approx(5 / 6)
    assert "kappa not told" in one["sentences"][0]
    json.dumps([both, one], allow_nan=False)


def test_cannot_tell_is_an_answer_and_a_skip_is_none():
    labels = [*pairs([1.0, 0.0, None], [1.0, 0.0, None]), label("ann", "q9", 9, None, kind="skip")]
    made = agreement([*labels, label("ben", "q9", 9, 1.0)])
    assert made["pairs"][0]["n"] == 3
    assert made["pairs"][0]["raw"]["value"] == 1.0
    assert made["skipped"] == 1
    assert ["cannot-tell", "cannot-tell", 1] in made["pairs"][0]["table"]


def test_items_of_one_question_are_resampled_together():
    one = [0.0, 1.0] * 20
    other = one[:20] + [1.0 - x for x in one[20:]]
    apart = agreement(pairs(one, other))["pairs"][0]["raw"]
    together = agreement(pairs(one, other, [f"q{i // 10}" for i in range(40)]))["pairs"][0]["raw"]
    assert apart["value"] == together["value"] == 0.5
    assert together["clusters"] == 4
    assert together["high"] - together["low"] > 1.5 * (apart["high"] - apart["low"])
    assert "few_clusters" in together["flags"]
    said = agreement(pairs(one, other, [f"q{i // 10}" for i in range(40)]))["sentences"][0]
    assert "with 4 clusters of questions the truth is wider than these intervals" in said
    assert "of 8 clusters those called 95% held it in 87% to 92%" in said


def test_rulings_and_panels_are_not_counted_as_people():
    labels = pairs([1.0, 0.0], [1.0, 1.0])
    ruling = label("cyd", "q1", 1, 0.0, by="adjudicated")
    vote = label("model", "q0", 0, 0.0, by="panel")
    made = agreement([*labels, ruling, vote])
    assert made["judges"] == ["ann", "ben"]
    assert made["not_human"] == 2
    assert made["pairs"] == agreement(labels)["pairs"]


def test_agreement_by_type_and_over_time():
    answers = [0.0, 1.0, 2.0, 1.0] * 4
    other = [*answers[:12], 2.0, 2.0, 0.0, 2.0]
    labels = [
        replace(one, at=at(i)) for i, one in enumerate(pairs(answers, other, [f"q{i}" for i in range(16)]))
    ]
    types = {f"q{i}": "numeric" if i < 12 else "definition" for i in range(16)}
    pair = agreement(labels, types=types)["pairs"][0]
    assert [(one["type"], one["n"], one["raw"]["value"]) for one in pair["by_type"]] == [
        ("definition", 4, 0.0),
        ("numeric", 12, 1.0),
    ]
    assert [one["raw"]["value"] for one in pair["over_time"]] == [1.0, 1.0, 1.0, 0.0]
    assert "kappa_linear" in pair


def test_one_judge_leaves_agreement_unknown():
    made = agreement([label("ann", "q1", 1, 1.0)])
    assert made["pairs"] == []
    assert "unknown" in made["sentences"][0]


def rule(judge, item, task):
    if task.kind == "attention":
        return "grade", 0.0 if judge == "ann" else 2.0, {}
    if task.kind == "repeat" and judge == "ben":
        return "grade", 0.0, {}
    return "grade", float(item.start // 20 % 3), {}


@pytest.fixture
def done(tmp_path):
    store, pool = worked(tmp_path / "s.sqlite", rule, attention=2)
    yield store, pool
    store.close()


def test_warm_up_repeats_and_decoys_are_no_labels(done):
    store, pool = done
    results = gather(store, pool.seal)
    labels = labels_of(results)
    assert len(labels) == 2 * len(pool)
    assert all(one.doc for one in labels)
    assert len(judgements_of(labels)) == len(labels)
    assert disputes(results) == []


def test_agreement_with_oneself_comes_from_hidden_repeats(done):
    store, pool = done
    made = agreement_of(gather(store, pool.seal))
    within = {one["judge"]: one for one in made["within"]}
    assert within["ann"]["raw"]["value"] == 1.0
    assert within["ben"]["raw"]["value"] < 1.0
    assert within["ann"]["n"] == within["ben"]["n"] > 0
    assert made["pairs"][0]["raw"]["value"] == 1.0


def test_a_judge_fooled_by_nonsense_is_flagged(done):
    store, pool = done
    found = {one["judge"]: one for one in paces(gather(store, pool.seal))}
    assert found["ann"]["attention"] == {"n": 2, "wrong": 0}
    assert found["ben"]["attention"] == {"n": 2, "wrong": 2}
    assert "attention" in found["ben"]["flags"]
    assert "attention" not in found["ann"]["flags"]
    assert found["ann"]["warm_up"] == 2


def test_haste_is_measured_by_the_judge_s_own_median_a_word(tmp_path):
    store, pool = worked(
        tmp_path / "s.sqlite",
        rule,
        size=10,
        ms=lambda judge, i: 200 if judge == "ben" and i % 4 == 0 else 4000,
    )
    found = {one["judge"]: one for one in paces(gather(store, pool.seal))}
    store.close()
    assert found["ann"]["answers"] >= 20
    assert "haste" in found["ben"]["flags"]
    assert found["ben"]["hasty"]["n"] > 2
    assert "haste" not in found["ann"]["flags"]
    assert found["ann"]["seconds"] == 4.0


def test_drift_shows_when_the_last_quarter_is_judged_otherwise(tmp_path):
    def drifting(judge, item, task):
        late = judge == "ben" and task.position > 14
        return "grade", 2.0 if late else float(item.start // 10 % 2), {}

    filling = Filling(per_item=2, order="mixed", repeats=0.0)
    store, pool = worked(tmp_path / "s.sqlite", drifting, size=5, filling=filling)
    found = {one["judge"]: one for one in paces(gather(store, pool.seal))}
    store.close()
    assert "drift" not in found["ann"]["flags"]
    assert len(found["ben"]["quarters"]) == 4
    assert found["ben"]["quarters"][-1]["mean"] == 2.0


def test_the_grade_that_stands_is_the_ruling_then_people_then_the_panel():
    people = [label("ann", "q", 1, 0.0), label("ben", "q", 1, 2.0)]
    panel = label("model", "q", 1, 1.0, by="panel")
    assert grade_of([*people, panel]) == (0.0, "human")  # the lower median
    assert grade_of([panel]) == (1.0, "panel")
    ruling = label("cyd", "q", 1, 1.0, by="adjudicated")
    assert grade_of([*people, ruling, panel]) == (1.0, "adjudicated")
    unsure = label("cyd", "q", 1, None, by="adjudicated")
    assert grade_of([*people, unsure]) is None
    assert judgements_of([*people, unsure]) == []


def test_the_card_says_who_when_how_many_by_which_guideline_and_how_well(done):
    store, pool = done
    results = gather(store, pool.seal)
    made = card(results, agreement_of(results), [CONTRIBUTION], frozen="")
    assert made["guidelines"][0]["hash"] == CONTRIBUTION.seal
    assert made["guidelines"][0]["answers"] == 2 * len(pool)
    assert made["labels"]["items"] == made["labels"]["graded"] == made["labels"]["twice"] == len(pool)
    assert sum(made["labels"]["by_grade"].values()) == len(pool)
    assert [one["judge"] for one in made["judges"]] == ["ann", "ben"]
    assert made["desks"][0]["settings"]["seed"] == 7
    assert made["judges"][0]["from"] < made["judges"][0]["to"]
    again = card(gather(store, pool.seal), agreement_of(results), [CONTRIBUTION], frozen="")
    assert json.dumps(made, allow_nan=False) == json.dumps(again, allow_nan=False)
    page = markdown(made)
    assert CONTRIBUTION.seal[:12] in page
    assert "ann and ben agree on 100%" in page


def test_names_in_the_card_are_no_markup():
    labels = [label("<b>|*x*\n# y", "q1", 1, 1.0), label("ben", "q1", 1, 1.0)]
    page = markdown(card_of_labels(labels, agreement(labels)))
    assert "<b>" not in page
    assert "\n# y" not in page
    assert r"\<b\>\|\*x\*" in page


def test_labels_can_be_given_away_without_names():
    labels = [label("zoe", "q1", 1, 1.0), label("ann", "q1", 1, 0.0), label("zoe", "q2", 2, 0.0)]
    assert [one.judge for one in without_judges(labels)] == ["judge-2", "judge-1", "judge-2"]
