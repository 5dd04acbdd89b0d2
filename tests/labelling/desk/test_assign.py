"""Who judges what, and in which order."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.labelling.desk.assign import Filling, assign
from evenhand.labelling.desk.attention_checks import attention_items, warm_up_items
from evenhand.labelling.desk.task_order import GAP
from evenhand.model.pool import Pool, PoolItem, item_id


def made(questions, per_question, name="p"):
    items = []
    for q in range(questions):
        for u in range(per_question):
            mark = f"{u:064x}"
            start = u * 10
            items.append(
                PoolItem(
                    id=item_id(f"q{q}", "d", start, start + 9, mark),
                    question=f"q{q}",
                    doc="d",
                    start=start,
                    end=start + 9,
                    text_sha256=mark,
                    heading=("H", str(u)),
                    priority=float((u * 7919 + q * 104729) % 1009),
                )
            )
    empty = np.zeros(0, dtype=np.int32)
    return Pool(
        name, tuple(items), {f"q{q}": f"Question {q}" for q in range(questions)}, (), empty, empty, empty
    )


def desks(pool, judges, seed=1, **how):
    planted = {key: how.pop(key) for key in ("warm_up", "attention") if key in how}
    return assign(pool, judges, sheet="s", seed=seed, filling=Filling(**how), **planted)


def of_kind(tasks, kind="main"):
    return [task.item for task in tasks if task.kind == kind]


SHAPES = st.tuples(
    st.integers(1, 6), st.integers(1, 9), st.integers(1, 5), st.integers(1, 5), st.integers(0, 99)
)


@given(SHAPES, st.sampled_from(["blocks", "mixed", "unit-id", "priority"]), st.floats(0, 1))
@settings(max_examples=80, deadline=None)
def test_every_item_goes_to_as_many_judges_as_asked_and_shares_differ_by_one(shape, order, overlap):
    questions, per_question, people, per_item, seed = shape
    per_item = min(per_item, people)
    pool = made(questions, per_question)
    judges = [f"j{i}" for i in range(people)]
    given_out = desks(pool, judges, seed, per_item=per_item, overlap=overlap, order=order, repeats=0)
    count = Counter(item for _, tasks in given_out for item in of_kind(tasks))
    assert set(count) == {item.id for item in pool}
    extra = round(overlap * len(pool)) if per_item < people else 0
    assert sorted(count.values()) == [per_item] * (len(pool) - extra) + [per_item + 1] * extra
    loads = [len(tasks) for _, tasks in given_out]
    assert max(loads) - min(loads) <= 1
    for desk, tasks in given_out:
        assert len(set(of_kind(tasks))) == len(of_kind(tasks)), "a judge sees an item once"
        assert [task.position for task in tasks] == list(range(len(tasks)))
        assert {task.desk for task in tasks} <= {desk.id}


@given(SHAPES, st.sampled_from(["blocks", "mixed"]))
@settings(max_examples=30, deadline=None)
def test_the_same_seed_gives_the_same_desks_in_whatever_order_judges_are_named(shape, order):
    questions, per_question, people, _, seed = shape
    pool = made(questions, per_question)
    judges = [f"j{i}" for i in range(people)]
    assert desks(pool, judges, seed, order=order) == desks(pool, judges[::-1], seed, order=order)


def test_another_seed_gives_another_order_and_another_deal():
    pool = made(6, 8)
    one, two = desks(pool, ["a", "b"], 1), desks(pool, ["a", "b"], 2)
    assert [t.item for t in one[0][1]] != [t.item for t in two[0][1]]
    assert set(of_kind(one[0][1])) != set(of_kind(two[0][1]))


def test_two_judges_of_the_same_items_see_them_in_different_orders():
    (_, ann), (_, ben) = desks(made(5, 8), ["ann", "ben"], per_item=2, repeats=0)
    assert set(of_kind(ann)) == set(of_kind(ben))
    assert of_kind(ann) != of_kind(ben)


def test_a_judge_sees_every_question_in_one_block_shuffled_within():
    pool = made(6, 10)
    ((_, tasks),) = desks(pool, ["ann"], 2, repeats=0, overlap=0)
    seen = [pool[task.item].question for task in tasks]
    assert sum(a != b for a, b in pairwise(seen)) == 5
    starts = [pool[task.item].start for task in tasks if pool[task.item].question == "q0"]
    assert starts != sorted(starts)
    assert list(dict.fromkeys(seen)) != [f"q{i}" for i in range(6)]


def test_every_place_of_a_block_is_equally_likely_for_every_item():
    """Position carries no information about the item: its mean place over seeds is the middle."""
    pool = made(1, 5)
    places = np.zeros(5)
    for seed in range(400):
        ((_, tasks),) = desks(pool, ["ann"], seed, repeats=0)
        places += [next(t.position for t in tasks if t.item == item.id) for item in pool]
    assert np.abs(places / 400 - 2).max() < 4 * np.sqrt(2 / 400)


def test_order_by_unit_id_and_by_priority():
    pool = made(3, 4)
    ((_, tasks),) = desks(pool, ["ann"], order="unit-id", repeats=0)
    assert of_kind(tasks) == [item.id for item in pool]
    ((_, tasks),) = desks(pool, ["ann"], order="priority", repeats=0)
    urgency = [pool[item].priority for item in of_kind(tasks)]
    assert urgency == sorted(urgency, reverse=True)


@pytest.mark.parametrize("order", ["blocks", "mixed", "unit-id", "priority"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_hidden_repeats_are_of_the_judge_s_own_items_and_come_later(order, seed):
    pool = made(8, 12)
    for _, tasks in desks(pool, ["ann", "ben"], seed, order=order, repeats=0.1):
        first = {task.item: task.position for task in tasks if task.kind == "main"}
        again = [task for task in tasks if task.kind == "repeat"]
        assert len(again) == round(0.1 * len(first))
        assert len({task.item for task in again}) == len(again)
        for task in again:
            assert task.position > first[task.item]
            if order == "mixed" and first[task.item] < len(first) - GAP - 2:
                assert task.position - first[task.item] >= GAP - 1


def test_coming_back_to_a_question_does_not_give_a_repeat_away():
    """In blocks a second visit holds items not seen before among the repeats."""
    pool = made(10, 12)
    ((_, tasks),) = desks(pool, ["ann"], repeats=0.05, overlap=0)
    blocks, last = [], None
    for task in tasks:
        question = pool[task.item].question
        if question != last:
            blocks.append((question, []))
            last = question
        blocks[-1][1].append(task.kind)
    with_repeats = [kinds for _, kinds in blocks if "repeat" in kinds]
    assert with_repeats
    assert all("main" in kinds for kinds in with_repeats)


def test_a_small_desk_has_a_repeat_and_a_tiny_one_has_none():
    ((_, tasks),) = desks(made(1, 10), ["ann"], repeats=0.01)
    assert len(of_kind(tasks, "repeat")) == 1
    ((_, tasks),) = desks(made(1, 9), ["ann"], repeats=0.01)
    assert of_kind(tasks, "repeat") == []


def test_whole_questions_can_be_dealt_out():
    pool = made(12, 5)
    shared = [
        {pool[item].question for item in of_kind(tasks)}
        for _, tasks in desks(pool, ["ann", "ben"], by="question", overlap=0.25, repeats=0)
    ]
    assert len(shared[0] & shared[1]) == 3
    assert len(shared[0] | shared[1]) == 12


def test_overlap_falls_on_all_pairs_of_judges():
    pool = made(20, 10)
    shares = [set(of_kind(tasks)) for _, tasks in desks(pool, ["a", "b", "c", "d"], overlap=0.3, repeats=0)]
    assert all(len(one & two) >= 4 for one, two in combinations(shares, 2))


def test_warm_up_comes_first_and_spans_the_grades_and_does_not_count():
    pool = made(4, 5)
    grades = {pool.items[0].id: 2.0, pool.items[7].id: 1.0, pool.items[12].id: 0.0}
    first = warm_up_items(pool, grades, n=5, seed=1)
    assert len({item.id for item in first}) == 5
    assert {grades.get(item.id) for item in first[:3]} == {0.0, 1.0, 2.0}
    for _, tasks in desks(pool, ["ann", "ben"], warm_up=first):
        assert [task.kind for task in tasks[:5]] == ["warm-up"] * 5
        assert {task.item for task in tasks[:5]} == {item.id for item in first}
        assert "warm-up" not in {task.kind for task in tasks[5:]}
    assert len(warm_up_items(made(1, 3), {}, n=5, seed=1)) == 3


def test_attention_items_look_like_the_others_and_hold_no_sentence():
    pool = made(4, 5)
    words = ["sea", "oak", "iron", "wind"]
    planted, texts = attention_items(pool, words, n=3, seed=1)
    assert (planted, texts) == attention_items(pool, words[::-1], n=3, seed=1)
    assert len({item.id for item in planted}) == 3
    assert {item.heading for item in planted} <= {item.heading for item in pool}
    assert all(len(text.split()) == 100 and set(text.split()) <= set(words) for text in texts)
    for order in ("blocks", "mixed", "unit-id"):
        for _, tasks in desks(pool, ["ann", "ben"], attention=planted, order=order):
            assert sorted(of_kind(tasks, "attention")) == sorted(item.id for item in planted)
    assert attention_items(pool, [], n=0, seed=1) == ([], [])


def test_ids_of_tasks_say_nothing_and_two_desks_never_share_one():
    pool = made(4, 5)
    planted, _ = attention_items(pool, ["w"], n=2, seed=1)
    given_out = desks(pool, ["ann", "ben"], repeats=0.2, attention=planted)
    ids = [task.id for _, tasks in given_out for task in tasks]
    assert len(set(ids)) == len(ids)
    assert all(len(name) == 20 and set(name) <= set("0123456789abcdef") for name in ids)


def test_everything_that_decided_a_desk_is_in_its_settings():
    desk, _ = desks(made(2, 3), ["ann"], seed=5, order="mixed", repeats=0.5)[0]
    assert desk.settings["seed"] == 5
    assert desk.settings["order"] == "mixed"
    assert desk.settings["repeats"] == 0.5
    assert desk.settings["overlap"] == 0.0  # one judge cannot overlap


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: desks(made(1, 1), []), "judges are"),
        (lambda: desks(made(1, 1), ["a", "a"]), "judges are"),
        (lambda: desks(made(1, 1), ["a"], per_item=2), "2 judges an item"),
        (lambda: desks(made(1, 1), ["a"], per_item=0), "0 judges"),
        (lambda: desks(made(1, 1), ["a"], overlap=1.5), "overlap"),
        (lambda: desks(made(1, 1), ["a"], order="rank"), "no order"),
        (lambda: desks(made(1, 1), ["a"], by="system"), "dealt out"),
        (lambda: desks(made(0, 0), ["a"]), "empty"),
        (lambda: desks(made(1, 1), ["a\nb"]), "no name for a judge"),
    ],
)
def test_what_cannot_be_assigned_is_refused(act, said):
    with pytest.raises(InputError, match=said):
        act()
