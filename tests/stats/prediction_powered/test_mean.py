"""Prediction-powered means."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.power.prediction_powered import ppi_break_even, ppi_gain, ppi_labels_needed
from evenhand.stats.prediction_powered.designs import ppi_several_judges, ppi_stratified
from evenhand.stats.prediction_powered.mean import ppi_difference, ppi_mean, ppi_pvalue, ppi_share
from evenhand.stats.prediction_powered.samples import ppi_clustered, ppi_inclusion

bits = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=40)
only = st.lists(st.integers(0, 1), min_size=1, max_size=40)


def world(n=4000, seed=7, wrong=0.2):
    """A truth, a judge who errs, and a weaker one."""
    dice = np.random.default_rng(seed)
    truth = (dice.random(n) < 0.3).astype(float)
    judge = np.where(dice.random(n) < wrong, 1 - truth, truth)
    weak = np.where(dice.random(n) < 0.35, 1 - truth, truth)
    return truth, judge, weak


def hidden(truth, labelled):
    return [value if i < labelled else None for i, value in enumerate(truth.tolist())]


@settings(max_examples=60, deadline=None)
@given(bits, only, st.sampled_from([None, 0.0, 0.5, 1.0]), st.sampled_from(["ppi_py", "glide"]))
def test_the_interval_holds_its_point_and_order_changes_nothing(pairs, rest, lam, convention):
    y, f = zip(*pairs, strict=True)
    found = ppi_mean(y, f, rest, lam=lam, convention=convention)
    assert found.interval.low <= found.point <= found.interval.high
    turned = ppi_mean(y[::-1], f[::-1], rest[::-1], lam=lam, convention=convention)
    assert (turned.point, turned.se) == (pytest.approx(found.point), pytest.approx(found.se))
    if convention == "ppi_py":
        assert 0 <= found.lam <= 1
    held = ppi_mean(y, f, rest, lam=lam, convention=convention, bounds=(0, 1)).interval
    assert 0 <= held.low <= held.high <= 1


@settings(max_examples=40, deadline=None)
@given(bits, only)
def test_yes_for_no_mirrors_the_estimate(pairs, rest):
    y, f = (np.array(z, float) for z in zip(*pairs, strict=True))
    rest = np.array(rest, float)
    found, mirrored = ppi_mean(y, f, rest), ppi_mean(1 - y, 1 - f, 1 - rest)
    assert mirrored.point == pytest.approx(1 - found.point)
    assert mirrored.interval.low == pytest.approx(1 - found.interval.high)


def test_lambda_0_is_the_human_labels_and_lambda_1_is_ppi():
    y, f, rest = [1, 0, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0, 1]
    none, one = ppi_mean(y, f, rest, lam=0), ppi_mean(y, f, rest, lam=1)
    assert (none.point, none.gain, none.interval.method) == (0.75, 1.0, "human labels")
    assert one.point == pytest.approx(0.4 + 0.75 - 0.75)
    assert one.interval.method == "PPI"
    lower = ppi_mean(y, f, rest, lam=1, side="lower")
    assert lower.interval.high is None
    assert lower.interval.low > one.interval.low


def test_a_good_judge_stretches_the_labels_and_more_labels_narrow():
    truth, judge, _ = world()
    found = [ppi_mean(truth[:n], judge[:n], judge[n:]) for n in (100, 400, 1600)]
    assert all(one.gain > 1.3 for one in found[:2])
    widths = [one.interval.high - one.interval.low for one in found]
    assert widths[0] > 1.7 * widths[1] > 2.8 * widths[2]
    assert "approximate" in ppi_mean(truth[:60], judge[:60], judge[60:]).interval.flags
    assert found[0].interval.flags == ()


def test_the_judges_bias_is_taken_out():
    dice = np.random.default_rng(11)
    truth = (dice.random(6000) < 0.3).astype(float)
    lenient = np.maximum(truth, (dice.random(6000) < 0.4).astype(float))
    found = ppi_mean(truth[:300], lenient[:300], lenient[300:])
    assert found.judge > 0.5
    assert found.interval.low < 0.3 < found.interval.high


@pytest.mark.parametrize("labelled", [12, 60])
def test_the_95_percent_interval_covers_about_95_percent(labelled):
    dice, held = np.random.default_rng(5), 0
    for _ in range(400):
        truth = (dice.random(600) < 0.4).astype(float)
        judge = np.where(dice.random(600) < 0.25, 1 - truth, truth)
        interval = ppi_share(truth[:labelled], judge[:labelled], judge[labelled:]).interval
        held += interval.low <= 0.4 <= interval.high
    assert held / 400 > 0.915


def test_few_labels_or_a_judge_of_no_use_leave_it_to_wilson():
    truth, judge, _ = world()
    few = ppi_share(truth[:29], judge[:29], judge[29:])
    assert few.interval.method == "Wilson on the human labels"
    assert ppi_share(truth[:30], judge[:30], judge[30:]).interval.method == "PPI++"
    against = ppi_share(truth[:100], 1 - judge[:100], 1 - judge[100:])
    assert (against.lam, against.interval.flags) == (0.0, ("judge_unused",))
    constant = ppi_share(truth[:100], np.ones(100), np.ones(200))
    assert constant.point == truth[:100].mean()
    with pytest.raises(InputError, match="neither yes"):
        ppi_share([0.5], [1], [1])


def test_states_without_an_estimate_have_a_reason():
    nothing = ppi_mean([], [], [1, 0])
    assert (nothing.point, nothing.reason, nothing.judge) == (None, "no human label", 0.5)
    one = ppi_mean([1], [1], [1, 0])
    assert (one.se, one.interval.low, one.reason) == (None, None, "one human label")
    alone = ppi_mean([1, 0, 1], [1, 0, 1], [])
    assert (alone.lam, alone.point) == (0.0, pytest.approx(2 / 3))
    flat = ppi_mean([1, 1, 1], [1, 1, 1], [1, 1])
    assert (flat.se, flat.effective_n, ppi_pvalue(flat, 0.5)) == (0.0, None, None)
    assert "zero_width" in flat.interval.flags


def test_p_values_are_never_0_and_the_sides_add_up():
    truth, judge, _ = world()
    found = ppi_mean(truth[:200], judge[:200], judge[200:])
    assert 0 < ppi_pvalue(found, 50.0) < 1e-200
    sides = [ppi_pvalue(found, 0.25, alternative=side) for side in ("larger", "smaller")]
    assert sum(sides) == pytest.approx(1)
    assert ppi_pvalue(found, 0.25) == pytest.approx(2 * min(sides))
    with pytest.raises(InputError, match="lesser"):
        ppi_pvalue(found, 0.25, alternative="lesser")


def test_exchange_of_systems_flips_the_difference():
    truth, judge, weak = world(400)
    first, second = hidden(truth, 80), hidden(weak, 80)
    one = ppi_difference(first, second, judge, weak)
    other = ppi_difference(second, first, weak, judge)
    assert one.point == pytest.approx(-other.point)
    assert one.interval.low == pytest.approx(-other.interval.high)
    assert one.n == 80
    # paired first: the same systems differ by nothing, surely
    same = ppi_difference(first, first, judge, judge)
    assert (same.point, same.se) == (0.0, 0.0)


def test_one_stratum_is_the_plain_estimate_and_unlike_strata_help():
    truth, judge, _ = world(600)
    human = hidden(truth, 120)
    plain = ppi_mean(truth[:120], judge[:120], judge[120:])
    one = ppi_stratified(human, judge, ["all"] * 600)
    assert (one.point, one.se) == (pytest.approx(plain.point), pytest.approx(plain.se))
    # a judge who is right on one half and guesses on the other
    dice = np.random.default_rng(2)
    half = np.arange(600) % 2
    mixed = np.where(half == 0, truth, (dice.random(600) < 0.5).astype(float))
    split = ppi_stratified(human, mixed, half.tolist())
    assert split.gain > ppi_mean(truth[:120], mixed[:120], mixed[120:]).gain
    assert split.lam[0] > split.lam[1] + 0.5


def test_strata_of_few_labels_are_put_together_and_it_is_said():
    truth, judge, _ = world(200)
    human = hidden(truth, 60)
    stratum = ["a" if i < 56 or i >= 100 else "b" if i < 58 or i > 80 else "c" for i in range(200)]
    found = ppi_stratified(human, judge, stratum)
    assert "merged_strata" in found.interval.flags
    assert len(found.lam) == 1
    assert len(ppi_stratified(human, judge, stratum, min_labels=2).lam) == 3
    apart = ppi_stratified(human, judge, stratum, merge=False)
    assert (apart.point, apart.reason) == (None, "a stratum has fewer than 5 labels")
    assert apart.interval.low is None
    nobody = ppi_stratified([None] * 200, judge, stratum)
    assert (nobody.point, nobody.reason) == (None, "no human label")


def test_clusters_of_one_item_are_items_and_a_half_labelled_cluster_is_refused():
    truth, judge, _ = world(300)
    human = hidden(truth, 90)
    for form in ("means", "ratio"):
        found = ppi_clustered(human, judge, range(300), form=form, convention="glide", lam=0.7)
        same = ppi_mean(truth[:90], judge[:90], judge[90:], convention="glide", lam=0.7)
        assert (found.point, found.se) == (pytest.approx(same.point), pytest.approx(same.se))
    with pytest.raises(InputError, match="cluster 9 is labelled in part"):
        ppi_clustered(human, judge, [i // 20 * 2 + (i >= 80) for i in range(300)])


def test_labels_of_whole_clusters_are_fewer_than_they_look():
    _, judge, _ = world(300)
    block = np.repeat(np.arange(30), 10)
    alike = (np.random.default_rng(1).random(30) < 0.4).astype(float)[block]
    found = ppi_clustered(hidden(alike, 100), judge, block.tolist())
    assert (found.n, found.clusters) == (100, 10)
    assert found.human_se > 2 * ppi_mean(alike[:100], judge[:100], judge[100:]).human_se


def test_one_judge_of_several_is_the_plain_estimate_and_more_judges_help():
    truth, judge, weak = world(600)
    human = hidden(truth, 120)
    plain = ppi_mean(truth[:120], judge[:120], judge[120:], convention="glide")
    one = ppi_several_judges(human, judge[:, None], convention="glide")
    assert (one.point, one.se) == (pytest.approx(plain.point), pytest.approx(plain.se))
    two = ppi_several_judges(human, np.column_stack([judge, weak]), convention="glide")
    assert two.gain > one.gain
    twice = ppi_several_judges(human, np.column_stack([judge, judge]), convention="glide")
    assert twice.point == pytest.approx(one.point)
    assert "collinear_judges" in twice.interval.flags


def test_items_labelled_more_often_where_the_judge_doubts_are_weighed_back():
    dice, points = np.random.default_rng(4), []
    for _ in range(200):
        truth = (dice.random(500) < 0.3).astype(float)
        doubt = dice.random(500) < 0.4
        judge = np.where(doubt & (dice.random(500) < 0.5), 1 - truth, truth)
        chance = np.where(doubt, 0.4, 0.1)
        asked = dice.random(500) < chance
        human = [value if yes else None for value, yes in zip(truth, asked, strict=True)]
        found = ppi_inclusion(human, judge, chance)
        points.append(found.interval.low <= 0.3 <= found.interval.high)
    assert np.mean(points) > 0.9
    with pytest.raises(InputError, match="chance"):
        ppi_inclusion([1, None], [1, 0], [0.5, 0.0])
    with pytest.raises(InputError, match="sure to be labelled"):
        ppi_inclusion([1, None], [1, 0], [0.5, 1.0])


def test_the_gain_is_the_published_one_and_needs_more_judged_than_labelled():
    assert [round(ppi_gain(rho), 2) for rho in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)] == [
        1.19,
        1.33,
        1.56,
        1.96,
        2.78,
        5.26,
    ]
    assert ppi_gain(0.9, labelled=100, judged_only=0) == 1.0
    assert ppi_gain(1.0) is None
    with pytest.raises(InputError):
        ppi_gain(0.5, labelled=3)


def test_untuned_ppi_helps_only_when_the_residual_varies_less():
    y = [1, 0, 1, 1, 0, 0, 1, 0]
    good = ppi_break_even(y, [1, 0, 1, 1, 0, 0, 1, 1])
    assert good.helps
    assert good.variance_residual == pytest.approx(good.disagreement - good.bias**2)
    assert not ppi_break_even(y, [0, 0, 1, 0, 1, 0, 1, 1]).helps
    constant = ppi_break_even(y, [1] * 8)
    assert (constant.rho, constant.reason) == (None, "rho: human or judge does not vary")
    assert ppi_break_even([1], [1]).helps is None


def test_the_plan_is_kept_by_the_estimate():
    found = ppi_labels_needed(0.3, 0.6, 0.05, items=4000)
    assert found.n_without_judge == 323
    assert 1.4 < found.gain < 1.6
    # the same worlds, labelled as planned
    widths = []
    for seed in range(30):
        truth, judge, _ = world(4000, seed=seed, wrong=0.19)
        n = found.n
        one = ppi_mean(truth[:n], judge[:n], judge[n:])
        widths.append((one.interval.high - one.interval.low) / 2)
    assert np.mean(widths) == pytest.approx(0.05, rel=0.07)
    assert ppi_labels_needed(0.3, 0.6, 0.05, items=100).reason == "all 100 items labelled would not be enough"
    assert ppi_labels_needed(0.3, 1.0, 0.05).n == 1
    assert ppi_labels_needed(0.3, 0.0, 0.05).n == math.ceil(323)
    with pytest.raises(InputError):
        ppi_labels_needed(0.3, 1.2, 0.05)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: ppi_mean([1], [1, 0], [1]), "1 human labels"),
        (lambda: ppi_mean([1, 0], [1, 0], [1], convention="mine"), "mine"),
        (lambda: ppi_mean([1, 0], [1, 0], [1], side="left"), "left"),
        (lambda: ppi_mean([1, 0], [1, 0], [1], weights=[1]), "weights"),
        (lambda: ppi_difference([1], [1, 0], [1, 0], [1, 0]), "differ in length"),
        (lambda: ppi_stratified([1, 0], [1], [0]), "2 human labels"),
        (lambda: ppi_clustered([1, 0], [1, 0], [0, 1], form="sum"), "sum"),
        (lambda: ppi_several_judges([1, 0], [1, 0]), "not a table"),
        (lambda: ppi_break_even([1], [1, 0]), "1 human labels"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(call, word):
    with pytest.raises(InputError, match=word):
        call()
