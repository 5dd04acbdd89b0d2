"""The coverage study: complete, repeatable in brief, and able to notice what is too narrow."""

import dataclasses
import math
import re
from importlib import import_module
from pathlib import Path

import pytest
from benchmarks import coverage_gates, coverage_labels
from benchmarks.coverage import simulate
from benchmarks.coverage_functions import FUNCTIONS
from benchmarks.coverage_lines import Line, Size
from benchmarks.coverage_page import page
from tests.stats import reference

from evenhand.model.result import Interval
from evenhand.stats.intervals import coverage
from evenhand.stats.power import paired
from evenhand.stats.selective import guarantee, intervals

PAGE = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "coverage.md"
SOME = Size(studies=300, slow=300, resamples=200)


def figures():
    """Of the page: what stands at each n, by interval and setting."""
    made = {}
    for row in re.findall(r"^\| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        cells = [cell.strip("* ") for cell in row.split(" | ")]
        if len(cells) >= 6 and cells[-1].endswith("%"):
            shown = [None if cell == "–" else float(cell[:-1]) / 100 for cell in cells[-4:]]
            made[cells[0], cells[1]] = dict(zip((12, 40, 100, 300), shown, strict=True))
    return made


def gives_interval(word, module, seen=()):
    """Is *word* of an annotation in *module* an interval, or does it hold one?"""
    value = getattr(module, word, None)
    if value is Interval:
        return True
    if not (isinstance(value, type) and dataclasses.is_dataclass(value)) or word in seen:
        return False
    own = import_module(value.__module__)
    words = {w for field in dataclasses.fields(value) for w in re.findall(r"\w+", str(field.type))}
    return any(gives_interval(w, own, (*seen, word)) for w in words)


def test_every_function_that_gives_an_interval_has_rows_on_the_page():
    found = set()
    for name in reference.modules():
        module = import_module(f"evenhand.stats.{name}")
        for one in reference.functions(module):
            words = re.findall(r"\w+", str(one.__annotations__.get("return", "")))
            if any(gives_interval(word, module) for word in words):
                found.add(f"{name}.{one.__name__}")
    assert len(found) > 40
    assert found - set(FUNCTIONS) == set()
    rows = {interval for interval, _ in figures()}
    assert {row for told in FUNCTIONS.values() for row in told} - rows == set()
    for name in FUNCTIONS:
        module, function = name.rsplit(".", 1)
        assert callable(getattr(import_module(f"evenhand.stats.{module}"), function))


def test_a_brief_study_has_the_rows_of_the_page_and_about_its_figures():
    shown, made = figures(), simulate(quick=True)
    assert {(line.interval, line.setting) for line in made} == set(shown)
    for line in made:
        for n, x in line.at.items():
            there = shown[line.interval, line.setting][n]
            # as few as 20 studies: four standard errors
            assert abs(x - there) <= 4 * math.sqrt(max(there * (1 - there), 0.02) / 20), (line, n)
    text = page(made)
    assert "## Where each falls short" in text
    assert "## Which function is which row" in text


def test_the_range_that_agreement_quotes_is_that_of_the_page():
    names = ("raw agreement of two", "always the commonest answer", "Gwet's AC1")
    found = [
        at[40] for (name, _), at in figures().items() if name in {f"{one}, over topics" for one in names}
    ]
    found += [at[40] for (name, _), at in figures().items() if name == "kappa, bootstrap over topics of 5"]
    assert len(found) == 4
    assert (min(found), max(found)) == pytest.approx(coverage.AGREEMENT_TOPICS, abs=5e-4)


def test_what_is_promised_holds_and_what_is_not_is_bold():
    kept = Line("certified thresholds", "x", "y", {40: 0.105}, most=0.1)
    assert not kept.broken(0.105)
    assert kept.broken(0.12)
    assert not dataclasses.replace(kept, plain=True).broken(0.9)
    assert Line("means", "x", "y", {}).broken(0.92)
    for line in coverage_gates.promises((40, 100), SOME):
        independent = "clusters" not in line.setting
        for n, x in line.at.items():
            if line.most is not None and independent:
                error = 3 * math.sqrt(line.most * (1 - line.most) / SOME.slow)
                assert x <= line.most + (error if "conformal" not in line.interval else 0.01), (line, n)
    made = [line for line in coverage_gates.promises((100,), SOME) if "no promise" in line.interval]
    assert all(line.at[100] > 0.2 for line in made)


@pytest.mark.parametrize("method", ["bonferroni", "fixed_sequence"])
def test_a_certificate_that_overlooks_half_of_the_errors_is_noticed(monkeypatch, method):
    def easy(thresholds, answered, errors, **options):
        return guarantee.learn_then_test(thresholds, answered, [n // 2 for n in errors], **options)

    monkeypatch.setattr(coverage_gates, "learn_then_test", easy)
    name = dict(coverage_gates.METHODS)[method]
    made = {line.setting: line for line in coverage_gates.promises((100,), SOME) if line.interval == name}
    line = made["risk at most 40%"]
    assert line.broken(line.at[100])


def test_an_interval_that_is_too_narrow_is_noticed(monkeypatch):
    narrow = intervals.areas_bootstrap

    def half(*args, **options):
        return narrow(*args, level=0.6, **options)

    size = Size(studies=300, slow=800, resamples=200)
    true = coverage_gates.areas((40,), size)
    monkeypatch.setattr(coverage_gates, "areas_bootstrap", half)
    for one, other in zip(true, coverage_gates.areas((40,), size), strict=True):
        assert other.at[40] < one.at[40] - 0.1
        assert other.broken(other.at[40])


def test_a_gate_that_passes_too_easily_is_noticed(monkeypatch):
    def wide(d, margin, **options):
        return paired.noninferiority_t(d, margin, alpha=0.3, **options)

    monkeypatch.setattr(coverage_gates, "noninferiority_t", wide)
    made = coverage_gates.noninferiority((40,), SOME)
    (line,) = [x for x in made if (x.interval, x.setting) == ("paired t: wrongly passed", "six in ten tied")]
    assert line.broken(line.at[40])
    (line,) = [x for x in made if x.interval == "Newcombe: wrongly passed" and x.setting.endswith("0.85")]
    assert not line.broken(line.at[40])


def test_several_judges_beside_few_labels_are_too_narrow_and_beside_many_are_not():
    size = Size(studies=100, slow=100, resamples=200)
    made = {line.interval: line.at for line in coverage_labels.other_designs((12, 300), size)}
    at = made["PPI++ with three judges"]
    assert at[12] < 0.9
    assert at[300] > 0.9
