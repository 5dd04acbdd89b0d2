"""The human sample: by lot, chances on record, more of the split later."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.judge.calibration.human_sample import draw, further
from evenhand.judge.calibration.strata import LEAST, strata_of
from evenhand.model.plan.calibration_sample import STRATA, Sample


def world(n=200):
    questions = {f"i{i:03}": f"q{i // 5}" for i in range(n)}
    status = {
        item: "split" if i % 4 == 0 else "undecided" if i % 50 == 1 else "unanimous"
        for i, item in enumerate(questions)
    }
    return questions, status


def test_a_uniform_sample_looks_at_no_verdict_and_says_so():
    questions, _ = world()
    found = draw(questions, 30, seed=1)
    assert len(found.items) == 30
    assert {one.probability for one in found.items} == {30 / 200}
    assert found.blind
    assert found.uniform
    late = draw(questions, 30, seed=1, verdicts=True)
    assert not late.blind
    assert [one.item for one in late.items] == [one.item for one in found.items]


def test_the_order_in_which_items_come_changes_nothing_and_another_seed_does():
    questions, status = world()
    turned = dict(reversed(questions.items()))
    for by in ("uniform", "stratified"):
        one = draw(questions, 30, by=by, seed=1, status=status)
        assert one.seal == draw(turned, 30, by=by, seed=1, status=status).seal
        assert one.seal != draw(questions, 30, by=by, seed=2, status=status).seal


def test_strata_of_fewer_than_five_items_go_with_the_next():
    questions, status = world()
    found = draw(questions, 30, by="stratified", seed=1, status=status)
    assert dict(found.phases[0].there) == {"unanimous": 146, "split+undecided": 54}
    assert not found.blind
    chances = {one.stratum: one.probability for one in found.items}
    counted = Counter(one.stratum for one in found.items)
    for name, there in found.phases[0].there.items():
        assert counted[name] >= LEAST
        assert chances[name] == pytest.approx(counted[name] / there)
    # a split item is more likely to be looked at than a unanimous one
    assert chances["split+undecided"] > chances["unanimous"]


def test_chances_after_further_labels_are_those_with_which_items_really_come():
    questions, status = world(60)
    hits, told, reps = Counter(), {}, 1500
    for seed in range(reps):
        both = further(draw(questions, 12, seed=seed), questions, 6, seed=seed, status=status)
        for one in both.items:
            hits[one.item] += 1
            told[one.item] = one.probability
    for name in ("split+undecided", "unanimous"):
        of = [item for item in questions if (status[item] == "unanimous") == (name == "unanimous")]
        often = sum(hits[item] for item in of) / reps / len(of)
        assert often == pytest.approx(told[of[0]], abs=0.01)
    assert told["i000"] == pytest.approx(12 / 60 + 6 / 17)


def test_further_labels_of_a_stratified_sample_add_to_its_strata():
    questions, status = world()
    first = draw(questions, 30, by="stratified", seed=1, status=status)
    second = further(first, questions, 10, seed=3)
    assert len(second.items) == 40
    assert {one.item for one in first.items} < {one.item for one in second.items}
    split = [one for one in second.items if one.stratum == "split+undecided"]
    assert {one.probability for one in split} == {len(split) / 54}
    assert [one.phase for one in second.items].count(2) == 10
    assert second.phases[1].design == "further"


def test_all_that_is_left_may_be_drawn_and_no_more():
    questions, status = world(40)
    first = draw(questions, 10, by="stratified", seed=1, status=status)
    split = [item for item in questions if first.stratum(item) != "unanimous"]
    left = len([item for item in split if item not in first.position])
    whole = further(first, questions, left, seed=1)
    assert {one.probability for one in whole.items if one.stratum != "unanimous"} == {1.0}
    with pytest.raises(InputError, match="0 of split and undecided are not drawn yet"):
        further(whole, questions, 1, seed=1)
    with pytest.raises(InputError, match="not drawn yet"):
        further(first, questions, left + 1, seed=1)


def test_other_items_than_those_drawn_from_are_refused():
    questions, status = world()
    first = draw(questions, 30, seed=1)
    with pytest.raises(InputError, match="drawn from 200 other items"):
        further(first, {**questions, "new": "q"}, 5, seed=1, status={**status, "new": "split"})
    with pytest.raises(InputError, match="not every item has a status"):
        further(first, questions, 5, seed=1, status={})


@pytest.mark.parametrize(
    ("n", "by", "match"),
    [(0, "uniform", "sample of 0"), (201, "uniform", "201 items are asked for"), (5, "evenly", "evenly")],
)
def test_a_sample_that_cannot_be_is_refused(n, by, match):
    questions, status = world()
    with pytest.raises(InputError, match=match):
        draw(questions, n, by=by, seed=1, status=status)


def test_the_file_gives_the_same_sample():
    questions, status = world()
    made = further(draw(questions, 30, seed=1), questions, 10, seed=2, status=status)
    back = Sample.of_json(json.loads(json.dumps(made.as_json())))
    assert back.seal == made.seal
    assert all(back.stratum(item) == made.stratum(item) for item in questions)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(STRATA), min_size=1, max_size=60), st.data())
def test_every_sample_keeps_its_promises(status, data):
    questions = {f"i{i}": f"q{i % 7}" for i in range(len(status))}
    of = dict(zip(questions, status, strict=True))
    n = data.draw(st.integers(1, len(status)))
    found = draw(questions, n, by="stratified", seed=data.draw(st.integers(0, 99)), status=of)
    assert len({one.item for one in found.items}) == n
    assert sum(found.phases[0].there.values()) == len(status)
    assert all(0 < one.probability <= 1 for one in found.items)
    # expected counts are the counts: weights sum to the population
    assert sum(1 / one.probability for one in found.items) == pytest.approx(len(status))
    strata = strata_of(list(questions), of, n)
    if len(strata) > 1:
        assert min(map(len, strata.values())) >= LEAST
