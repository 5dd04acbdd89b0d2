"""What rankings say about how sure they are: one number a question, or the reason why there is none.

Plain Python on one question, the same code in a study and in production; `evenhand.gate.columns` has it
over many questions. Signals, with k the depth and pairs those of the systems compared:

- ``score(s)``      the score of the first document of system s, on the scale of its scores
- ``margin(s)``     the first score less the second, of different documents (a distance: second less first)
- ``agreement@k``   the share of pairs of systems whose first k documents are the same set
- ``jaccard@k``     the mean over pairs of |A ∩ B| / |A ∪ B|, of the first k documents as sets
- ``rbo@k``         the mean over pairs of the rank-biased overlap of the first k, extrapolated; p = 0.9, or
  as ``rbo(p=0.8)@k`` says
- ``consensus``     1 when all first documents are the same one, else 0
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from evenhand.errors import InputError, nearest
from evenhand.gate.production.scales import ROOM, SCALES, Scale, named, number
from evenhand.gate.production.top_documents import Head
from evenhand.stats.rank_overlap import DIGITS, distinct_overlap, jaccard

__all__ = ["KINDS", "Signal", "signal"]

KINDS = ("score", "margin", "agreement", "jaccard", "rbo", "consensus")
_FORM = re.compile(r"(?P<kind>[a-z]+)(?:\((?P<inner>[^()]*)\))?(?:@(?P<k>\d{1,6}))?")
P = 0.9  # rbo: the first ten documents carry 86% of the weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One signal of the systems *of*. Build it with `signal`, which checks it."""

    kind: str
    of: tuple[str, ...]
    scale: Scale
    system: str = ""  # score, margin
    k: int = 1  # documents of each system that it looks at
    p: float = P  # rbo
    rising: bool = False  # margin: the scores are distances, which rise with the rank

    @property
    def name(self) -> str:
        """As it is written in a study file."""
        if self.system:
            return f"{self.kind}({self.system})"
        if self.kind == "consensus":
            return self.kind
        return f"{self.kind}{f'(p={self.p:g})' if self.kind == 'rbo' and self.p != P else ''}@{self.k}"

    def value(self, found: Mapping[str, Head]) -> tuple[float | None, str]:
        """The value, or None and why; *found* has the head of each system, at least ``k`` deep."""
        if self.system:
            return self._of_scores(*found[self.system])
        tops = [found[name][0] for name in self.of]
        if not all(tops):
            return None, f"{self.of[tops.index([])]} found nothing"
        if self.kind == "consensus":
            return float(len({documents[0] for documents in tops}) == 1), ""
        k, p = self.k, self.p
        pairs = combinations([documents[:k] for documents in tops], 2)
        if self.kind == "agreement":
            alike = [float(set(a) == set(b)) for a, b in pairs]
        elif self.kind == "rbo":
            alike = [distinct_overlap(a, b, p) for a, b in pairs]
        else:
            alike = [jaccard(a, b) or 0.0 for a, b in pairs]
        return round(sum(alike) / len(alike), DIGITS), ""

    def _of_scores(self, documents: list[str], scores: list[object]) -> tuple[float | None, str]:
        if not documents:
            return None, f"{self.system} found nothing"
        if self.kind == "margin" and len(documents) < 2:
            return None, f"{self.system} found one document only"
        given: list[float] = []
        for place in range(self.k):
            value, wrong = number(scores[place])
            if value is None:
                return None, f"the score of {self.system} at rank {place + 1} {wrong}"
            given.append(value)
        if self.kind == "score":
            top = given[0]
            if not self.scale.holds(top, ROOM):
                return None, f"the score of {self.system} is {top:g}, outside {self.scale}"
            return top, ""
        # equal margins of equal scores must tie: 0.3 - 0.2 and 0.2 - 0.1 differ in their last bit
        gap = round(given[1] - given[0] if self.rising else given[0] - given[1], DIGITS)
        if gap < 0:
            return (
                None,
                f"the scores of {self.system} do not {'rise' if self.rising else 'fall'} with the rank",
            )
        if not self.scale.holds(gap, ROOM):
            return None, f"the margin of {self.system} is {gap:g}, outside {self.scale}"
        return gap, ""


def signal(name: str, of: Sequence[str], scales: Mapping[str, Scale | str] | None = None) -> Signal:
    """The signal called *name* over the systems *of*.

    *scales*: the scale of the scores of each system (``cosine``, ``bm25``, ``share``, ``distance``, ``any``,
    or a `Scale`); ``any`` where none is given.
    Raises InputError for a name of another form, an unknown system, and a comparison of fewer than two.
    """
    systems = tuple(of)
    form = _FORM.fullmatch(name.strip()) if isinstance(name, str) else None
    kind = form["kind"] if form else ""
    if form is None or kind not in KINDS:
        raise InputError(
            f"no signal {name!r}", mend=nearest(str(name), [f"{k}{_TAIL.get(k, '@5')}" for k in KINDS])
        )
    if not systems:
        raise InputError(f"signal {name!r} is of no system", mend="name one system or more under [gate] of =")
    inner, k = form["inner"], form["k"]
    if kind in ("score", "margin"):
        if not inner or k:
            raise InputError(f"signal {name!r} names no system", mend=f"write it as {kind}({systems[-1]})")
        if inner not in systems:
            raise InputError(
                f"signal {name!r} is of a system the gate does not have", mend=nearest(inner, systems)
            )
        scale = named((scales or {}).get(inner, "any"))
        if kind == "score":
            return Signal(kind=kind, of=systems, scale=scale, system=inner)
        rising = not scale.higher
        return Signal(kind=kind, of=systems, scale=_margin(scale), system=inner, k=2, rising=rising)
    if len(set(systems)) < 2:
        raise InputError(
            f"signal {name!r} compares systems, and there is one", mend="name two systems or more"
        )
    if kind == "consensus":
        if inner is not None or k:
            raise InputError(f"no signal {name!r}", mend="write it as consensus")
        return Signal(kind=kind, of=systems, scale=SCALES["share"])
    if not k or not int(k):
        raise InputError(f"signal {name!r} names no depth", mend=f"write it as {kind}@5")
    return Signal(kind=kind, of=systems, scale=SCALES["share"], k=int(k), p=_p(kind, inner, name))


_TAIL = {"score": "(system)", "margin": "(system)", "consensus": ""}


def _margin(scale: Scale) -> Scale:
    """From 0 to the width of the scale of the scores; a larger gap is surer, also between distances."""
    wide = None if scale.low is None or scale.high is None else scale.high - scale.low
    return Scale(f"margin of {scale.name}", 0.0, wide)


def _p(kind: str, inner: str | None, name: str) -> float:
    if inner is None:
        return P
    form = re.fullmatch(r"p=(0?\.\d{1,9})", inner)
    if kind != "rbo" or form is None or not 0 < float(form[1]) < 1:
        raise InputError(
            f"no signal {name!r}",
            mend="write it as rbo(p=0.9)@10" if kind == "rbo" else f"write it as {kind}@5",
        )
    return float(form[1])
