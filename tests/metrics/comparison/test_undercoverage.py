"""Intervals that are too narrow are said to be so, with figures that stand in the docs."""

import re
from pathlib import Path

import numpy as np
import pytest

from evenhand.metrics.comparison.slices import slices
from evenhand.metrics.comparison.summary import compare
from evenhand.model.gold import Question
from evenhand.model.result import Measurements
from evenhand.stats.intervals import coverage

PAGE = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "coverage.md"


def measured(n, metric="nDCG@10", *, zeros=0.0, seed=1):
    dice = np.random.default_rng(seed)
    value = dice.random((2, 1, n))
    value[:, :, : round(zeros * n)] = 0.0
    if metric.startswith("Success"):
        value = (value > 0.5).astype(float)
    return Measurements(
        ("a", "b"), (metric,), tuple(f"q{i}" for i in range(n)), value, np.zeros(value.shape, np.int16)
    )


def warned(m, **options):
    found = compare(m, primary=m.metrics[0], resamples=200, signs=200, **options)
    return [text for text in found.warnings if "too narrow" in text]


def test_below_twenty_questions_a_mean_is_warned_of_with_what_was_measured():
    (text,) = warned(measured(12))
    assert text.startswith("12 questions: the bootstrap intervals of nDCG@10 are too narrow")
    assert "78% to 92%" in text
    assert "differences in 86%" in text
    assert warned(measured(19))
    assert not warned(measured(20))


def test_hit_rates_are_not_concerned():
    assert not warned(measured(12, "Success@5"))


def test_lopsided_values_are_warned_of_up_to_a_hundred_questions():
    (text,) = warned(measured(60, zeros=0.7))
    assert "the same value on 60% or more of the 60 questions for a and b" in text
    assert "40 questions" in text
    assert "88%" in text
    assert not warned(measured(120, zeros=0.7))
    assert not warned(measured(60, zeros=0.3))


def test_a_null_system_that_finds_nothing_is_not_warned_of():
    m = measured(60)
    m.value[1] = 0.0
    assert warned(m)
    assert not warned(m, nulls=("b",))


def test_a_slice_of_few_questions_says_so_beside_its_n():
    m = measured(30)
    questions = [Question(id=q, text="?", type="x" if i < 12 else "y") for i, q in enumerate(m.questions)]
    few, many = slices(m, questions, by=("type",), resamples=200, signs=200)
    assert "too narrow" in few.note
    assert "one question moves this by 1/12" in few.note
    many = slices(m, questions, by=("type",), resamples=200, signs=200)[1]
    assert many.n == 18
    hits = slices(measured(30, "Success@5"), questions, by=("type",), resamples=200, signs=200)
    assert hits[0].note == "one question moves this by 1/12"


@pytest.mark.parametrize(
    ("row", "figures"),
    [
        ("percentile bootstrap | like nDCG, mean 0.58", coverage.MEANS),
        ("percentile bootstrap | like RR of a weak system, mean 0.09", coverage.MEANS_LOPSIDED),
        ("percentile bootstrap | six in ten tied", coverage.DIFFERENCES),
    ],
)
def test_the_figures_are_those_of_the_page(row, figures):
    (line,) = [x for x in PAGE.read_text(encoding="utf-8").splitlines() if x.startswith(f"| {row} |")]
    shown = [float(x) / 100 for x in re.findall(r"([\d.]+)%", line.split("|", 3)[3])]
    assert shown == pytest.approx(list(figures.values()), abs=5e-4)


def test_a_quick_simulation_finds_what_the_page_says():
    from benchmarks.coverage import QUICK, means, shares

    found = {(line.interval, line.setting): line.at for line in means((12,), QUICK)}
    at = found["percentile bootstrap", "like RR of a weak system, mean 0.09"][12]
    assert at == pytest.approx(coverage.MEANS_LOPSIDED[12], abs=0.1)
    assert all(
        x >= 0.95 for line in shares((12,)) if line.interval == "Clopper-Pearson" for x in line.at.values()
    )
