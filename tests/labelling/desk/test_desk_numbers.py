"""Paces, costs, samples of a pool and disputes: exact, from answers made up one by one."""

from math import log2, sqrt

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.labelling.desk.adjudicate import adjudication, disputes
from evenhand.labelling.desk.agreement import agreement, latest
from evenhand.labelling.desk.assign import Filling
from evenhand.labelling.desk.judging_time import paces
from evenhand.labelling.desk.labels import Answer, Results, labels_of
from evenhand.labelling.pooling.label_sampling import active, influence, prefix, sample, weights
from evenhand.labelling.pooling.summary import composition, cost
from evenhand.model.judging import Entry
from evenhand.model.label import Label
from evenhand.model.pool import Pool, Pooled, PoolItem, item_id


def item(n, question="q0"):
    mark = f"{n:064x}"
    return PoolItem(
        id=item_id(question, "d", n * 10, n * 10 + 9, mark),
        question=question,
        doc="d",
        start=n * 10,
        end=n * 10 + 9,
        text_sha256=mark,
    )


def pooled(items, found=(), systems=("a", "b"), questions=None):
    """*found*: (item, system, rank) by position."""
    columns = np.array(found, dtype=np.int32).reshape(-1, 3)
    return Pool(
        "p",
        tuple(items),
        questions or {one.question: "two words" for one in items},
        tuple(
            Pooled(system=name, seal=name, kind=kind)
            for name, kind in zip(systems, ("x", "y", "x"), strict=False)
        ),
        columns[:, 0],
        columns[:, 1],
        columns[:, 2],
    )


def answer(judge, n, grade, *, task="main", ms=6000, kind="grade", question="q0"):
    entry = Entry(
        desk=judge,
        task=f"t{n}",
        token=f"{n}",
        kind=kind,
        grade=grade if kind == "grade" else None,
        reason="busy" if kind == "skip" else "",
        sheet="s",
        at=f"2026-11-30T08:{n:02}:00Z",
        active_ms=ms,
    )
    return Answer(
        item=item(n, question),
        judge=judge,
        desk=judge,
        number=n,
        position=n,
        task=task,
        about=(),
        entry=entry,
    )


def results(answers, words=None):
    counted = {one.item.id: 10 for one in answers} if words is None else words
    return Results(pooled([one.item for one in answers]), (), tuple(answers), (), counted, {})


def test_a_pace_is_of_main_answers_and_hours_of_all():
    given = [answer("a", n, 1.0) for n in range(4)]
    given += [
        answer("a", 4, 1.0, ms=None),
        answer("a", 5, None, kind="cannot-tell"),
        answer("a", 6, None, kind="skip"),
    ]
    given += [answer("a", 7, 1.0, task="warm-up", ms=60_000), answer("a", 8, 1.0, task="repeat")]
    (row,) = paces(results(given))
    assert (row["answers"], row["graded"], row["cannot_tell"], row["skipped"]) == (7, 5, 1, 1)
    assert (row["timed"], row["untimed"], row["warm_up"], row["repeats"]) == (6, 1, 1, 1)
    assert row["active_hours"] == pytest.approx((6 * 6 + 60 + 6) / 3600)
    assert row["seconds"] == 6.0
    assert row["words_a_minute"] == pytest.approx(100.0)  # 10 words in 6 seconds
    assert (row["from"], row["to"]) == ("2026-11-30T08:00:00Z", "2026-11-30T08:08:00Z")


def test_words_count_for_haste_and_a_text_without_any_counts_as_one():
    given = [answer("a", n, 1.0, ms=6000) for n in range(3)]
    words = {given[0].item.id: 0, given[1].item.id: 30, given[2].item.id: 10}
    (row,) = paces(results(given, words))
    # 6000, 200, 600 ms a word: the median is 600, a third of it 200, and 200 is no less
    assert row["hasty"]["n"] == 0
    assert row["words_a_minute"] == pytest.approx(41 / 0.3)
    (row,) = paces(results(given, {**words, given[1].item.id: 31}))
    assert row["hasty"]["n"] == 1


@pytest.mark.parametrize(("n", "quick", "flagged"), [(20, 2, False), (20, 3, True), (19, 3, False)])
def test_haste_is_told_of_more_than_one_in_ten_of_twenty_or_more(n, quick, flagged):
    given = [answer("a", i, 1.0, ms=1000 if i < quick else 6000, question=f"q{i}") for i in range(n)]
    (row,) = paces(results(given))
    assert (row["hasty"]["n"], row["hasty"]["of"]) == (quick, n)
    assert ("haste" in row["flags"]) == flagged


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("n", "flagged"), [(20, True), (19, False)])
def test_drift_is_told_in_either_direction_of_twenty_or_more(turned, n, flagged):
    grades = [0.0] * 4 + [1.0] + [1.0] * (n - 10) + [2.0] * 4 + [1.0]
    given = [answer("a", i, g, question=f"q{i}") for i, g in enumerate(grades[::-1] if turned else grades)]
    (row,) = paces(results(given))
    assert ("drift" in row["flags"]) == flagged
    assert sum(one["n"] for one in row["quarters"]) == n


def test_an_attention_item_is_wrong_above_the_lowest_grade_and_a_skip_is_no_answer():
    given = [answer("a", n, g, task="attention") for n, g in enumerate([0.0, 1.0, 2.0])]
    given += [
        answer("a", 3, None, task="attention", kind="skip"),
        answer("a", 4, None, task="attention", kind="cannot-tell"),
    ]
    given += [answer("a", 5, 1.0)]
    for lowest, wrong in ((0.0, 2), (1.0, 1), (2.0, 0)):
        (row,) = paces(results(given), lowest=lowest)
        assert row["attention"] == {"n": 4, "wrong": wrong}
        assert ("attention" in row["flags"]) == (wrong > 0)


def test_what_is_disputed_and_why():
    def why(*said):
        given = []
        for k, one in enumerate(said):
            kind = one if isinstance(one, str) else "grade"
            given.append(answer(f"j{k}", 0, one if kind == "grade" else None, kind=kind))
        return [one.why for one in disputes(results(given))]

    assert why(1.0, 1.0) == why(1.0) == []
    assert why(1.0, 0.0) == why(1.0, 0.0, 1.0) == why(1.0, "cannot-tell") == ["disagreement"]
    assert why(0.0, 1.0, 2.0) == why(0.0, 0.0, 1.0, 1.0) == ["split"]
    assert why("cannot-tell") == why("cannot-tell", "cannot-tell", "skip") == ["cannot-tell"]
    assert why("skip") == why(1.0, 1.0, "skip") == ["skip"]
    assert why(1.0, 0.0, "skip") == ["disagreement"]


def test_who_has_judged_adjudicates_only_when_he_says_so_and_it_is_recorded_when_he_has():
    found = results([answer("a", 0, 1.0), answer("b", 0, 0.0)])
    more = {"sheet": "s", "seed": 1, "agreement": "x"}
    with pytest.raises(InputError, match="a has judged 1 of the 1 item himself"):
        adjudication(found, disputes(found), "a", **more)
    for judge, own in (("a", True), ("c", False)):
        desk, _ = adjudication(found, disputes(found), judge, own=True, **more)
        assert desk.settings["own"] is own
        assert desk.settings["why"] == {"disagreement": 1}


def test_a_ruling_stands_beside_its_originals_or_for_them():
    given = (answer("a", 0, 1.0), answer("b", 0, 0.0), answer("a", 1, 2.0))
    found = Results(pooled([item(0), item(1)]), (), given, (answer("r", 0, 1.0),), {}, {})

    def told(**how):
        return [(one.judge, one.by, one.grade) for one in labels_of(found, **how)]

    ruled, other = ("r", "adjudicated", 1.0), ("a", "human", 2.0)
    assert told() == [("a", "human", 1.0), ("b", "human", 0.0), ruled, other]
    assert told(originals=False) == [ruled, other]


def label(judge, n, grade, at="", **more):
    return Label(
        question=f"q{n}",
        doc="d",
        start=n,
        end=n + 1,
        text_sha256=f"{n:064}",
        judge=judge,
        grade=grade,
        at=at,
        **more,
    )


def test_of_two_labels_at_the_same_moment_the_later_in_place_stands():
    first, second = label("a", 0, 1.0, "2026"), label("a", 0, 0.0, "2026")
    assert latest([first, second]) == ([second], 0, 1)
    assert latest([second, first])[0] == [first]
    assert latest([first, label("a", 0, 0.0, "2025")])[0] == [first]


@pytest.mark.parametrize(("n", "quarters"), [(15, 0), (16, 4)])
def test_agreement_is_followed_over_time_from_sixteen_items_on(n, quarters):
    given = [label("a", i, 1.0, f"2026-01-{i + 1:02}") for i in range(n)]
    given += [label("b", i, float(i < 12), f"2025-01-{i + 1:02}") for i in range(n)]  # b was first
    made = agreement(given, resamples=50)["pairs"][0]
    assert len(made["over_time"]) == quarters
    if quarters:
        assert [one["raw"]["value"] for one in made["over_time"]] == [1.0, 1.0, 1.0, 0.0]
        assert [one["from"] for one in made["over_time"]] == [f"2026-01-{d:02}" for d in (1, 5, 9, 13)]


def test_over_all_judges_items_with_two_labels_count_and_alpha_is_ordinal():
    given = [label("a", n, g) for n, g in enumerate([0.0, 1.0, 2.0, 2.0, 0.0])]
    given += [label("b", n, g) for n, g in enumerate([0.0, 2.0, 2.0, 1.0])]
    made = agreement(given, resamples=50)["all"]
    assert (made["n"], made["pairwise"]["value"], made["unanimous"]) == (4, 0.5, None)
    # JUDGING 2.4: n_c = 2 2 4 of 8, o_12 = o_21 = 2; d(1,2) = (2 + 4 - 3)², d(0,1) = (4 - 2)², d(0,2) = (8 - 3)²
    d01, d02, d12 = 4.0, 25.0, 9.0
    expected = 1 - 7 * (2 + 2) * d12 / (2 * (4 * d01 + 8 * d02 + 8 * d12))
    assert made["alpha"]["value"] == pytest.approx(expected)


def test_what_judging_costs_in_hours_and_money():
    items = [item(n, f"q{n // 2}") for n in range(4)]
    made = pooled(items, questions={"q0": "a b c", "q1": "d e", "q9": "not asked at all"})
    texts = ["w " * 100] * 4
    found = cost(made, texts, Filling(per_item=2, overlap=0.5, repeats=0.25), judges=3, planted=6, an_hour=30)
    passes = (2 + 0.5) * 1.25
    assert found.judgements == round(4 * passes) + 18
    words = 400 * passes + 5 * 2.5
    assert found.words == round(words)
    assert found.hours == pytest.approx(
        (words / 400 / 60 + found.judgements * 2 / 3600, words / 180 / 60 + found.judgements * 6 / 3600)
    )
    assert found.money == pytest.approx((30 * found.hours[0], 30 * found.hours[1]))
    # no more judges see an item than there are, and a question is read by no more of them
    alone = cost(made, texts, Filling(per_item=2, overlap=0.5, repeats=0.0), judges=2)
    assert (alone.judgements, alone.words, alone.money) == (8, 400 * 2 + 5 * 2, None)


def test_what_only_one_kind_found_is_told_apart():
    made = pooled(
        [item(n) for n in range(4)], [(0, 0, 1), (0, 1, 1), (1, 0, 2), (2, 1, 2), (3, 0, 3), (3, 2, 1)], "abc"
    )
    assert [(one.name, one.found, one.only) for one in composition(made)] == [("x", 3, 2), ("y", 2, 1)]
    assert [(one.name, one.only) for one in composition(made, by="system")] == [("a", 1), ("b", 1), ("c", 0)]


def ranked(n=40):
    """One system that found *n* items, in order."""
    return pooled([item(i) for i in range(n)], [(i, 0, i + 1) for i in range(n)], ("a",))


def test_all_up_to_the_certain_rank_and_of_the_rest_by_bands():
    made = sample(ranked(), n=17, seed=1)
    strata = {name: (there, taken) for name, there, taken in made.settings["strata"]}
    assert {name: there for name, (there, _) in strata.items()} == {
        "rank 1–3": 3,
        "rank 4–10": 7,
        "rank 11–30": 20,
        "rank 31–": 10,
    }
    assert strata["rank 1–3"] == (3, 3)
    assert sum(taken for _, taken in strata.values()) == 17
    by_rank = {item(i).id: i + 1 for i in range(40)}
    bands = (("rank 1–3", 3), ("rank 4–10", 10), ("rank 11–30", 30), ("rank 31–", 40))
    for one in made.items:
        rank = by_rank[one.id]
        name = next(band for band, last in bands if rank <= last)
        assert one.stratum == name
        assert one.probability == pytest.approx(strata[name][1] / strata[name][0])
    assert len(sample(ranked(), n=6, seed=1).items) == 6  # one of each band at least
    with pytest.raises(InputError, match="3 items have a best rank up to 3, and 3 are asked for"):
        sample(ranked(), n=3, seed=1)
    everyone = sample(ranked(), n=10, seed=1, certain=0)
    assert {one.probability for one in everyone.items} != {1.0}


def test_an_items_weight_is_its_discount_and_its_influence_the_difference():
    made = pooled([item(0), item(1), item(2)], [(0, 0, 1), (1, 0, 2), (0, 1, 2), (2, 1, 1)])
    third = 1 / log2(3)
    assert weights(made).tolist() == [pytest.approx([1, third, 0]), pytest.approx([third, 0, 1])]
    assert weights(made, discount="reciprocal").tolist() == [[1, 0.5, 0], [0.5, 0, 1]]
    assert influence(made).tolist() == pytest.approx([1 - third, third, 1])
    lone = pooled([item(0), item(1)], [(0, 0, 1), (1, 0, 2)], ("a",))
    assert influence(lone).tolist() == pytest.approx([1, third])


def test_the_size_of_an_item_is_its_influence_times_the_root_of_its_chance_and_no_less_than_a_tenth():
    made = ranked(30)
    raw = [1 / log2(r + 1) * sqrt(1 / (1 + r)) for r in range(1, 31)]
    mean = sum(raw) / 30
    found = active(made, n=30, seed=1)
    size = {one.id: one.size for one in found.items}
    assert [size[item(i).id] for i in range(30)] == pytest.approx([max(0.1, x / mean) for x in raw])


def test_chances_of_an_active_order_are_those_under_the_first_that_stayed_out():
    whole = active(ranked(), n=40, seed=3)
    order = sorted(whole.items, key=lambda one: -one.priority)
    chosen = active(ranked(), n=12, seed=3)
    assert {one.id for one in chosen.items} == {one.id for one in order[:12]}
    first_out = order[12].priority
    for one in chosen.items:
        assert one.probability == pytest.approx(min(1.0, one.size / first_out))
    for one, chance in prefix(whole, 12):
        assert chance == pytest.approx(min(1.0, one.size / first_out))
    assert {one.probability for one in whole.items} == {1.0}
    assert [chance for _, chance in prefix(whole, 40)] == [1.0] * 40


def test_an_item_that_moves_nothing_may_still_come():
    # both systems show it at the same place: its label cannot change their difference
    found = [(0, 0, 1), (0, 1, 1), (1, 0, 2), (2, 1, 2)]
    made = active(pooled([item(n) for n in range(3)], found), n=3, seed=1)
    size = {one.id: one.size for one in made.items}
    assert size == {item(0).id: 0.1, item(1).id: pytest.approx(1.5), item(2).id: pytest.approx(1.5)}
