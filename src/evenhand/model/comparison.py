"""What came out of comparing a whole field, and of looking at parts of it."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.model.notebook_repr import Framed
from evenhand.model.result import Contrast, Estimate, Standing

__all__ = ["Comparison", "Slice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Framed):
    """Every estimate, every contrast, who is in play, and the same in words.

    ``contrasts`` holds the declared family (pairs on the primary metric) first, then what is exploratory.
    ``sentences`` begins with the one about the whole field.
    """

    primary: str
    estimates: tuple[Estimate, ...]
    contrasts: tuple[Contrast, ...]
    standing: Standing | None
    warnings: tuple[str, ...]
    sentences: tuple[str, ...]
    adjust: str
    family: int
    level: float
    resamples: int
    signs: int
    seed: int

    def __repr__(self) -> str:
        """The sentence about the whole field, and one line an estimate of the primary metric."""
        rows = [one for one in self.estimates if one.metric == self.primary]
        wide = max((len(one.system) for one in rows), default=0)
        lines = [f"{one.system:{wide}}  {self.primary}  {one}" for one in rows]
        more = [f"{len(self.contrasts)} contrasts", f"{len(self.warnings)} warnings"]
        return "\n".join([*self.sentences[:1], *lines, f"({', '.join(more)})"])

    __str__ = __repr__

    def contrast(self, a: str, b: str, metric: str | None = None) -> Contrast | None:
        """The contrast a − b on *metric* (the primary one if not given), as it stands here; None if not run.

        A pair run as b − a is not turned round: ask for it in its own order.
        """
        wanted = (a, b, metric or self.primary)
        return next((c for c in self.contrasts if (c.a, c.b, c.metric) == wanted), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice(Framed):
    """The questions that share a type or a tag: always exploratory."""

    by: str
    value: str
    n: int  # questions in the slice, defined or not
    estimates: tuple[Estimate, ...]
    contrasts: tuple[Contrast, ...] = ()
    note: str = ""
    exploratory: bool = True
