"""What somebody else brings: a class or a function, our units or its own, hits in any of four forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import EvenhandError, InputError
from evenhand.retrieve.place import Places
from evenhand.retrieve.rank import Ranked

if TYPE_CHECKING:
    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.store.files import Blobs

__all__ = ["Guest"]

FORMS = '{"unit"}, {"doc", "start", "end"}, {"text", "doc"?} or (unit id, score)'


@dataclass(frozen=True, slots=True)
class _Hit:
    """One hit as it was given; ``score`` None when there was none."""

    what: Any
    score: float | None


class Guest:
    """A retriever brought by shape: ``search(question, k)``, and ``index(units)`` when it takes ours.

    A guest without ``index`` is its own chunking: its run ranks the spans its hits lie at. The order of the
    hits is the guest's (best first); equal scores are put in the order of the units. Hits without a score
    get 1 / rank. A hit that cannot be placed keeps its rank, points at no unit, and is counted
    ``unresolved``. A unit hit twice keeps its better rank; the other is dropped and counted ``duplicates``.
    """

    def __init__(self, thing: Any, *, name: str = "", settings: Mapping[str, Any] | None = None) -> None:
        label = name or str(getattr(thing, "name", "") or getattr(thing, "__name__", type(thing).__name__))
        if isinstance(thing, type):
            try:
                thing = thing(**dict(settings or {}))
            except TypeError as error:
                raise InputError(
                    f"retriever {label!r} cannot be made: {error}",
                    mend="its class must take the settings of its section, and nothing else",
                ) from error
            label = name or str(getattr(thing, "name", "") or label)
        elif settings:
            raise InputError(
                f"retriever {label!r} takes no settings, but {sorted(settings)} are given",
                mend="leave them out, or bring a class that takes them",
            )
        search = getattr(thing, "search", None)
        if not callable(search):
            search = thing
        if not callable(search):
            raise InputError(
                f"{label!r} is not a retriever",
                mend="bring a function search(question, k), or an object that has one",
            )
        self.thing, self.name, self._search = thing, label, search
        self.given = dict(settings or {})

    @property
    def searches_units(self) -> bool:
        """Whether it searches our units; else it is its own chunking."""
        return callable(getattr(self.thing, "index", None))

    def settings(self) -> dict[str, Any]:
        """What can be said of it: its name, its settings and the version or seal it claims."""
        kind = type(self.thing) if not callable(getattr(self.thing, "__name__", None)) else self.thing
        about: dict[str, Any] = {
            "retriever": "guest",
            "is": getattr(self.thing, "__qualname__", kind.__qualname__),
            "chunking": "ours" if self.searches_units else "its own",
        }
        for part in ("seal", "version", "url"):
            if isinstance(claim := getattr(self.thing, part, None), str):
                about[part] = claim
        return {**about, **({"settings": self.given} if self.given else {})}

    def rank(
        self,
        units: Units,
        questions: Sequence[str],
        depth: int,
        *,
        cache: Blobs | None = None,  # noqa: ARG002  what a guest does is not known well enough to be cached
        progress: Progress,
    ) -> Ranked:
        """Ask each question; at most *depth* hits are kept."""
        notes: dict[str, int] = {}
        if self.searches_units:
            self._call("index", self.thing.index, units)
        lists, seconds = [], []
        for done, question in enumerate(questions):
            start = perf_counter()
            hits = self._call(f"question {done + 1}", self._search, question, depth)
            seconds.append(perf_counter() - start)
            lists.append([self._hit(hit, done) for hit in self._listed(hits, done)])
            if len(lists[-1]) > depth:
                notes["beyond_depth"] = notes.get("beyond_depth", 0) + len(lists[-1]) - depth
                del lists[-1][depth:]
            progress(self.name, done + 1, len(questions))
        return self._ranked(units, lists, seconds, notes)

    def _call(self, stage: str, work: Any, *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except EvenhandError:
            raise
        except Exception as error:
            raise InputError(
                f"retriever {self.name!r} failed at {stage}: {type(error).__name__}: "
                f"{' '.join(str(error).split())[:200]}",
                mend="this error is the guest's own; mend it there",
            ) from error

    def _listed(self, hits: Any, question: int) -> list[Any]:
        if hits is None or isinstance(hits, (str, bytes, Mapping)) or not hasattr(hits, "__iter__"):
            raise InputError(
                f"retriever {self.name!r} answered question {question + 1} with {type(hits).__name__}",
                mend="return a list of hits, best first",
            )
        return list(hits)

    def _hit(self, hit: Any, question: int) -> _Hit:
        what, score = hit, None
        if isinstance(hit, Mapping):
            score = hit.get("score")
        elif hasattr(hit, "unit") and hasattr(hit, "score"):  # our own Hit
            what, score = {"unit": hit.unit}, hit.score
        elif isinstance(hit, (tuple, list)) and len(hit) == 2:
            what, score = hit
        if isinstance(what, str):
            what = {"unit": what}
        elif not isinstance(what, Mapping) and hasattr(what, "id"):  # our own Unit
            what = {"unit": what.id}
        if not isinstance(what, Mapping) or not (
            "unit" in what or "text" in what or {"doc", "start", "end"} <= what.keys()
        ):
            raise InputError(
                f"retriever {self.name!r} answered question {question + 1} with a hit {str(hit)[:60]!r}",
                mend=f"a hit is {FORMS}",
            )
        if score is None:
            return _Hit(what, None)
        try:
            value = float(score)
        except (TypeError, ValueError):
            value = float("nan")
        if not np.isfinite(value):
            raise InputError(
                f"retriever {self.name!r} answered question {question + 1} with a score {score!r}",
                mend="a score is a finite number; leave it out when there is none",
            )
        return _Hit(what, value)

    def _ranked(
        self, units: Units, lists: list[list[_Hit]], seconds: list[float], notes: dict[str, int]
    ) -> Ranked:
        places = Places(units, ours=self.searches_units)
        found = [[places.find(hit.what) for hit in hits] for hits in lists]
        own, codes = places.units(self.name, [code for row in found for code in row])
        offsets, unit, score = [0], [], []
        lost: list[str] = []
        at = 0
        for hits in lists:
            row = codes[at : at + len(hits)]
            at += len(hits)
            scores = _scores(hits, notes)
            seen: set[int] = set()
            best: list[tuple[float, int]] = []
            for code, value in zip(row, scores, strict=True):
                if code < 0:  # points past the units: at no unit at all
                    best.append((value, len(own) + len(lost)))
                    lost.append(f"unresolved:{len(lost) + 1}")
                elif code in seen:
                    notes["duplicates"] = notes.get("duplicates", 0) + 1
                else:
                    seen.add(code)
                    best.append((value, code))
            _settle(best)
            unit += [code for _, code in best]
            score += [value for value, _ in best]
            offsets.append(len(unit))
        for name, count in places.notes.items():
            notes[name] = notes.get(name, 0) + count
        if lost:
            notes["unresolved"] = len(lost)
            own = replace(own)  # not the very units of any qrels: codes past them are looked up by id
        return Ranked(
            offsets=np.array(offsets, dtype=np.int64),
            unit=np.array(unit, dtype=np.int32),
            score=np.array(score, dtype=np.float64),
            seconds=np.array(seconds),
            notes=notes,
            provenance=self.settings(),
            units=own,
            table=(*own.ids, *lost),
        )


def _scores(hits: list[_Hit], notes: dict[str, int]) -> list[float]:
    given = [hit.score for hit in hits]
    if any(score is None for score in given):
        return [1.0 / rank for rank in range(1, len(hits) + 1)]
    scores = [float(score) for score in given if score is not None]
    if any(later > earlier for earlier, later in pairwise(scores)):
        # best first is the contract; distances, where less is better, arrive in this form
        notes["scores_against_order"] = notes.get("scores_against_order", 0) + 1
        return [1.0 / rank for rank in range(1, len(hits) + 1)]
    return scores


def _settle(best: list[tuple[float, int]]) -> None:
    """Put neighbours of equal score in the order of their units, hits at no unit last."""
    best.sort(key=lambda pair: (-pair[0], pair[1]))
