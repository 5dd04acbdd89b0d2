"""Sentences."""

import pytest

from evenhand.metrics.comparison import verdict
from evenhand.metrics.measure.measure import measure
from evenhand.model.result import Contrast, Standing
from evenhand.model.run import Qrels, Run


def contrast(**changes):
    base = {"a": "dense", "b": "bm25", "metric": "nDCG@10", "difference": 0.041, "low": 0.012, "high": 0.070}
    base |= {"n": 84, "level": 0.95, "method": "paired percentile bootstrap"}
    base |= {"test": "sign-flip, 20,000 random sign vectors", "p": 0.002, "p_adjusted": 0.006, "family": 3}
    base |= {"wins": 40, "ties": 24, "losses": 20, "verdict": "better"}
    return Contrast(**(base | changes))


def test_a_better_system_is_named_first_whatever_the_order_of_the_pair():
    said = (
        "dense is better than bm25 on nDCG@10 by 0.041 [0.012, 0.070] "
        "(n=84; sign-flip p=0.006 after Holm over 3 tests)."
    )
    assert verdict.pair(contrast()) == said
    turned = contrast(a="bm25", b="dense", difference=-0.041, low=-0.070, high=-0.012, verdict="worse")
    assert verdict.pair(turned) == said


def test_not_being_able_to_tell_says_what_would_settle_it():
    c = contrast(
        difference=0.012,
        low=-0.002,
        high=0.026,
        n=472,
        p=0.093,
        p_adjusted=0.093,
        family=1,
        verdict="cannot tell",
        needed={"n": 1312, "low": 1150, "high": 1481, "power": 0.8, "alpha": 0.05},
    )
    assert verdict.pair(c) == (
        "cannot tell dense and bm25 apart on nDCG@10: difference +0.012 [−0.002, +0.026] "
        "(n=472; sign-flip p=0.093); about 1,310 questions (1,150 to 1,480, from the spread seen) "
        "would settle a gap this size at 80% power."
    )


def test_few_questions_that_differ_could_not_have_shown_anything():
    c = contrast(wins=4, losses=0, p=0.125, p_adjusted=0.125, family=1, verdict="cannot tell")
    assert "Only 4 questions differ: no outcome could have given less than p=0.125." in verdict.pair(c)


def test_exploratory_contrasts_are_marked():
    said = verdict.pair(contrast(exploratory=True, p_adjusted=None, family=None))
    assert "p=0.002, exploratory, not adjusted" in said


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.31, "p=0.31"),
        (0.006, "p=0.006"),
        (5e-5, "p<0.001"),
        (0.05, "p=0.050"),
        (0.0502, "p=0.0502"),
        (0.0498, "p=0.050"),
        (1.0, "p=1.00"),
    ],
)
def test_p_is_never_rounded_across_the_level(p, text):
    assert verdict.pvalue(p) == text


@pytest.mark.parametrize(
    ("n", "text"), [(1312, "1,310"), (63, "63"), (84, "84"), (27_449, "27,400"), (99_960, "100,000")]
)
def test_numbers_of_questions_are_told_to_three_digits(n, text):
    assert verdict.about(n) == text


def test_shares_that_round_to_nothing_or_all_are_not_called_so():
    assert [verdict.percent(x) for x in (0, 0.001, 0.01, 0.5, 0.999, 1.0)] == [
        "<1%",
        "<1%",
        "1%",
        "50%",
        ">99%",
        ">99%",
    ]
    assert verdict.signed(-0.0001) == "0.000"
    assert verdict.signed(-0.04) == "−0.040"


def field(best, in_play, **more):
    leader = next(iter(best))
    s = Standing(metric="AP", leader=leader, best=best, in_play=in_play, n=50, resamples=100, seed=1)
    return verdict.field(s, 0.7, **more)


def test_the_field_in_one_sentence():
    alone = field({"a": 1.0, "b": 0.0}, ("a",))
    assert alone == "a leads on AP (0.700, n=50; best in >99% of resamples) and is better than b."
    three = field({"a": 0.6, "b": 0.1, "c": 0.3}, ("a", "b", "c"))
    assert "but c (30%) and b (10%) are still in play" in three
    untested = field({"a": 0.6, "b": 0.4}, ("a", "b"), untested=["b"])
    assert untested.endswith("Not tested against it, by the declared pairs: b.")
    odd = field({"a": 0.4, "b": 0.6}, ("a", "b"))
    assert "Yet b is best in more resamples (60%): the lead is not firm." in odd


def test_a_contrast_without_an_interval_says_why_when_printed():
    ranking = {f"q{i}": [("d", 1.0)] for i in range(4)}
    m = measure(
        Qrels.of({q: {"d": 1} for q in ranking}), [Run.of("a", ranking), Run.of("b", ranking)], ["RR"]
    )
    assert str(m.contrast("a", "b", "RR")) == "0.000 (identical on every question) W/T/L 0/4/0 p=1"
