"""Strata of judged items: unanimous, split, undecided; small ones put together; items picked by lot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.model.plan.calibration_sample import STRATA

if TYPE_CHECKING:
    from numpy.random import Generator

    from evenhand.model.plan.calibration_sample import Sample

__all__ = ["LEAST", "SPREAD", "listed", "names_of", "picked", "strata_of"]

LEAST = 5  # items of a stratum, below which it is put with another
# what is left of a label when the panel's is known: on public labels people agree with 84 to 86% of
# unanimous decisions and with 51 to 58% of split ones (DL22, LLMJudge)
SPREAD = {"unanimous": 0.35, "split": 0.5, "undecided": 0.5}


def strata_of(items: Sequence[str], status: Mapping[str, str], n: int) -> dict[str, list[str]]:
    """Items by status; a stratum with fewer than `LEAST` items goes with the next: undecided, then split.

    With a sample of *n* too small for `LEAST` of each, there is one stratum less, or one in all.
    """
    found: dict[str, list[str]] = {name: [] for name in STRATA}
    for item in items:
        if status.get(item) not in found:
            raise InputError(
                f"item {item} has status {status.get(item)!r}",
                mend=f"give every judged item one of {', '.join(STRATA)}",
            )
        found[status[item]].append(item)
    strata = {name: of for name, of in found.items() if of}
    while len(strata) > 1 and (
        min(map(len, strata.values())) < LEAST or sum(min(len(of), LEAST) for of in strata.values()) > n
    ):
        names = list(strata)
        small = next((name for name in reversed(names) if len(strata[name]) < LEAST), names[-1])
        at = names.index(small)
        first, second = (names[at - 1], small) if at else (small, names[1])
        joined = f"{first}+{second}"
        strata = {
            (joined if name == first else name): sorted([*of, *strata[second]]) if name == first else of
            for name, of in strata.items()
            if name != second
        }
    return strata


def names_of(sample: Sample) -> list[str]:
    """The names of the strata, in an order that does not depend on where the sample was read from."""
    return sorted(sample.phases[-1].there, key=lambda name: STRATA.index(name.partition("+")[0]))


def listed(strata: Mapping[str, Sequence[str]]) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The name of the largest stratum, and the items of the others."""
    rest = max(strata, key=lambda name: (len(strata[name]), name))
    return rest, {name: tuple(sorted(of)) for name, of in strata.items() if name != rest}


def picked(items: Sequence[str], n: int, dice: Generator) -> list[str]:
    """*n* of *items* by lot, in the order of their names."""
    return sorted(items[i] for i in dice.choice(len(items), size=n, replace=False).tolist()) if n else []
