"""Strata at their edges, chances over several drawings, and what a pool of drawn items says."""

from collections import Counter

import pytest
from tests.judge.asked import shown

from evenhand.judge.calibration.columns import Column, unlabelled
from evenhand.judge.calibration.human_sample import draw, further, pool_of
from evenhand.judge.calibration.sample_size import planned
from evenhand.judge.calibration.strata import picked, strata_of
from evenhand.labelling.desk.agreement_text import share_json
from evenhand.model.result import Interval
from evenhand.stats.agreement.raters import Coefficient
from evenhand.stats.sampling.seeds import stream


def statuses(unanimous, split, undecided):
    words = ["unanimous"] * unanimous + ["split"] * split + ["undecided"] * undecided
    return {f"i{n:03}": word for n, word in enumerate(words)}


def sizes(status, n):
    return {name: len(of) for name, of in strata_of(sorted(status), status, n).items()}


def test_five_items_are_a_stratum_and_four_go_with_the_one_before():
    assert sizes(statuses(50, 5, 5), 15) == {"unanimous": 50, "split": 5, "undecided": 5}
    assert sizes(statuses(50, 5, 4), 15) == {"unanimous": 50, "split+undecided": 9}
    assert sizes(statuses(50, 4, 5), 15) == {"unanimous+split": 54, "undecided": 5}
    assert sizes(statuses(50, 2, 2), 15) == {"unanimous+split+undecided": 54}  # four together are still few
    assert sizes(statuses(50, 2, 3), 15) == {"unanimous": 50, "split+undecided": 5}
    assert sizes(statuses(4, 30, 30), 30) == {"unanimous+split": 34, "undecided": 30}
    assert sizes(statuses(3, 0, 0), 3) == {"unanimous": 3}


def test_a_sample_too_small_for_five_of_each_has_fewer_strata():
    status = statuses(50, 20, 10)
    assert list(sizes(status, 15)) == ["unanimous", "split", "undecided"]
    assert list(sizes(status, 14)) == ["unanimous", "split+undecided"]
    assert list(sizes(status, 10)) == ["unanimous", "split+undecided"]
    assert list(sizes(status, 9)) == ["unanimous+split+undecided"]


def test_more_is_drawn_where_more_is_likely_to_differ_and_five_of_each_at_least():
    status = statuses(400, 280, 6)
    questions = {item: item for item in status}
    found = draw(questions, 105, by="stratified", seed=1, status=status)
    drawn = dict(found.phases[0].drawn)
    # in proportion to size times spread: 400 x .35, 280 x .5, 6 x .5, and no fewer than five
    assert drawn == {"unanimous": 50, "split": 50, "undecided": 5}
    assert {one.stratum: one.probability for one in found.items} == {
        "unanimous": 50 / 400,
        "split": 50 / 280,
        "undecided": 5 / 6,
    }
    assert found.phases[0].verdicts  # a sample by strata has looked at them


def test_a_second_and_a_third_drawing_add_their_chances_and_take_nothing_twice():
    status = statuses(60, 40, 0)
    questions = {item: item for item in status}
    first = draw(questions, 20, seed=1)
    second = further(first, questions, 5, seed=1, status=status)
    third = further(second, questions, 5, seed=1)
    assert len({one.item for one in third.items}) == len(third.items) == 30
    chances = {one.stratum: one.probability for one in third.items}
    assert chances == {"split": pytest.approx(20 / 100 + 5 / 40 + 5 / 40), "unanimous": pytest.approx(0.2)}
    assert Counter(one.phase for one in third.items) == {1: 20, 2: 5, 3: 5}
    assert [phase.verdicts for phase in third.phases] == [False, True, True]


def test_strata_after_a_uniform_sample_are_those_that_thirty_labels_could_fill():
    # 5 + 5 + 20: too few for strata of 5 in a sample of 14, enough in one of 30
    status = statuses(20, 5, 5)
    questions = {item: item for item in status}
    both = further(draw(questions, 3, seed=1), questions, 2, seed=1, status=status)
    assert dict(both.phases[1].there) == {"unanimous": 20, "split": 5, "undecided": 5}


def test_one_further_label_may_go_where_there_is_one_alone():
    status = statuses(60, 30, 10)
    questions = {item: item for item in status}
    both = further(draw(questions, 10, seed=1), questions, 1, seed=1, status=status)
    assert sum(both.phases[1].drawn.values()) == 1


def test_a_pool_of_one_phase_holds_its_items_and_says_which():
    status = statuses(30, 20, 0)
    things = [shown(f"text {n}", question=f"q{n}") for n in range(50)]
    of = {one.item: list(status.values())[n] for n, one in enumerate(things)}
    questions = {one.item: one.question for one in things}
    both = further(draw(questions, 10, seed=1), questions, 4, seed=1, status=of)
    for phase, many in ((None, 14), (1, 10), (2, 4)):
        made = pool_of(things, both, phase=phase)
        assert (len(made.items), made.settings["phase"]) == (many, phase or 0)
        told = {one.item: one for one in both.items}
        for item in made.items:
            assert (item.stratum, item.probability) == (told[item.id].stratum, told[item.id].probability)


def test_the_design_effect_is_one_plus_one_fewer_than_items_a_question_times_the_icc():
    sample = draw({f"i{n}": f"q{n // 4}" for n in range(40)}, 40, seed=1)
    clusters = {f"i{n}": f"q{n // 4}" for n in range(40)}
    found = planned(sample, clusters, half_width=0.05)
    assert (found["questions"], found["per_cluster"], found["design_effect"]) == (10, 4.0, 1 + 3 * 0.2)
    # JUDGING: 196 labels for an agreement of .85 to 5 points, and 1.6 times as many
    assert (found["labels_for_agreement"], found["labels_for_agreement_by_cluster"]) == (196, 314)
    assert found["labels_for_rate"] is None  # more than all 40
    alone = planned(sample, {}, half_width=0.05)  # where nothing is said of clusters, questions are they
    assert (alone["questions"], alone["clusters"], alone["design_effect"]) == (10, 10, 1.6)


def column(human, stratum, *, uniform):
    panel = (1.0,) * len(human)
    return Column(human=human, panel=panel, stratum=stratum, uniform=uniform, low=0.0, high=1.0, share=True)


def test_chances_are_labels_over_items_of_each_stratum_or_of_all():
    human, stratum = (1.0, None, None, 0.0, None), ("a", "a", "b", "b", "c")
    assert column(human, stratum, uniform=False).probability == [0.5, 0.5, 0.5, 0.5, 1.0]
    assert column(human, stratum, uniform=True).probability == [0.4] * 5
    assert unlabelled(column(human, stratum, uniform=False)) == ["c"]
    assert unlabelled(column(human, stratum, uniform=True)) == []
    assert column(human, stratum, uniform=False).filled([1, 4], 0.5).human == (1.0, 0.5, None, 0.0, 0.5)


@pytest.mark.parametrize(("value", "k"), [(1.0, 6), (0.0, 0)])
def test_a_share_without_a_difference_has_wilsons_interval_over_questions_at_its_own_level(value, k):
    flat = Interval(
        low=value, high=value, level=0.9, method="bootstrap", flags=("few_clusters", "zero_width")
    )
    made = share_json(Coefficient(value=value, interval=flat, n=60, clusters=6, observed=value))
    z2 = 1.6448536269514722**2
    reach = 6 / (6 + z2)  # Wilson's end where all are alike: n / (n + z²)
    assert (made["low"], made["high"]) == pytest.approx((reach, 1.0) if k else (0.0, 1 - reach))
    assert (made["method"], made["flags"]) == ("Wilson over clusters", ["few_clusters"])
    # what varies stays as it is; of items that are independent each is an observation
    varied = Interval(low=0.9, high=1.0, level=0.9, method="bootstrap", flags=("few_clusters",))
    kept = share_json(Coefficient(value=value, interval=varied, n=60, clusters=6, observed=value))
    assert (kept["low"], kept["method"]) == (0.9, "bootstrap")
    alone = share_json(Coefficient(value=value, interval=flat, n=60, observed=value))
    reach = 60 / (60 + z2)
    assert (alone["low"], alone["high"]) == pytest.approx((reach, 1.0) if k else (0.0, 1 - reach))
    assert alone["method"] == "Wilson over items"


def test_a_chance_is_never_more_than_certain():
    # half of all first; of 10 split items few were among them, and all but one of the others come now
    status = statuses(10, 10, 0)
    questions = {item: item for item in status}
    above = 0
    for seed in range(12):
        first = draw(questions, 10, seed=seed)
        left = 10 - sum(status[one.item] == "split" for one in first.items)
        both = further(first, questions, left - 1, seed=seed, status=status)
        above += 0.5 + (left - 1) / 10 > 1
        (chance,) = {one.probability for one in both.items if one.stratum == "split"}
        assert chance == pytest.approx(min(1.0, 0.5 + (left - 1) / 10))
    assert above


def test_each_drawing_has_dice_of_its_own():
    status = statuses(30, 30, 0)
    questions = {item: item for item in status}
    first = draw(questions, 10, seed=4)
    assert [one.item for one in first.items] == picked(
        sorted(questions), 10, stream(4, "calibration", first.of, "1")
    )
    both = further(first, questions, 6, seed=4, status=status, among=("split",))
    free = [item for item in sorted(questions) if status[item] == "split" and item not in first.position]
    new = [one.item for one in both.items if one.phase == 2]
    assert new == picked(free, 6, stream(4, "calibration", first.of, "2"))
