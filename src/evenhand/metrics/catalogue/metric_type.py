"""What a metric is: a name with its variant pinned, and the function behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SPANS", "Kind", "Metric", "Param", "Value", "Values", "gain_table", "judged_only", "rel", "spell"]

SPANS = ("spans", "tokens")  # what looks at the text of units, not only at their grades

Value = float | int | str | bool
MOST = 1_000_000_000  # the largest cutoff and budget


class Values(NamedTuple):
    """One metric on every question: ``value`` float64[q]; where ``undefined``, the ``reason`` holds."""

    value: NDArray[np.float64]
    undefined: NDArray[np.bool_] | None = None
    reason: str = ""


def spell(value: Value) -> str:
    """How a parameter's value is written in a name: ``2``, ``0.8``, ``exp``, ``true``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with its variant pinned: compares, hashes and prints as its canonical name.

    ``params`` holds what differs from the defaults, in the catalogue's order; ``cutoff`` is the k of
    ``@k``, ``budget`` the number of tokens of ``@Ntokens``; at most one of them is set.
    """

    name: str
    params: tuple[tuple[str, Value], ...] = ()
    cutoff: int | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        for what, number in (("cutoff", self.cutoff), ("token budget", self.budget)):
            if number is not None and not 1 <= number <= MOST:
                raise InputError(
                    f"{self.name} has the {what} {number}",
                    mend=f"a {what} is a whole number of at least 1 and at most {MOST:,}",
                )

    def __str__(self) -> str:
        inside = ",".join(f"{name}={spell(value)}" for name, value in self.params)
        text = f"{self.name}({inside})" if inside else self.name
        if self.cutoff is not None:
            return f"{text}@{self.cutoff}"
        return f"{text}@{self.budget}tokens" if self.budget is not None else text

    def __matmul__(self, cutoff: int) -> Metric:
        """``metric @ 10`` is the same metric with the cutoff 10."""
        return replace(self, cutoff=cutoff, budget=None)


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a kind: its default and what it may be."""

    default: Value
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    open: bool = False  # the bounds themselves are not allowed
    whole: bool = False  # a whole number
    required: bool = False  # the default is no value but an example: it must be given
    gains: bool = False  # text of the form {grade:gain,...}

    def read(self, text: str, where: str) -> Value:
        """The value that *text* stands for; errors name *where*."""
        text = text.strip().strip("'\"")
        if isinstance(self.default, bool):
            if text.lower() in ("true", "false"):
                return text.lower() == "true"
            raise InputError(f"{where}={text} is neither true nor false", mend=f"write {where}=true")
        if self.gains:
            return _spell_gains(_gains(text, where))
        if isinstance(self.default, str):
            if text not in self.choices:
                raise InputError(
                    f"{where}={text} is not known", mend=f"use one of: {', '.join(self.choices)}"
                )
            return text
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        low, high = self.low, self.high
        inside = (low is None or number > low or (number == low and not self.open)) and (
            high is None or number < high or (number == high and not self.open)
        )
        inside = inside and not (self.whole and not number.is_integer())
        if not (inside and abs(number) < float("inf")):
            within = "" if low is None else f" of {spell(low)} or more" if high is None else ""
            within = within if high is None else f" in {'' if low is None else spell(low)}..{spell(high)}"
            raise InputError(
                f"{where}={text} is not a {'whole ' if self.whole else ''}number{within}",
                mend=f"for example {where}={self.default}",
            )
        return int(number) if number.is_integer() else number


_FORM = "write gains={1:3,2:9}, gain by grade; what is not named keeps its grade"


def _gains(text: str, where: str) -> dict[float, float]:
    found: dict[float, float] = {}
    for part in text.removeprefix("{").removesuffix("}").split(","):
        grade, colon, gain = part.replace("=", ":").partition(":")
        try:
            pair = float(grade), float(gain)
        except ValueError:
            pair = (float("nan"), float("nan"))
        if not colon or not abs(pair[0]) < float("inf") or not 0 <= pair[1] <= 2**53:
            raise InputError(
                f"{where}={text} holds {part.strip()!r}, no grade and gain of 0 or more", mend=_FORM
            )
        if pair[0] in found:
            raise InputError(f"{where}={text} gives the grade {grade.strip()} twice", mend=_FORM)
        found[pair[0]] = pair[1]
    return found


def _spell_gains(gains: Mapping[float, float]) -> str:
    return "{" + ",".join(f"{spell(grade)}:{spell(gains[grade])}" for grade in sorted(gains)) + "}"


@cache
def gain_table(text: str) -> dict[float, float]:
    """Gain by grade of a parameter ``gains``, as its name spells it; empty text is an empty table."""
    return _gains(text, "gains") if text else {}


def rel(default: int = 1) -> dict[str, Param]:
    """The parameter ``rel``: the lowest grade that counts as relevant."""
    return {"rel": Param(default)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """An entry of the catalogue.

    ``score(view, cut, **params)`` gives `Values`; ``cutoff`` is required, optional or none; ``total`` is how
    questions are summed up (mean, sum, geometric); ``proportion`` marks values that are 0 or 1 by
    definition; ``needs`` is what must be known of the units (grades, nuggets, spans, tokens). ``condensed``:
    it takes ``judged_only=true``, which drops unjudged units first. ``decides``: an empty ranking is a
    decision not to answer, and not a failure; each system has an n of its own.
    """

    name: str
    score: Callable[..., Values]
    says: str
    source: str
    params: Mapping[str, Param] = field(default_factory=dict)
    cutoff: str = "optional"
    budget: bool = True
    total: str = "mean"
    proportion: bool = False
    ratio: bool = True  # always within 0..1
    needs: str = "grades"
    condensed: bool = True
    decides: bool = False

    @property
    def accepts(self) -> dict[str, Param]:
        """Every parameter a name may give: the function's own, and ``judged_only`` where it is allowed."""
        more = {"judged_only": Param(default=False)} if self.condensed and self.needs == "grades" else {}
        return {**self.params, **more}

    @property
    def example(self) -> str:
        """A name of this kind that can be asked for, with nothing that could be left out."""
        must = ",".join(f"{n}={spell(p.default)}" for n, p in self.params.items() if p.required)
        return self.name + (f"({must})" if must else "") + ("@10" if self.cutoff == "required" else "")

    def full(self, metric: Metric) -> dict[str, Any]:
        """All parameters of the function, defaults included; ``judged_only`` is none: it picks the view."""
        given = dict(metric.params)
        given.pop("judged_only", None)
        return {name: param.default for name, param in self.params.items()} | given


def judged_only(metric: Metric) -> bool:
    """Does the name say that unjudged units are dropped first (condensed lists, Sakai 2007)?"""
    return bool(dict(metric.params).get("judged_only", False))
