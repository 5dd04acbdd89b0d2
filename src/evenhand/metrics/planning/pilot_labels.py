"""Planning from the labels of a pilot: agreement of its people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.metrics.planning.designs import Design, Wish, agreement, bound, kappa_of
from evenhand.metrics.planning.pilot import SURE
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.power.kappa import kappa_at_agreement

__all__ = ["as_seen", "in_clusters", "moved", "of_agreement", "toward_half", "worth_of"]

Row = Mapping[str, Any]


def of_agreement(
    pairs: Sequence[Row],
    wish: Wish,
    *,
    width: float | None,
    at_least: float | None,
    per_cluster: float | None = None,
    icc: float | None = None,
) -> list[Design]:
    """Designs for each pair of people: raw agreement and kappa to ± *width*, agreement of *at_least*.

    *pairs*: those of `evenhand.labelling.desk.agreement`. Each is planned with its agreement at the
    one-sided 80% limit (Wilson on the effective n) that asks for more, kappa with the pilot's cross table
    taken to that agreement; ``assumed["n_as_seen"]`` is the n of the agreement itself. Items of one question
    count by the design effect 1 + (b - 1) ICC with the pilot's b and ICC, unless *per_cluster* or *icc* say
    else; an ICC that is undefined is taken as 1.
    """
    made: list[Design] = []
    for pair in pairs:
        seen, n = pair["raw"]["value"], pair["n"]
        if seen is None or n < 2:
            continue
        local, notes = in_clusters(pair, pair["icc"], wish, per_cluster=per_cluster, icc=icc)
        worth = worth_of(n, local)
        safe, low = toward_half(seen, worth), _limit(seen, worth, "lower")
        who = " and ".join(pair["judges"])
        about = {"judges": list(pair["judges"]), "pilot_n": n, "pilot_questions": pair["questions"]}
        if width is not None:
            plain = agreement(seen, width, local)
            says = f"{who}: agreement to ±{width:g} ({moved(seen, safe)})"
            raw = as_seen(
                agreement(safe, width, local), plain, says, {**about, "pilot_agreement": seen}, notes
            )
            table = _square(pair["table"])
            value, taken = kappa_at_agreement(table), kappa_at_agreement(table, safe)
            if value is None or taken is None:
                made.append(replace(raw, notes=(*raw.notes, "no kappa: a judge gave one answer throughout")))
            else:
                plain = kappa_of(*value, width, local)
                says = f"{who}: kappa to ±{width:g} ({moved(value[0], taken[0])})"
                own = {**about, "pilot_kappa": value[0]}
                made += [raw, as_seen(kappa_of(*taken, width, local), plain, says, own, notes)]
        if at_least is not None:
            plain = bound(seen, at_least, local)
            says = f"{who}: agreement of {at_least:g} or more ({moved(seen, low)})"
            own = {**about, "pilot_agreement": seen}
            made.append(as_seen(bound(low, at_least, local), plain, says, own, notes))
    return made


def in_clusters(
    row: Row, found: Row, wish: Wish, *, per_cluster: float | None, icc: float | None
) -> tuple[Wish, tuple[str, ...]]:
    """The wish with the clusters of one row of a pilot; what was asked for stands before what was seen."""
    size = row["n"] / row["questions"] if per_cluster is None else per_cluster
    notes: tuple[str, ...] = ()
    alike = icc
    if alike is None:
        known = found["value"]
        alike = 1.0 if known is None else min(1.0, max(0.0, known))
        if known is None and size > 1:
            notes = (f"the intraclass correlation is taken as 1: {found.get('reason', 'undefined')}",)
    return replace(wish, per_cluster=size, icc=alike), notes


def as_seen(design: Design, plain: Design, says: str, about: Row, notes: tuple[str, ...]) -> Design:
    """A design with what the pilot saw, and the n by it."""
    known = {**design.assumed, **about, "n_as_seen": plain.n}
    return replace(design, says=says, assumed=known, notes=(*design.notes, *notes))


def worth_of(n: int, wish: Wish) -> float:
    """How many independent items *n* in the clusters of a wish are worth."""
    return n / (1 + (wish.per_cluster - 1) * wish.icc)


def _limit(p: float, n: float, side: Any) -> float:
    # k = n exactly at p = 1, so that the end is exactly 1
    found = wilson(n if p == 1 else p * n, n, level=SURE, side=side)
    end = found.low if side == "lower" else found.high
    return p if end is None else end


def toward_half(p: float, n: float) -> float:
    """The 80% limit on the side of a half, where a share is hardest to know; not beyond it."""
    return max(0.5, _limit(p, n, "lower")) if p >= 0.5 else min(0.5, _limit(p, n, "upper"))


def _square(rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """The cross table of [first, second, count] rows."""
    names = {name: i for i, name in enumerate(sorted({name for a, b, _ in rows for name in (a, b)}))}
    table = np.zeros((len(names), len(names)))
    for a, b, n in rows:
        table[names[a], names[b]] = n
    return table


def moved(seen: float, taken: float) -> str:
    """What was seen, and what is planned with."""
    return f"seen {seen:.2g}, taken as {taken:.2g}"
