"""What a design of a study says, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.metrics.planning.designs import Design, Wish

__all__ = ["sentence"]

WHAT = {
    "means": "questions",
    "hits": "questions",
    "agreement": "items labelled by both",
    "kappa": "items labelled by both",
    "bound": "items",
    "labels": "human labels",
}
REALISTIC = 100_000  # more questions than this are no answer


def sentence(one: Design, wish: Wish) -> str:
    """What a design says, in words."""
    # names of systems keep their first letter
    start = one.says if "pilot_n" in one.assumed else one.says[:1].upper() + one.says[1:]
    if one.n is None:
        return f"{start}: no number of {WHAT[one.kind]} is enough ({one.reason})."
    what = WHAT[one.kind]
    told = f"{start}: about {one.n:,} {what}"
    if one.kind in ("means", "hits"):
        told += f" find it {wish.power:.0%} of the time"
        if wish.comparisons > 1:
            told += f" in a family of {wish.comparisons} comparisons by Holm"
            if one.n_alone is not None and one.n_alone != one.n:
                told += f" (a single one needs {one.n_alone:,})"
    if one.n_clustered is not None:
        told += (
            f"; in clusters of {one.per_cluster:.3g} with an intraclass correlation of {one.icc:.3g} that is "
            f"{one.n_clustered:,}"
        )
    if (one.needed or 0) > REALISTIC:
        told += ": no realistic number would do"
    if one.at is not None:
        told += f". {_at(one)}"
    if one.notes:
        told += f" ({'; '.join(one.notes)})"
    return f"{told}."


def _at(one: Design) -> str:
    assert one.at is not None  # noqa: S101 - asked by the caller
    at = dict(one.at)
    n = at.pop("n")
    if "power" in at:
        told = f"The {n:,} at hand find it {at['power']:.0%} of the time"
        return told + (f", and one of {at['detectable']:.3g} as often as wished" if at["detectable"] else "")
    (name, value) = next(iter(at.items()))
    shown = "–" if value is None else f"{value:.3f}"
    return f"The {n:,} at hand give a {name.replace('_', '-' if 'half' in name else ' ')} of {shown}"
