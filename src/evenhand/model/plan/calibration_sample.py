"""The human sample that a panel is held against: what was drawn, with which chance, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.model.seal import seal

__all__ = ["DESIGNS", "STRATA", "Case", "Drawn", "Phase", "Sample"]

DESIGNS = ("uniform", "stratified", "further")
STRATA = ("unanimous", "split", "undecided")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One item of the sample: its stratum, its chance of being drawn over all phases, and the phase."""

    item: str
    question: str
    stratum: str
    probability: float
    phase: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.probability <= 1:
            raise InputError(
                f"item {self.item} was drawn with probability {self.probability!r}",
                mend="a probability lies above 0 and at most at 1",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One drawing. ``there`` and ``drawn`` count items by stratum before it and in it.

    ``design`` is uniform, stratified or further (more of some strata of an earlier sample); ``verdicts``
    says whether the panel's verdicts existed when it was drawn.
    """

    design: str
    n: int
    seed: int
    verdicts: bool
    there: Mapping[str, int]
    drawn: Mapping[str, int]

    def __post_init__(self) -> None:
        if self.design not in DESIGNS:
            raise InputError(f"a sample of design {self.design!r}", mend=nearest(self.design, DESIGNS))


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Items drawn for people out of ``population`` judged items whose ids have the seal ``of``.

    ``strata`` lists the items of every stratum but the largest, which is everything else and is called
    ``rest``: so the stratum of each item of the population is known as it was when it was drawn by. A
    uniform sample has no strata.
    """

    items: tuple[Drawn, ...]
    phases: tuple[Phase, ...]
    population: int
    of: str
    rest: str = "all"
    strata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each drawn item stands."""
        return {one.item: i for i, one in enumerate(self.items)}

    @cached_property
    def _stratum(self) -> dict[str, str]:
        return {item: name for name, items in self.strata.items() for item in items}

    def stratum(self, item: str) -> str:
        """The stratum of an item of the population, as it was drawn by."""
        return self._stratum.get(item, self.rest)

    @property
    def uniform(self) -> bool:
        """Whether every item had the same chance."""
        return all(phase.design == "uniform" for phase in self.phases)

    @property
    def blind(self) -> bool:
        """Whether the first drawing came before any verdict."""
        return not self.phases[0].verdicts

    @cached_property
    def seal(self) -> str:
        """Seal over everything drawn and how."""
        return seal(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, from which `of_json` makes the same sample."""
        return {
            "schema": "evenhand.calibration-sample/1",
            "population": self.population,
            "of": self.of,
            "phases": [asdict(phase) for phase in self.phases],
            "rest": self.rest,
            "strata": {name: list(items) for name, items in self.strata.items()},
            "items": [asdict(one) for one in self.items],
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Sample:
        """The sample written by `as_json`."""
        return cls(
            items=tuple(Drawn(**one) for one in data["items"]),
            phases=tuple(Phase(**phase) for phase in data["phases"]),
            population=data["population"],
            of=data["of"],
            rest=data["rest"],
            strata={name: tuple(items) for name, items in data["strata"].items()},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One item that the panel judged, and what people said of it.

    ``cluster`` is what questions belong together by, or the question itself; ``question`` is left empty where
    it is the cluster. ``panel`` is the decision, None
    where there is none; ``status`` one of `STRATA`; ``votes`` one an asked judge, None for a failed call and
    for one that cannot tell, of which there are ``abstained``.
    ``human`` is the grade that stands (a ruling, else the lower median); ``said`` what a person said
    instead of a grade (cannot-tell, skip), empty where nobody has looked.
    """

    item: str
    cluster: str
    panel: float | None
    status: str
    votes: tuple[float | None, ...] = ()
    abstained: int = 0
    human: float | None = None
    said: str = ""
    question: str = ""

    @property
    def asked(self) -> str:
        """The question."""
        return self.question or self.cluster

    def __post_init__(self) -> None:
        if self.status not in STRATA:
            raise InputError(f"a case of status {self.status!r}", mend=nearest(self.status, STRATA))
        if (self.panel is None) != (self.status == "undecided"):
            raise InputError(
                f"item {self.item} is {self.status} with decision {self.panel!r}",
                mend="an undecided item has no decision, any other has one",
            )
