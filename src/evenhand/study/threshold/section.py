"""The section ``threshold`` of a report, put together from what the run has made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.metrics.threshold.auc import areas
from evenhand.metrics.threshold.false_discovery import passing
from evenhand.study.threshold.arms import arms_of, found_in, planned
from evenhand.study.threshold.corpus_criterion import corpus_told
from evenhand.study.threshold.headline import headline
from evenhand.study.threshold.numbers import numbers_of
from evenhand.study.threshold.pairs import Laid, cut_run, laid_out, pair_rows, spans_say
from evenhand.study.threshold.question_types import given_types
from evenhand.study.threshold.rows import (
    area_json,
    arm_json,
    grid_json,
    overlaps,
    rate_json,
    registered_of,
    steps_of,
)
from evenhand.study.threshold.text import not_claimed, sentences, warnings

if TYPE_CHECKING:
    from evenhand.model.plan.sections import ThresholdPlan
    from evenhand.model.question_types import QuestionTypes
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts
    from evenhand.study.threshold.pair_votes import Said

__all__ = ["PAIRS", "Found", "every_pair", "pairs_found", "section"]


PAIRS = "pairs/threshold"  # what the larder calls them
SHOWN = 200  # pairs with their units on the page; the file has all


@dataclass(frozen=True, kw_only=True)
class Found:
    """The pairs of every arm with their verdicts, the grid, and what was said of each item."""

    asked: ThresholdPlan
    grid: list[dict[str, Any]]
    laid: Sequence[Laid]
    said: Said | None
    types: QuestionTypes

    @property
    def values(self) -> list[float]:
        """Every value of the grid, rising."""
        return [one["threshold"] for one in self.grid]


def pairs_found(table: Table, larder: Artifacts) -> Found:
    """What the section and the file of pairs are both made from."""
    asked, gold = planned(table.plan), larder["gold"]
    types = given_types(table.plan, table.folder, gold)
    grid = grid_json(asked, registered_of(table.record))
    said = None
    if asked.sufficiency == "panel":
        from evenhand.study.panel.steps import items_in
        from evenhand.study.threshold.pair_votes import said_in

        said = said_in(table, items_in(table, larder))
    least = min(asked.values)
    laid = []
    for arm in arms_of(table.plan, table.field):
        run = found_in(arm, larder)
        verdicts: Any = said.sufficient if said is not None else None
        if said is None:
            rows, of, _ = cut_run(run, asked.k, least)
            verdicts = spans_say(run, rows, of, larder[f"qrels/{arm.name}"])
        laid.append(laid_out(arm, run, asked, gold, types, least=least, sufficient=verdicts))
    return Found(asked=asked, grid=grid, laid=laid, said=said, types=types)


def every_pair(larder: Artifacts) -> Iterator[dict[str, Any]]:
    """All pairs of all arms at or above the least value, with what was said of them."""
    found: Found = larder[PAIRS]
    for laid in found.laid:
        yield from pair_rows(laid, larder["gold"], found.said.rows if found.said is not None else {})


def section(table: Table, larder: Artifacts) -> dict[str, Any]:
    """Everything that the report says of the threshold, as plain JSON."""
    plan, gold = table.plan, larder["gold"]
    corpus = corpus_told(planned(plan), larder["corpus"])  # before anything else
    found: Found = larder[PAIRS]
    asked, main = found.asked, next(one for one in found.laid if one.arm.main)
    level, resamples = plan.compare.level, plan.compare.resamples
    options: dict[str, Any] = {"level": level, "resamples": resamples, "seed": plan.seed}
    limits: dict[str, Any] = {"min_n": asked.min_n, "min_sources": asked.min_sources}
    rates: list[dict[str, Any]] = []
    fields: list[dict[str, Any]] = []
    for laid in found.laid:
        table.progress("rates", len(fields), len(found.laid) * len(found.values))
        rates += [
            rate_json(laid.arm.name, one) for one in passing(laid.pairs, found.values, **limits, **options)
        ]
        fields += [area_json(laid.arm.name, one) for one in areas(laid.pairs, found.values, **options)]
    table.progress("rates", 1, 1)
    steps = passing(main.pairs, steps_of(asked, main), groups=("all",), **limits, **options)
    here = [r for r in rates if r["arm"] == main.arm.name and r["threshold"] == asked.main]
    row = next(one for one in here if one["by"] == "all")
    area = next(a for a in fields if a["arm"] == main.arm.name and a["threshold"] == asked.main)
    panel = larder["part/panel"] if found.said is not None else None
    half = plan.calibration.half_width if plan.calibration is not None else 0.1
    lead = headline(row, panel, corpus, level=level, half_width=half)
    shown = pair_rows(main, gold, found.said.rows if found.said is not None else {})
    groups = overlaps(here)
    made: dict[str, Any] = {
        "system": asked.system,
        "scope": asked.scope,
        "k": asked.k,
        "sufficiency": asked.sufficiency,
        "level": level,
        "resamples": resamples,
        "seed": plan.seed,
        **limits,
        "role": asked.role,
        "grid": found.grid,
        "primary": asked.main,
        "planned_primary": next(
            (one["threshold"] for one in found.grid if one["planned_primary"]), asked.primary
        ),
        "relaxation": {"added": list(asked.added), "moved": asked.moved, "reason": asked.reason}
        if asked.reason
        else None,
        "types": _types(found, main),
        "corpus": corpus,
        "arms": [arm_json(one, asked, found.values, len(larder["questions"])) for one in found.laid],
        "rates": rates,
        "areas": fields,
        "overlaps": groups,
        "headline": lead,
        "cohesion": _cohesion(panel),
        "explorer": [rate_json(main.arm.name, one) for one in steps],
        "pairs": {"of": sum(len(one.rows) for one in found.laid), "rows": shown[:SHOWN]},
        "numbers": numbers_of(lead, row, area, corpus, panel, level=level),
        "does_not_claim": not_claimed(asked, plan, [one.arm for one in found.laid]),
    }
    made["sentences"] = sentences(made, row, area)
    made["warnings"] = warnings(made)
    return made


def _types(found: Found, main: Laid) -> dict[str, Any]:
    types = found.types
    counts = Counter(types.types.get(question, "") for question in main.run.questions)
    return {
        "by": types.by,
        "model": types.model,
        "seal": types.seal,
        "counts": {name: n for name, n in sorted(counts.items()) if name},
        "untyped": counts.get("", 0),
        "unlisted": sorted(set(types.types.values()) - set(found.asked.types)) if found.asked.types else [],
    }


def _cohesion(panel: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """How far the judges agree with each other on the pairs at or above the primary threshold."""
    if panel is None:
        return None
    return {key: panel["numbers"][key] for key in ("pairwise", "unanimity", "completeness")}
