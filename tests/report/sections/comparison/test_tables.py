from __future__ import annotations

import io

import pytest

from evenhand.model.result import Contrast, Estimate, Standing
from evenhand.report.sections.comparison.tables import (
    contrasts_table,
    estimates_table,
    leader,
    sentences,
    warnings_block,
)

METRICS = ("nDCG@10", "RR(rel=2)@10", "R(rel=2)@5", "Success(rel=2)@1", "Success(rel=2)@5", "NuggetRecall@5")
LONG = "a system with a name that nobody would ever want to type twice in one sitting, really"


def text(thing, width: int = 80, *, color: bool = False) -> str:
    from rich.console import Console

    stream = io.StringIO()
    system = "standard" if color else None
    on = Console(
        file=stream, width=width, markup=False, highlight=False, force_terminal=color, color_system=system
    )
    on.print(thing)
    return stream.getvalue()


def estimate(system: str, metric: str, point: float | None, **more) -> Estimate:
    known = {"low": None, "high": None} if point is None else {"low": point - 0.05, "high": point + 0.05}
    return Estimate(
        **{
            "system": system,
            "metric": metric,
            "point": point,
            "n": 84,
            "level": 0.95,
            "method": "percentile bootstrap",
            "seed": 1,
            "resamples": 10_000,
            **known,
            **more,
        }
    )


def contrast(a: str, b: str, verdict: str, **more) -> Contrast:
    return Contrast(
        **{
            "a": a,
            "b": b,
            "metric": METRICS[0],
            "difference": -0.032,
            "low": -0.094,
            "high": 0.026,
            "n": 84,
            "level": 0.95,
            "method": "paired bootstrap",
            "test": "sign-flip",
            "p": 0.31,
            "p_adjusted": 0.62,
            "family": 3,
            "d_z": -0.16,
            "wins": 17,
            "ties": 2,
            "losses": 21,
            "needed": {"n": 1310},
            "verdict": verdict,
            **more,
        }
    )


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_name_and_no_figure_is_cut_at_any_width(width):
    made = text(
        estimates_table(
            [estimate(s, m, 0.7 - 0.1 * i) for i, s in enumerate(("bm25", LONG)) for m in METRICS]
        ),
        width,
    )
    assert all(len(line.rstrip()) <= width for line in made.splitlines())
    assert "…" not in made
    for metric in METRICS:
        assert metric in made
    assert made.count("0.700 [0.650, 0.750]") == len(METRICS)
    for word in LONG.split():
        assert word.strip(",") in made


def test_rows_are_sorted_by_the_primary_metric_and_undefined_ones_last():
    made = text(
        estimates_table(
            [
                estimate("low", "nDCG@10", 0.1),
                estimate("none", "nDCG@10", None, reason="no relevant unit is known"),
                estimate("high", "nDCG@10", 0.9),
            ]
        )
    )
    assert made.index("high") < made.index("low ") < made.index("none")
    assert "¹ no relevant unit is known" in made


def test_every_number_is_followed_by_interval_n_and_the_method_below():
    made = text(estimates_table([estimate("bm25", "nDCG@10", 0.7, judged=0.9996, unreachable=3)]))
    assert "0.700 [0.650, 0.750]" in made
    assert "84" in made
    assert ">99%" in made
    assert "95% percentile bootstrap, 10,000 resamples, seed 1, unadjusted" in " ".join(made.split())
    assert "unreachable: questions no unit of the chunking can answer, counted 0" in made


def test_a_metric_with_another_n_says_so():
    made = text(
        estimates_table([estimate("bm25", "nDCG@10", 0.7), estimate("bm25", "R@5", 0.5, n=80, undefined=4)])
    )
    assert "0.500 [0.450, 0.550]¹" in made
    assert "¹ n=80, 4 undefined" in made


def test_the_best_value_is_bold_only_when_it_is_separable():
    rows = [estimate("a", "nDCG@10", 0.8), estimate("b", "nDCG@10", 0.7)]
    bold = "\x1b[1m0.800"
    standing = {
        "metric": "nDCG@10",
        "leader": "a",
        "n": 84,
        "resamples": 10,
        "seed": 1,
        "best": {"a": 1.0, "b": 0.0},
    }
    alone = Standing(**standing, in_play=("a",))
    both = Standing(**standing, in_play=("a", "b"))
    held = [contrast("a", "b", "better")]
    assert bold in text(estimates_table(rows, contrasts=held, standing=alone), color=True)
    assert bold not in text(estimates_table(rows, standing=both), color=True)
    assert bold not in text(estimates_table(rows), color=True)
    assert bold in text(estimates_table(rows, contrasts=[contrast("a", "b", "better")]), color=True)
    assert bold not in text(estimates_table(rows, contrasts=[contrast("a", "b", "cannot tell")]), color=True)
    assert bold not in text(
        estimates_table(rows, contrasts=[contrast("a", "b", "better", exploratory=True)]), color=True
    )


def test_a_leader_that_no_declared_pair_holds_against_a_rival_is_not_bold():
    three = [estimate("a", "nDCG@10", 0.8), estimate("b", "nDCG@10", 0.7), estimate("c", "nDCG@10", 0.6)]
    alone = Standing(
        metric="nDCG@10",
        leader="a",
        n=84,
        resamples=10,
        seed=1,
        best={"a": 1.0, "b": 0.0, "c": 0.0},
        in_play=("a",),
    )
    made = text(estimates_table(three, contrasts=[contrast("a", "b", "better")], standing=alone), color=True)
    assert "\x1b[1m0.800" not in made
    assert "bold:" not in made


def test_a_leader_must_beat_all_others():
    two = [contrast("a", "b", "better"), contrast("c", "a", "worse")]
    assert leader(METRICS[0], contrasts=two) == "a"
    assert leader(METRICS[0], contrasts=[*two, contrast("d", "a", "cannot tell")]) is None


def test_the_share_of_resamples_is_never_all_or_nothing():
    standing = Standing(
        metric="nDCG@10", leader="a", n=84, resamples=10, seed=1, best={"a": 1.0, "b": 0.0}, in_play=("a",)
    )
    made = text(
        estimates_table([estimate("a", "nDCG@10", 0.8), estimate("b", "nDCG@10", 0.7)], standing=standing)
    )
    assert ">99%" in made
    assert "<1%" in made
    assert " 0%" not in made


@pytest.mark.parametrize("width", [80, 120])
def test_contrasts_say_how_many_questions_would_settle_them(width):
    made = text(
        contrasts_table(
            [contrast("dense", "bm25", "cannot tell"), contrast("dense", LONG, "worse", p_adjusted=0.00001)]
        ),
        width,
    )
    assert "[−0.094, +0.026]" in made
    assert "17/2/21" in made
    assert "n ≈ 1,310" in made
    assert made.count("n ≈ 1,310") == 1
    assert "<0.0001" in made
    assert all(len(line.rstrip()) <= width for line in made.splitlines())
    assert "adjusted over 3 tests" in made


def test_hostile_names_neither_colour_nor_break_a_row():
    made = text(estimates_table([estimate("\x1b[31mred\x1b[0m\nnext [bold]x[/bold]", "nDCG@10", 0.7)]), 120)
    assert "\x1b" not in made
    assert "red next [bold]x[/bold]" in made


def test_warnings_are_said_once_with_their_count():
    made = text(
        warnings_block(
            [
                "a\x1b[2J",
                "a",
                {"kind": "x", "count": 1234, "text": "b"},
                {"kind": "y", "count": 7, "text": "7 of these"},
            ]
        )
    )
    assert made.splitlines() == ["3 warnings", "! 2 × a", "! 1,234 × b", "! 7 of these"]
    assert text(warnings_block([])).strip() == ""


def test_no_estimates_and_no_pairs_are_said():
    assert "nothing was measured" in text(estimates_table([]))
    assert "no pair was compared" in text(contrasts_table([]))
    assert text(sentences(["A.", "B."])).split() == ["A.", "B."]
