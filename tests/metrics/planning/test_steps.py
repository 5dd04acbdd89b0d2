"""Metrics that go in steps: a printed mean is accused only where no rounding of any possible mean gives it."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.metrics.planning.published_figures import read_figure

RULES = [ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN]


def printed(value, digits, rule):
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return str(exact.quantize(Decimal(1).scaleb(-digits), rounding=rule))


@given(st.data(), st.sampled_from(["P", "R", "RR", "Success", "Judged", "RPrec"]), st.sampled_from(RULES))
def test_no_mean_that_could_be_is_accused_whatever_the_rounding(data, name, rule):
    n, k, relevant = (data.draw(st.integers(1, most)) for most in (30, 10, 8))
    values = {
        "P": [Fraction(i, k) for i in range(k + 1)],
        "Judged": [Fraction(i, k) for i in range(k + 1)],
        "R": [Fraction(i, relevant) for i in range(relevant + 1)],
        "RPrec": [Fraction(i, relevant) for i in range(relevant + 1)],
        "RR": [Fraction(0), *(Fraction(1, i) for i in range(1, k + 1))],
        "Success": [Fraction(0), Fraction(1)],
    }[name]
    mean = sum(data.draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))) / n
    text = printed(mean, data.draw(st.integers(1, 5)), rule)
    metric = name if name == "RPrec" else f"{name}@{k}"
    made = read_figure(text, n=n, metric=metric, relevant=relevant if name in ("R", "RPrec") else None)
    assert not made.wrong, made.wrong


@pytest.mark.parametrize(
    ("text", "n", "metric", "relevant", "near"),
    [
        ("0.473", 40, "P@5", None, "steps of 1/200: the nearest are 0.4700 and 0.4750"),
        ("0.47", 1, "P@5", None, "0.400 and 0.600"),
        ("0.473", 40, "Judged@5", None, "1/200"),
        ("0.47", 1, "RR", None, "0 or 1/rank"),
        ("0.61", 2, "RR@10", None, "0.600 and 0.625"),
        ("0.98", 3, "RR@10", None, "0.833 and 1.000"),
        ("0.40", 3, "R@5", 2, "steps of 1/6"),
        ("0.40", 3, "RPrec", 2, "steps of 1/6"),
        ("0.40", 3, "Success@5", None, "no whole number of 3"),
    ],
)
def test_a_mean_that_no_rounding_gives_is_accused_with_the_nearest(text, n, metric, relevant, near):
    assert near in read_figure(text, n=n, metric=metric, relevant=relevant).wrong


@pytest.mark.parametrize("metric", ["nDCG@10", "R@5", "P@1000tokens", "AP", "RPrec(mult=2)"])
def test_metrics_without_steps_accuse_nobody(metric):
    assert not read_figure("0.473", n=3, metric=metric).wrong


def test_digits_that_were_cut_off_are_told_apart_from_rounding():
    assert read_figure("0.66", n=3, metric="Success@1").cut
    assert not read_figure("0.67", n=3, metric="Success@1").cut
    assert read_figure("0.66", n=1, metric="P@3").cut
