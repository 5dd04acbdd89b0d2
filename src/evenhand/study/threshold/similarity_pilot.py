"""A pilot: how the scores of each system lie on dev, before a threshold is registered. No label is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.protocols import Progress, quiet
from evenhand.study.comparison.pooling import of_study
from evenhand.study.threshold.pilot import arm_runs, corpus_line, named
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from rich.console import RenderableType

    from evenhand.model.plan.study import Plan
    from evenhand.model.run import Run

__all__ = ["LEAST", "QUANTILES", "pilot", "tables", "useless"]

LEAST = 0.1  # of the questions: a value that fewer reach is called useless
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def pilot(
    plan: Plan,
    folder: str | Path,
    *,
    systems: Sequence[str] = (),
    k: int | None = None,
    grid: Sequence[float] = (),
    cache: Path | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """The distribution of top-1 and top-*k* scores by system, and what each threshold lets through.

    A study with a [threshold] is shown as that section retrieves: its system on each of its chunkings,
    within each question's documents; *k* is that of the plan where none is given.

    *grid*: thresholds on the scale of the scores; without it those of ``[threshold]``, for its own system;
    else the deciles of the top-k scores. Quantiles are of all (question, unit) pairs within the top *k*
    (Hyndman and Fan's type 7). ``share``: questions with at least one unit at or above the threshold.
    """
    if any(not np.isfinite(one) for one in grid):
        raise InputError("a threshold is not a finite number", mend="give numbers such as 0.4")
    if k is not None and k < 1:
        raise InputError(f"k is {k}", mend="give a whole number of at least 1")
    planned = plan.threshold
    if k is None:
        k = planned.k if planned is not None else 5
    rows = []
    if planned is not None and (not systems or planned.system in {one.split("/")[0] for one in systems}):
        for arm, run in arm_runs(plan, Path(folder), cache=cache, progress=progress):
            row = _row(run, k, tuple(grid) or planned.values, len(run.questions))
            rows.append({**row, "system": named(planned, arm), "planned": list(planned.grid)})
    else:
        held = of_study(plan, Path(folder), systems=tuple(systems), cache=cache, progress=progress)
        rows = [_row(run, k, tuple(grid), len(held.questions)) for run in held.runs]
    return {
        "schema": "evenhand.pilot/1",
        "study": plan.name,
        "split": "dev",
        "k": k,
        "questions": max((row["questions"] for row in rows), default=0),
        "corpus": corpus_line(plan, Path(folder)) if planned is not None else None,
        "quantiles": list(QUANTILES),
        "systems": rows,
    }


def _row(run: Run, k: int, grid: tuple[float, ...], asked: int) -> dict[str, Any]:
    sizes = np.minimum(np.diff(run.offsets), k)
    first = [float(run.score[a]) for a, n in zip(run.offsets[:-1], sizes, strict=True) if n]
    parts = [run.score[a : a + n] for a, n in zip(run.offsets[:-1].tolist(), sizes.tolist(), strict=True)]
    every = np.concatenate(parts) if parts else np.zeros(0)
    planned = bool(grid)
    if not grid and len(every):
        deciles = np.floor(np.quantile(every, np.arange(1, 10) / 10) * 1e6) / 1e6
        grid = tuple(dict.fromkeys(float(x) for x in deciles))
    best = np.array([part.max() if len(part) else -np.inf for part in parts])
    return {
        "system": run.system,
        "questions": asked,
        "with_units": len(first),
        "pairs": len(every),
        "top1": _quantiles(np.array(first)),
        "topk": _quantiles(every),
        "grid": [
            {
                "threshold": float(at),
                "questions": int((best >= at).sum()),
                "share": float((best >= at).sum() / asked) if asked else None,
                "pairs": int((every >= at).sum()),
            }
            for at in sorted(grid)
        ],
        "grid_from": "plan" if planned else "deciles of the scores",
    }


def _quantiles(values: np.ndarray) -> list[float] | None:
    return [float(x) for x in np.quantile(values, QUANTILES)] if len(values) else None


def useless(found: Mapping[str, Any]) -> Iterator[str]:
    """Planned values that hardly any question reaches, in words: a grid can be relaxed beforehand."""
    for row in found["systems"]:
        few = [at for at in row["grid"] if at["threshold"] in row.get("planned", ()) and not _enough(at)]
        if few and row["top1"]:
            told = "; ".join(f"{at['questions']} of {row['questions']} at {at['threshold']:g}" for at in few)
            yield (
                f"{row['system']}: few questions retrieve anything ({told}); the median best score is "
                f"{row['top1'][QUANTILES.index(0.5)]:.2f}, the highest {row['top1'][-1]:.3f}. "
                "[threshold.relaxation] adds values and keeps these."
            )


def _enough(at: Mapping[str, Any]) -> bool:
    return at["share"] is not None and at["share"] >= LEAST


def tables(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The quantiles by system, then what each threshold lets through."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from evenhand.report.output.number_format import DASH, count, number, share
    from evenhand.report.output.terminal import clean

    look: dict[str, Any] = {
        "box": box.SIMPLE_HEAD,
        "pad_edge": False,
        "padding": (0, 1, 0, 0),
        "show_edge": False,
        "header_style": "bold",
    }
    table = Table(**look)
    table.add_column("system", overflow="fold")
    table.add_column("scores")
    for q in found["quantiles"]:
        table.add_column({0.0: "min", 0.5: "median", 1.0: "max"}.get(q, f"{100 * q:g}%"), justify="right")
    for row in found["systems"]:
        for name, key in (("top 1", "top1"), (f"top {found['k']}", "topk")):
            values = row[key] or [None] * len(found["quantiles"])
            table.add_row(
                Text(clean(row["system"])) if key == "top1" else "", name, *(number(v) for v in values)
            )
    yield table
    yield Text("")
    table = Table(**look)
    table.add_column("system", overflow="fold")
    for head in ("threshold", "questions", "share", "pairs"):
        table.add_column(head, justify="right")
    for row in found["systems"]:
        for i, at in enumerate(row["grid"]):
            first = Text(clean(row["system"]) if not i else "")
            share_of = share(at["share"]) if at["share"] is not None else DASH
            table.add_row(first, f"{at['threshold']:g}", count(at["questions"]), share_of, count(at["pairs"]))
    yield table
    if found["corpus"]:
        yield Text(found["corpus"])
    yield from map(Text, useless(found))
    yield Text(
        f"questions, share: of {found['questions']} dev {noun(found['questions'], 'question')}, those with "
        "a unit at or above the "
        f"threshold within the top {found['k']}; pairs: (question, unit) at or above it. No label was used.",
        style="dim",
    )
