import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.metrics.catalogue.definition import definition
from evenhand.metrics.comparison.noninferiority import Case, checkable, enough, hold, hold_all
from evenhand.stats.many_systems.multiple import holm
from evenhand.stats.power.paired import noninferiority_newcombe, noninferiority_t

DICE = np.random.default_rng(3)
OLD = DICE.random(80)
NEW = OLD + DICE.normal(-0.01, 0.08, 80)
HITS_OLD = (DICE.random(80) < 0.7) * 1.0
HITS_NEW = HITS_OLD.copy()
HITS_NEW[:5] = 1 - HITS_NEW[:5]


def test_a_mean_is_held_by_the_paired_t():
    from scipy.stats import ttest_1samp

    found = hold(Case("nDCG@10", NEW, OLD, 0.03))
    assert found == noninferiority_t(NEW - OLD, 0.03)
    assert found.p == pytest.approx(ttest_1samp(NEW - OLD, -0.03, alternative="greater").pvalue)


def test_a_hit_rate_is_held_by_newcombe_with_its_counts():
    case = Case("Success(rel=2)@5", HITS_NEW, HITS_OLD, 0.1)
    assert sum(case.counts) == 80
    bare = noninferiority_newcombe(*case.counts, 0.1)
    found = hold(case)
    assert (found.low, found.high, found.method) == (bare.low, bare.high, "Newcombe method 10")
    assert hold(case, test="t").method == "paired t"


def test_clusters_that_agree_within_make_the_interval_wider():
    gaps = np.repeat(np.random.default_rng(1).normal(0, 0.1, 16), 5)
    case = Case("nDCG@10", gaps, np.zeros(80), 0.02, [f"c{i // 5}" for i in range(80)])
    plain, clustered = hold(case, test="t"), hold(case, test="clusters")
    assert plain.difference == pytest.approx(clustered.difference)
    assert clustered.low < plain.low
    assert clustered.high > plain.high


def test_one_cluster_decides_nothing():
    found = hold(Case("nDCG@10", NEW, OLD, 0.03, ["c"] * 80), test="clusters")
    assert (found.verdict, found.reason) == ("inconclusive", "only one cluster")


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        ("NumRel", "no mean over questions"),
        ("FalseAnswerRate", "worse the higher"),
        ("RBPResidual@10", "worse the higher"),
        ("AnsweredPrecision", "chooses to answer"),
    ],
)
def test_what_has_no_pairs_or_is_worse_when_higher_is_refused(metric, why):
    with pytest.raises(InputError, match=why):
        checkable(metric)


def test_an_unknown_metric_is_a_mean_measured_elsewhere():
    checkable("faithfulness")
    assert definition("faithfulness") == "faithfulness, measured elsewhere"


def test_a_definition_holds_the_defaults_that_a_name_leaves_out():
    assert "gain=linear" in definition("nDCG@10")
    assert definition("nDCG(gain=exp)@10") != definition("nDCG@10")


margins = st.lists(st.floats(0.005, 0.2), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(margins, st.floats(-0.1, 0.1))
def test_holm_by_levels_is_holm_by_p_values(many, shift):
    cases = [Case("nDCG@10", NEW + shift, OLD, margin) for margin in many]
    found = hold_all(cases, adjust="holm")
    for claim, sign in (("pass", 1), ("fail", -1)):
        from scipy.stats import ttest_1samp

        side = "greater" if sign > 0 else "less"
        p = [float(ttest_1samp(c.gaps, -c.margin, alternative=side).pvalue) for c in cases]
        wanted = [x is not None and x < 0.05 for x in holm(p)]
        assert [one.found.verdict == claim for one in found] == wanted


def test_without_adjustment_each_is_held_at_alpha():
    cases = [Case("nDCG@10", NEW, OLD, margin) for margin in (0.02, 0.03, 0.2)]
    assert {one.alpha for one in hold_all(cases)} == {0.05}
    assert hold_all(cases, adjust="holm")[-1].alpha == pytest.approx(0.05 / 3)


def test_as_many_questions_as_are_said_to_decide_do_decide_four_times_in_five():
    case = Case("nDCG@10", NEW, OLD, 0.02)
    n = enough(case)["if_equal"]
    dice = np.random.default_rng(11)
    sd = float(np.std(NEW - OLD, ddof=1))
    passed = sum(noninferiority_t(dice.normal(0, sd, n), 0.02).verdict == "pass" for _ in range(600))
    assert 0.74 < passed / 600 < 0.86


def test_hit_rates_that_never_differ_need_enough_for_the_interval_to_clear_the_margin():
    case = Case("Success(rel=2)@5", HITS_OLD, HITS_OLD, 0.02)
    assert hold(case).verdict == "inconclusive"
    n = enough(case)["if_equal"]
    hits = round(float(HITS_OLD.mean()) * n)
    assert noninferiority_newcombe(hits, 0, 0, n - hits, 0.02).verdict == "pass"
    assert n > 80


def test_a_loss_of_just_the_margin_is_decided_by_no_number():
    gaps = np.array([-0.1, 0.06, -0.1, 0.06])
    assert enough(Case("nDCG@10", gaps, np.zeros(4), 0.02))["as_seen"] is None


def test_two_questions_are_needed_at_least():
    case = Case("nDCG@10", np.array([0.1]), np.array([0.2]), 0.02)
    assert hold(case).verdict == "inconclusive"
    assert enough(case) == {"if_equal": None, "as_seen": None, "power": 0.8}
