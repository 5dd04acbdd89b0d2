"""Estimates, contrasts and whole fields."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.metrics.comparison.summary import compare, contrast, estimate, standing
from evenhand.model.result import Measurements
from evenhand.stats.intervals.bootstrap import mean_percentile
from evenhand.stats.paired.paired import bootstrap_mean_difference
from evenhand.stats.paired.signflip import signflip


def build(metric_values, *, undefined=None, **more):
    """Measurements from {metric: {system: values}}; *undefined*: {metric: {system: positions}}."""
    metrics = tuple(metric_values)
    systems = tuple(metric_values[metrics[0]])
    value = np.array([[metric_values[m][s] for m in metrics] for s in systems], dtype=float)
    why = np.zeros(value.shape, dtype=np.int16)
    for m, by in (undefined or {}).items():
        for s, at in by.items():
            why[systems.index(s), metrics.index(m), at] = 1
            value[systems.index(s), metrics.index(m), at] = 0.0
    return Measurements(
        systems=systems,
        metrics=metrics,
        questions=tuple(f"q{i}" for i in range(value.shape[2])),
        value=value,
        why=why,
        reasons=("", "no relevant unit is known"),
        **more,
    )


def random_field(systems=3, n=40, step=0.02, seed=0, metrics=("nDCG@10",)):
    dice = np.random.default_rng(seed)
    hard = dice.random(n)
    return build(
        {
            m: {
                f"s{i}": np.clip(hard + dice.normal(step * i, 0.15, n), 0, 1).round(3) for i in range(systems)
            }
            for m in metrics
        }
    )


def hits(k, n):
    return [1.0] * k + [0.0] * (n - k)


# --- estimates


def test_a_mean_gets_the_published_bootstrap_and_a_hit_rate_wilson():
    x = np.random.default_rng(1).random(30)
    m = build({"nDCG@10": {"a": x}, "Success@1": {"a": hits(8, 30)}})
    mean, share = estimate(m, "a", "nDCG@10"), estimate(m, "a", "Success@1")
    direct = mean_percentile(x).interval
    assert (mean.low, mean.high, mean.method) == (direct.low, direct.high, "percentile bootstrap")
    assert (mean.seed, mean.resamples, mean.n) == (20241009, 10_000, 30)
    assert (share.method, share.k, share.n, share.resamples) == ("Wilson", 8, 30, None)
    assert share.low == pytest.approx(0.1418, abs=1e-4)


def test_a_hit_rate_is_one_by_its_name_not_by_its_values():
    m = build({"nDCG@1": {"a": hits(8, 12)}, "Success@1": {"a": hits(8, 12)}})
    assert estimate(m, "a", "nDCG@1").method == "percentile bootstrap"
    assert estimate(m, "a", "Success@1").method == "Wilson"
    with pytest.raises(InputError, match=r"0\.5"):
        estimate(build({"Success@1": {"a": [0.5, 1.0]}}), "a", "Success@1")


def test_what_cannot_have_an_interval_says_why_b048():
    m = build({"nDCG@10": {"a": [1.0] * 8}, "Success@1": {"a": [1.0] * 8}})
    constant, share = estimate(m, "a", "nDCG@10"), estimate(m, "a", "Success@1")
    assert (constant.point, constant.low, constant.reason) == (1.0, None, "no variation seen")
    assert share.low == pytest.approx(0.675592, abs=1e-6)
    one = estimate(build({"nDCG@10": {"a": [0.4]}}), "a", "nDCG@10")
    assert (one.point, one.low, one.reason) == (0.4, None, "one question: no interval")
    none = estimate(build({"nDCG@10": {"a": [0.4]}}, undefined={"nDCG@10": {"a": [0]}}), "a", "nDCG@10")
    assert (none.point, none.n, none.undefined, none.reason) == (None, 0, 1, "no question is defined")
    assert "nan" not in f"{constant} {share} {one} {none}".lower()


def test_counts_and_label_shares_travel_with_the_number():
    m = build(
        {"nDCG@10": {"a": [0.1, 0.0, 0.0, 0.9]}},
        undefined={"nDCG@10": {"a": [3]}},
        missing=np.array([[False, True, False, False]]),
        unreachable=np.array([[[False, False, True, False]]]),
        extra={
            "judged": {"a": {"nDCG@10": 0.75}},
            "labels": {"a": {"nDCG@10": {"human": 1.0, "aligned": 0.0, "panel": 0.0}}},
        },
    )
    found = estimate(m, "a", "nDCG@10")
    assert (found.n, found.undefined, found.missing, found.unreachable) == (3, 1, 1, 1)
    assert (found.judged, found.labels["human"]) == (0.75, 1.0)


def test_other_spellings_of_a_metric_are_understood_and_unknown_ones_named():
    m = random_field()
    assert estimate(m, "s0", "ndcg_cut_10") == estimate(m, "s0", "nDCG@10")
    with pytest.raises(InputError) as caught:
        estimate(m, "s0", "nDCG@1O")
    assert "nDCG@10" in caught.value.mend


# --- contrasts


def test_a_contrast_is_paired_and_agrees_with_the_plain_functions():
    m = random_field(2)
    a, b = m.value[1, 0], m.value[0, 0]
    found = contrast(m, "s1", "s0", "nDCG@10")
    direct = bootstrap_mean_difference(a, b)
    assert (found.low, found.high) == pytest.approx((direct.interval.low, direct.interval.high), abs=1e-12)
    assert found.p == signflip(a - b).p
    assert found.p_adjusted is None
    assert found.d_z == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    assert found.wins + found.ties + found.losses == found.n == 40


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["nDCG@10", "Success@5"]))
def test_exchange_of_systems_flips_signs_and_keeps_p(seed, metric):
    dice = np.random.default_rng(seed)
    values = dice.random((2, 25)).round(2)
    if metric.startswith("Success"):
        values = (values > 0.4).astype(float)
    m = build({metric: {"a": values[0], "b": values[1]}})
    one, other = (contrast(m, x, y, metric, resamples=500, signs=500) for x, y in ("ab", "ba"))
    assert one.p == other.p
    assert one.difference == pytest.approx(-other.difference)
    assert (one.wins, one.losses) == (other.losses, other.wins)
    turned = {"better": "worse", "worse": "better"}
    assert one.verdict == turned.get(other.verdict, other.verdict)
    if one.low is not None:
        assert one.low == pytest.approx(-other.high, abs=1e-9)
        assert one.low - 1e-9 <= one.difference <= one.high + 1e-9
    assert 0 < one.p <= 1


@settings(max_examples=5, deadline=None)
@given(st.permutations(range(12)))
def test_the_order_of_questions_changes_neither_point_nor_exact_p_nor_counts(order):
    m = random_field(2, n=12)
    turned = replace(m, value=m.value[:, :, order])
    one, other = contrast(m, "s1", "s0", "nDCG@10"), contrast(turned, "s1", "s0", "nDCG@10")
    for name in ("difference", "p", "n", "wins", "ties", "losses"):
        assert getattr(one, name) == getattr(other, name)
    assert one.d_z == pytest.approx(other.d_z)
    # the draw goes by position, so the interval moves, by no more than resampling noise
    assert one.low == pytest.approx(other.low, abs=0.02)


@pytest.mark.parametrize(
    ("counts", "published"),
    [((36, 0, 4, 0), (-0.231, 0.006, 0.125)), ((24, 12, 2, 2), (0.068, 0.415, 0.013))],
)
def test_hit_rates_get_newcombe_10_and_mcnemar_as_published(counts, published):
    both, only_a, only_b, neither = counts
    a = [1.0] * (both + only_a) + [0.0] * (only_b + neither)
    b = [1.0] * both + [0.0] * only_a + [1.0] * only_b + [0.0] * neither
    found = contrast(build({"Success@5": {"a": a, "b": b}}), "a", "b", "Success@5")
    assert (round(found.low, 3), round(found.high, 3), round(found.p, 3)) == published
    assert (found.method, found.test, found.resamples) == ("Newcombe method 10", "McNemar, exact", None)
    assert tuple(found.counts.values()) == counts


def test_twelve_of_twelve_against_eight_of_twelve_is_125():
    found = contrast(build({"Success@1": {"a": hits(12, 12), "b": hits(8, 12)}}), "a", "b", "Success@1")
    assert found.p == 0.125
    assert found.verdict == "cannot tell"


def test_a_contrast_uses_the_questions_defined_for_both():
    m = build(
        {"AP": {"a": [0.5, 0.6, 0.7, 0.2], "b": [0.1, 0.9, 0.1, 0.3]}},
        undefined={"AP": {"a": [0], "b": [3]}},
    )
    found = contrast(m, "a", "b", "AP")
    assert (found.n, found.undefined) == (2, 2)
    assert found.difference == pytest.approx(0.15)


def test_the_same_everywhere_is_identical_and_a_constant_gap_has_no_interval():
    m = build({"AP": {"a": [0.5, 0.6] * 5, "b": [0.5, 0.6] * 5, "c": [0.4, 0.5] * 5}})
    same, shifted = contrast(m, "a", "b", "AP"), contrast(m, "a", "c", "AP")
    assert (same.verdict, same.difference, same.p, same.low) == ("identical", 0.0, 1.0, None)
    assert (shifted.verdict, shifted.low, shifted.d_z) == ("better", None, None)
    assert "no variation" in shifted.reason


def gap_of(mean, sd, n, seed=0):
    d = np.random.default_rng(seed).normal(size=n)
    d = (d - d.mean()) / d.std(ddof=1) * sd + mean
    return build({"nDCG@10": {"a": 0.5 + d, "b": np.full(n, 0.5)}})


def test_a_gap_of_012_with_a_spread_of_155_needs_about_1310_questions():
    found = contrast(gap_of(0.012, 0.155, 472), "a", "b", "nDCG@10")
    assert found.verdict == "cannot tell"
    assert found.needed["n"] == pytest.approx(1310, abs=10)
    assert 1000 < found.needed["low"] < 1250
    assert 1370 < found.needed["high"] < 1800
    assert (found.needed["power"], found.needed["alpha"]) == (0.8, 0.05)


def test_a_gap_too_small_says_that_no_number_would_do():
    found = contrast(gap_of(0.001, 0.155, 472), "a", "b", "nDCG@10")
    assert found.needed["n"] is None
    r = compare(gap_of(0.001, 0.155, 472), primary="nDCG@10")
    assert "no realistic number of questions" in r.sentences[1]


def test_what_is_settled_needs_no_number():
    assert contrast(gap_of(0.1, 0.155, 472), "a", "b", "nDCG@10").needed == {}


# --- a whole field


def test_every_number_of_a_comparison_is_the_one_asked_for_alone():
    m = random_field(4, metrics=("nDCG@10", "RR@10"))
    r = compare(m, primary="nDCG@10")
    for e in r.estimates:
        assert e == estimate(m, e.system, e.metric)
    for c in r.contrasts:
        alone = contrast(m, c.a, c.b, c.metric)
        assert (c.low, c.high, c.p, c.difference) == (alone.low, alone.high, alone.p, alone.difference)


def test_the_family_is_pairs_times_primary_and_the_rest_is_exploratory():
    m = random_field(4, metrics=("nDCG@10", "RR@10", "R@5"))
    r = compare(m, primary="RR@10")
    family = [c for c in r.contrasts if not c.exploratory]
    assert (len(family), r.family) == (6, 6)
    assert {(c.metric, c.family) for c in family} == {("RR@10", 6)}
    aside = [c for c in r.contrasts if c.exploratory]
    assert len(aside) == 12
    assert all(c.p_adjusted is None and c.family is None for c in aside)
    assert all(c.p_adjusted >= c.p for c in family)
    few = compare(m, primary="RR@10", pairs=[("s3", "s0")], exploratory_metrics=["R@5"])
    assert [(c.a, c.b, c.metric) for c in few.contrasts] == [("s3", "s0", "RR@10"), ("s3", "s0", "R@5")]
    assert few.contrast("s3", "s0").family == 1


def test_raw_significant_and_adjusted_not_is_said_in_words():
    # p of about .028 alone, .084 after Holm over three: not significant by the declared rule
    dice = np.random.default_rng(3)
    d = dice.normal(size=40)
    d = (d - d.mean()) / d.std(ddof=1) * 0.2 + 0.2 * 0.36
    other = dice.normal(0, 0.2, 40)
    m = build({"nDCG@10": {"a": 0.5 + d, "b": np.full(40, 0.5), "c": 0.535 + other - other.mean()}})
    r = compare(m, primary="nDCG@10")
    c = r.contrast("a", "b")
    assert c.p == pytest.approx(0.028, abs=0.008)
    assert c.p_adjusted == pytest.approx(3 * c.p)
    assert c.verdict == "cannot tell"
    assert any("Alone, p=0.02" in s and "not significant by the declared rule" in s for s in r.sentences)
    assert any("significant alone and not after Holm over 3 tests" in w for w in r.warnings)
    plain = compare(m, primary="nDCG@10", adjust="none").contrast("a", "b")
    assert (plain.verdict, plain.p_adjusted) == ("better", None)


def test_all_systems_of_a_table_share_one_n():
    m = build(
        {"AP": {"a": [0.5, 0.6, 0.7, 0.2], "b": [0.1, 0.9, 0.1, 0.3], "c": [0.1, 0.2, 0.3, 0.3]}},
        undefined={"AP": {"a": [0], "c": [0, 1]}},
    )
    r = compare(m, primary="AP")
    assert {e.n for e in r.estimates} == {2}
    assert any("2 questions defined for every system" in w and "b (2)" in w for w in r.warnings)
    assert r.contrast("a", "b").n == 3


def test_a_system_without_any_value_does_not_empty_the_table():
    m = build(
        {"AP": {"a": [0.5, 0.6, 0.7], "b": [0.1, 0.9, 0.1], "c": [0.0, 0.0, 0.0]}},
        undefined={"AP": {"c": [0, 1, 2]}},
    )
    r = compare(m, primary="AP")
    assert [e.n for e in r.estimates] == [3, 3, 0]
    assert r.contrast("a", "c").difference is None
    assert "c" not in r.standing.best
    assert any("undefined on every question for c" in w for w in r.warnings)
    assert any("a and c cannot be compared" in s for s in r.sentences)


def test_missing_and_unreachable_questions_are_warned_of():
    m = build(
        {"AP": {"a": [0.5, 0.0, 0.7], "b": [0.1, 0.9, 0.0]}},
        missing=np.array([[False, True, False], [False, False, False]]),
        unreachable=np.array([[[False, False, False]], [[False, False, True]]]),
        extra={"judged": {"a": {"AP": 0.9}, "b": {"AP": 0.4}}},
    )
    warnings = compare(m, primary="AP").warnings
    assert any("a has no ranking for 1 of 3 questions" in w for w in warnings)
    assert any("no unit that b searches can answer 1 of 3 questions" in w for w in warnings)
    assert any("labels favour a" in w and "40%" in w for w in warnings)


def test_labels_favour_nobody_where_all_of_them_say_relevant():
    x = np.random.default_rng(0).random(20)
    judged = {"a": {"AP": 0.9}, "b": {"AP": 0.2}}
    values = {"AP": {"a": x, "b": x / 3}}
    pooled = build(values, extra={"judged": judged})
    aligned = build(values, extra={"judged": judged, "one_sided": {"a": True, "b": True}})
    assert any("labels favour a" in w for w in compare(pooled, primary="AP").warnings)
    assert not any("labels favour" in w for w in compare(aligned, primary="AP").warnings)


def test_a_null_system_shows_unjudged_units_without_that_being_a_fault_of_the_labels():
    x = np.random.default_rng(0).random(20)
    shares = {"a": {"AP": 0.9}, "random": {"AP": 0.01}}
    m = build({"AP": {"a": x, "random": x / 3}}, extra={"judged": shares})
    assert not any("labels favour" in w for w in compare(m, primary="AP").warnings)


def test_a_system_that_does_not_beat_a_null_system_is_said_so():
    dice = np.random.default_rng(0)
    x = dice.random(50)
    m = build({"AP": {"good": x + 0.3, "poor": x + dice.normal(0, 0.1, 50), "fixed/random": x}})
    for pairs in ("all", [("good", "poor")]):
        r = compare(m, primary="AP", pairs=pairs)
        said = [w for w in r.warnings if "does not beat" in w]
        assert len(said) == 1
        assert said[0].startswith("poor does not beat fixed/random on AP")


def test_systems_with_the_same_values_are_flagged():
    m = random_field(2)
    twin = replace(m, systems=("a", "b", "c"), value=m.value[[0, 0, 1]], why=m.why[[0, 0, 1]])
    r = compare(twin, primary="nDCG@10")
    assert r.contrast("a", "b").verdict == "identical"
    assert any("fusing them can change nothing" in w for w in r.warnings)
    assert any("a and b are identical on nDCG@10 for all 40 questions" in s for s in r.sentences)


def test_bytes_depend_on_the_inputs_and_the_seed_only():
    m = random_field(3)
    one, again, other = (compare(m, primary="nDCG@10", seed=s) for s in (1, 1, 2))
    assert one == again
    assert [c.low for c in one.contrasts] != [c.low for c in other.contrasts]
    turned = replace(m, systems=m.systems[::-1], value=m.value[::-1], why=m.why[::-1])
    estimates = {e.system: e for e in compare(turned, primary="nDCG@10", seed=1).estimates}
    assert all(estimates[e.system] == e for e in one.estimates)


def test_a_large_comparison_is_bounded_in_memory_and_loads_no_heavy_module():
    m = random_field(12, n=472, step=0.01, metrics=("nDCG@10", "RR@10", "R@5", "R@10", "AP", "P@5"))
    tracemalloc.start()
    r = compare(m, primary="nDCG@10")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(r.contrasts) == 66 * 6
    assert peak < 128 * 2**20


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"primary": "nDCG@1O"}, "nDCG@10"),
        ({"primary": "nDCG@10", "pairs": "some"}, "all"),
        ({"primary": "nDCG@10", "pairs": [("s0", "s9")]}, "s0"),
        ({"primary": "nDCG@10", "pairs": [("s0", "s0")]}, "two different"),
        ({"primary": "nDCG@10", "pairs": [("s0", "s1"), ("s1", "s0")]}, "once"),
        ({"primary": "nDCG@10", "adjust": "bonferonni"}, "holm"),
        ({"primary": "nDCG@10", "level": 95}, "0.95"),
        ({"primary": "nDCG@10", "resamples": 0}, "10,000"),
    ],
)
def test_what_cannot_be_done_names_the_mend(options, words):
    with pytest.raises(InputError) as caught:
        compare(random_field(2), **options)
    assert words in caught.value.mend


# --- standing


def test_p_best_sums_to_1_and_splits_ties():
    m = random_field(2)
    twin = replace(m, systems=("a", "b", "c"), value=m.value[[0, 0, 1]], why=m.why[[0, 0, 1]])
    found = standing(twin, "nDCG@10")
    assert sum(found.best.values()) == pytest.approx(1)
    assert found.best["a"] == found.best["b"]
    assert set(found.in_play) >= {"a", "b"}
    assert found.sentence.startswith("a and b share the lead on nDCG@10")


def test_in_play_is_whoever_is_not_worse_than_the_leader_after_adjustment():
    dice = np.random.default_rng(0)
    x = dice.random(60)
    m = build({"AP": {"low": x - 0.3, "near": x + dice.normal(0, 0.2, 60), "top": x + 0.02}})
    found = compare(m, primary="AP").standing
    assert found.leader in found.in_play
    assert "low" not in found.in_play
    assert len(found.in_play) == 2
    assert "Ruled out: low." in found.sentence


def test_a_system_that_no_pair_holds_against_the_leader_is_neither_in_play_nor_ruled_out():
    x = np.random.default_rng(1).random(40)
    m = build({"AP": {"far": x / 9, "base": x / 2, "top": x}})
    found = compare(m, primary="AP", pairs=[("base", "top"), ("base", "far")]).standing
    assert found.in_play == ("top",)
    assert "is better than base." in found.sentence
    assert "Not tested against it, by the declared pairs: far." in found.sentence


def test_nothing_is_said_to_lead_beside_zero_percent():
    for seed in range(6):
        r = compare(random_field(4, seed=seed, step=0.0), primary="nDCG@10", resamples=200)
        assert " 0%" not in r.standing.sentence
        assert "(0%" not in r.standing.sentence
        assert r.standing.best[r.standing.leader] > 0


def test_a_field_of_one_and_an_empty_table_are_said_plainly():
    m = build({"AP": {"a": [0.1, 0.2, 0.9]}})
    r = compare(m, primary="AP")
    assert r.standing is None
    assert r.sentences[0].startswith("a: AP 0.400 [")
    empty = build({"AP": {"a": [0.1], "b": [0.2]}}, undefined={"AP": {"a": [0], "b": [0]}})
    r = compare(empty, primary="AP")
    assert r.standing is None
    assert all(e.point is None for e in r.estimates)
    assert r.contrasts[0].verdict == "cannot tell"
