"""All judged items in columns: what people and panel said as numbers, and which stratum each is of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.model.plan.calibration_sample import Case

__all__ = ["FEW", "Column", "bare_words", "column_of", "human_of", "thin", "thin_words", "unlabelled"]

FEW = 5  # human labels of a stratum, below which a uniform sample puts it with another


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """All judged items as numbers: people (None: no label), panel, stratum.

    ``low`` and ``high`` are the ends of the scale; ``share`` says that everything is 0 or 1.
    """

    human: tuple[float | None, ...]
    panel: tuple[float, ...]
    stratum: tuple[str, ...]
    uniform: bool
    low: float
    high: float
    share: bool
    decided: tuple[bool, ...] = ()  # where the panel has a decision of its own; empty: everywhere

    @property
    def probability(self) -> list[float]:
        """The chance of a label: labels over items, by stratum unless the sample is uniform.

        What was drawn and has no label weighs nothing; an item of a stratum without labels has chance 1.
        """
        strata = ["all"] * len(self.human) if self.uniform else list(self.stratum)
        there = Counter(strata)
        given = Counter(strata[i] for i in self.labelled)
        return [given[name] / there[name] or 1.0 for name in strata]

    @property
    def labelled(self) -> list[int]:
        """Positions of the items with a human label."""
        return [i for i, one in enumerate(self.human) if one is not None]

    def filled(self, missing: Sequence[int], value: float) -> Column:
        """The same with *value* as the human label of the items at *missing*."""
        return self.read(dict.fromkeys(missing, value))

    def read(self, values: Mapping[int, float]) -> Column:
        """The same with other human labels at the places of *values*."""
        return replace(self, human=tuple(values.get(i, y) for i, y in enumerate(self.human)))


def column_of(
    cases: Sequence[Case],
    strata: Sequence[str],
    *,
    value: Callable[[float], float],
    low: float,
    high: float,
    share: bool,
    uniform: bool,
    drawn: Sequence[bool],
) -> Column:
    """The column of *cases*. Only labels of items that were *drawn* count: others were not left to chance.

    Where the panel has no decision the mean of its valid votes stands in for it, or the middle of the
    scale: a guess of any kind costs width and never bias, since the people's labels correct it.
    """

    def guess(case: Case) -> float:
        if case.panel is not None:
            return value(case.panel)
        given = [value(vote) for vote in case.votes if vote is not None]
        return sum(given) / len(given) if given else (low + high) / 2

    return Column(
        human=tuple(
            value(case.human) if case.human is not None and chosen else None
            for case, chosen in zip(cases, drawn, strict=True)
        ),
        panel=tuple(guess(case) for case in cases),
        stratum=tuple(strata),
        uniform=uniform,
        low=low,
        high=high,
        share=share,
        decided=tuple(case.panel is not None for case in cases),
    )


def unlabelled(column: Column) -> list[str]:
    """Strata of a sample with unequal chances in which nobody has labelled an item."""
    given = {column.stratum[i] for i in column.labelled}
    return [] if column.uniform else sorted(set(column.stratum) - given)


def bare_words(bare: Sequence[str]) -> str:
    """Why nothing is said of the whole where strata have no label."""
    return f"no label yet in {', '.join(bare)}: nothing is known of the whole"


def thin(column: Column) -> dict[str, int]:
    """Labels of the strata that have some and too few, in a sample with unequal chances.

    Such strata cannot be put together, as those of a uniform sample are: the labels of one stand for more
    items than those of the other, and a few that are all alike say nothing of how the rest of it spreads.
    """
    given = Counter(column.stratum[i] for i in column.labelled)
    return {} if column.uniform else {name: n for name, n in sorted(given.items()) if n < FEW}


def thin_words(few: Mapping[str, int]) -> str:
    """``split has 1 label and undecided 3, fewer than 5 of a stratum``."""
    first, *rest = few.items()
    told = [f"{first[0]} has {many(first[1], 'label')}", *(f"{name} {n}" for name, n in rest)]
    return f"{' and '.join(told)}, fewer than {FEW} of a stratum"


def human_of(column: Column) -> list[float]:
    """The human labels that there are, in order."""
    return [y for y in column.human if y is not None]
