"""Tables of estimates and of paired differences on a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.report.notebook.card import Grid
from evenhand.report.output.number_format import (
    count,
    interval,
    number,
    pvalue,
    share,
    signed,
    signed_interval,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenhand.model.result import Contrast, Estimate

__all__ = ["contrasts_grid", "estimates_grid", "left"]


def left(one: Estimate) -> dict[str, int]:
    """Questions that are counted apart."""
    return {"undefined": one.undefined, "missing": one.missing, "unreachable": one.unreachable}


def estimates_grid(rows: Iterable[Estimate]) -> Grid:
    """Estimates with interval, n, and what is counted apart."""
    made = tuple(
        (
            one.system,
            one.metric,
            number(one.point),
            interval(one.low, one.high) or f"none: {one.reason}",
            count(one.n),
            ", ".join(f"{count(n)} {what}" for what, n in left(one).items() if n),
            "" if one.judged is None else share(one.judged),
        )
        for one in rows
    )
    head = ("system", "metric", "value", "interval", "n", "counted apart", "judged")
    return Grid(head=head, rows=made, numbers=frozenset({2, 3, 4, 6}))


def contrasts_grid(rows: Iterable[Contrast]) -> Grid:
    """Paired differences with interval, p (adjusted where it is of the family) and verdict."""
    made = tuple(
        (
            f"{one.a} − {one.b}",
            one.metric,
            signed(one.difference),
            signed_interval(one.low, one.high) or f"none: {one.reason}",
            f"{one.wins}/{one.ties}/{one.losses}",
            pvalue(one.p_adjusted if one.p_adjusted is not None else one.p),
            one.verdict + (" (exploratory)" if one.exploratory else ""),
        )
        for one in rows
    )
    head = ("a − b", "metric", "difference", "interval", "W/T/L", "p", "verdict")
    return Grid(head=head, rows=made, numbers=frozenset({2, 3, 5}))
