"""Disputes, the adjudicator's desk, and what it shows."""

from dataclasses import replace

import pytest
from tests.judge.desked import SEED, at, worked

from evenhand.errors import InputError
from evenhand.judge.sheets.built_in import CONTRIBUTION
from evenhand.labelling.desk.adjudicate import adjudication, disputes, split_by_panel
from evenhand.labelling.desk.labels import gather, judgements_of, labels_of
from evenhand.model.judging import Entry


def rule(judge, item, task):
    """Ann and ben differ on the first of every three; one is skipped, on one both cannot tell."""
    place = item.start // 20
    if item.question == "q1" and place == 1:
        return ("skip", None, {"reason": "cut in half"}) if judge == "ann" else ("grade", 0.0, {})
    if item.question == "q1" and place == 2:
        return "cannot-tell", None, {}
    if place % 3 == 0:
        return "grade", 2.0 if judge == "ann" else 0.0, {"comment": f"I am {judge}"[:4]}
    return "grade", 1.0, {}


@pytest.fixture
def kept(tmp_path):
    store, pool = worked(tmp_path / "s.sqlite", rule)
    yield store, pool
    store.close()


def desk_of(store, pool, **more):
    results = gather(store, pool.seal)
    options = {"sheet": CONTRIBUTION.seal, "seed": SEED, "agreement": "a" * 64, "at": at(0), **more}
    return adjudication(results, disputes(results), more.pop("judge", "cyd"), **options)


def test_what_differs_was_skipped_or_could_not_be_told_is_in_dispute_and_nothing_else(kept):
    store, pool = kept
    results = gather(store, pool.seal)
    found = {one.item.id: one.why for one in disputes(results)}
    for item in pool:
        place = item.start // 20
        if item.question == "q1" and place in (1, 2):
            assert found[item.id] == {1: "skip", 2: "cannot-tell"}[place]
        else:
            assert found.get(item.id) == ("disagreement" if place % 3 == 0 else None)
    only = disputes(results, why=["skip"])
    assert {one.why for one in only} == {"skip"}
    with pytest.raises(InputError, match="skipped"):
        disputes(results, why=["skipped"])


def test_what_a_panel_is_split_on_is_put_before_a_person_too(kept):
    store, pool = kept
    results = gather(store, pool.seal)
    agreed = next(item for item in results.by_item if item not in {d.item.id for d in disputes(results)})
    first = results.by_item[agreed][0].label()
    votes = [replace(first, judge=f"m{i}", by="panel", grade=float(i)) for i in range(2)]
    assert split_by_panel(votes) == {agreed}
    assert split_by_panel([votes[0], replace(votes[0], judge="m9")]) == set()
    found = {one.item.id: one.why for one in disputes(results, panel_split=split_by_panel(votes))}
    assert found[agreed] == "panel-split"


def test_three_that_all_differ_are_a_split_and_two_against_one_a_disagreement(tmp_path):
    store, pool = worked(
        tmp_path / "s.sqlite",
        lambda judge, item, task: (
            "grade",
            float({"ann": 0, "ben": 1, "cyd": 2 if item.question == "q1" else 1}[judge]),
            {},
        ),
        judges=("ann", "ben", "cyd"),
    )
    found = disputes(gather(store, pool.seal))
    assert {(one.item.question, one.why) for one in found} == {("q1", "split"), ("q2", "disagreement")}
    assert len(found) == len(pool)
    store.close()


def test_which_side_comes_first_is_by_lot(kept):
    store, pool = kept
    desk, tasks = desk_of(store, pool)
    first = []
    for task in tasks:
        assert len(task.about) == 2
        first.append(store.desk(task.about[0].split(":")[0]).judge)
    assert set(first) == {"ann", "ben"}  # A is now one, now the other
    assert desk.settings["why"]["skip"] == 2  # one in each document
    assert desk_of(store, pool) == (desk, tasks)


def test_nobody_adjudicates_himself_unless_it_is_said_and_recorded(kept):
    store, pool = kept
    results = gather(store, pool.seal)
    options = {"sheet": CONTRIBUTION.seal, "seed": SEED, "agreement": "", "at": at(0)}
    with pytest.raises(InputError, match="himself"):
        adjudication(results, disputes(results), "ann", **options)
    desk, _ = adjudication(results, disputes(results), "ann", own=True, **options)
    assert desk.settings["own"] is True
    with pytest.raises(InputError, match="nothing is in dispute"):
        adjudication(results, [], "cyd", **options)


def test_a_ruling_stands_alone_and_both_originals_are_kept(kept):
    store, pool = kept
    desk, tasks = desk_of(store, pool)
    store.add_desks([(desk, tasks)])
    before = {d.id: list(store.book(d.id)) for d in store.desks(pool=pool.seal, kind="judge")}
    for i, task in enumerate(tasks):
        kind, grade = [("grade", 1.0), ("cannot-tell", None), ("skip", None)][i % 3]
        reason = "broken" if kind == "skip" else ""
        store.save(
            Entry(
                desk=desk.id,
                task=task.id,
                token=f"r{i}",
                kind=kind,
                grade=grade,
                reason=reason,
                sheet=CONTRIBUTION.seal,
                at=at(i),
            )
        )
    assert {d: list(store.book(d)) for d in before} == before
    results = gather(store, pool.seal)
    labels = labels_of(results)
    for i, task in enumerate(tasks):
        here = [label for label in labels if label.item == task.item]
        assert {"ann", "ben"} < {label.judge for label in here} or i % 3 == 2
        given = judgements_of(here)
        if i % 3 == 0:  # the ruling, marked as one
            assert [one.grade for one in given if one.kind == "adjudicated"] == [1.0]
        elif i % 3 == 1:  # left open: no judgement at all
            assert given == []
        else:  # skipped: still in dispute
            assert task.item in {one.item.id for one in disputes(results)}
    assert len(disputes(results)) == sum(i % 3 == 2 for i in range(len(tasks)))
