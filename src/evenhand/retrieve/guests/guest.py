"""What somebody else brings: a class or a function, our units or its own, hits in any of four forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from inspect import isawaitable, isfunction, signature
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import EvenhandError, InputError
from evenhand.llm import shown
from evenhand.model.seal import seal
from evenhand.plugins import made
from evenhand.retrieve.frameworks import recognised
from evenhand.retrieve.guests.ask_guest import ask, called, told
from evenhand.retrieve.guests.async_loop import Loop
from evenhand.retrieve.guests.bridge import Bridge
from evenhand.retrieve.guests.locate_hit import Places
from evenhand.retrieve.guests.parse_hits import Found, directed, scores
from evenhand.retrieve.rank import Ranked

if TYPE_CHECKING:
    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.store.blobs import Blobs
    from evenhand.store.retrieval_journal import Journal

__all__ = ["Guest"]


class Guest:
    """A retriever brought by shape: ``search(question, k)``, and ``index(units)`` when it takes ours.

    A guest without ``index`` is its own chunking: its run ranks the spans its hits lie at. The order of the
    hits is the guest's (best first); equal scores are put in the order of the units. Hits without a score
    get 1 / rank. A hit that cannot be placed keeps its rank, points at no unit, and is counted
    ``unresolved``. A unit hit twice keeps its better rank; the other is dropped and counted ``duplicates``.
    What it returns may be awaitable. A retriever of LangChain, LlamaIndex or Haystack is recognised, and
    so is a function without positional arguments that makes a guest (*settings* are its keywords).

    *identity* says which guest it is where answers are kept (a seal of its source); *keep*: they are kept
    for later runs too, and not only until the one they belong to is finished.
    """

    def __init__(
        self,
        thing: Any,
        *,
        name: str = "",
        settings: Mapping[str, Any] | None = None,
        identity: str = "",
        keep: bool = False,
    ) -> None:
        label = name or str(getattr(thing, "name", "") or getattr(thing, "__name__", type(thing).__name__))
        if isinstance(thing, type):
            mend = "its class must take the settings of its section, and nothing else"
            thing = made(thing, settings or {}, where=f"retriever {label!r}", mend=mend)
            label = name or str(getattr(thing, "name", "") or label)
        elif _makes(thing, settings or {}):
            thing = called(label, "making it", partial(thing, **dict(settings or {})))
        elif settings:
            raise InputError(
                f"retriever {label!r} takes no settings, but {sorted(settings)} are given",
                mend="leave them out, or bring a class that takes them",
            )
        given = dict(settings or {})
        try:
            thing = recognised(thing) or thing
        except EvenhandError:
            raise
        except Exception as error:
            raise InputError(
                f"retriever {label!r} cannot be read: {told(error)}", mend="this error is the guest's own"
            ) from error
        search = getattr(thing, "search", None)
        if not callable(search):
            search = thing
        if not callable(search):
            raise InputError(
                f"{label!r} is not a retriever",
                mend="bring a function search(question, k), or an object that has one",
            )
        self.thing, self.name, self._search = thing, label, search
        self.given = given
        self.bridge = thing if isinstance(thing, Bridge) else None
        self.identity, self.keep = identity, keep
        self._journal: Journal | None = None

    @property
    def searches_units(self) -> bool:
        """Whether it searches our units; else it is its own chunking."""
        if self.bridge is not None:
            return self.bridge.over_ours
        return callable(getattr(self.thing, "index", None))

    def settings(self) -> dict[str, Any]:
        """What can be said of it: its name, its settings and the version or seal it claims."""
        if self.bridge is not None:
            about = self.bridge.settings()
            return {**about, **({"settings": self.given} if self.given else {})}
        kind = type(self.thing) if not callable(getattr(self.thing, "__name__", None)) else self.thing
        about = {
            "retriever": "guest",
            "is": getattr(self.thing, "__qualname__", kind.__qualname__),
            "chunking": "ours" if self.searches_units else "its own",
        }
        for part in ("seal", "version", "url"):
            if isinstance(claim := getattr(self.thing, part, None), str):
                about[part] = shown(claim) if part == "url" else claim
        return {**about, **({"settings": self.given} if self.given else {})}

    def rank(
        self,
        units: Units,
        questions: Sequence[str],
        depth: int,
        *,
        cache: Blobs | None = None,
        progress: Progress,
    ) -> Ranked:
        """Ask each question; at most *depth* hits are kept.

        With a *cache*, answers of a guest that can be known again (an endpoint, one with a ``seal``, one
        whose source the study has sealed) are written down as they come and not asked for twice; see
        `Blobs.journal` for how long they are kept.
        """
        identity = self.identity or getattr(self.thing, "seal", "") or getattr(self.thing, "url", "")
        if cache is not None and isinstance(identity, str) and identity:
            # kept answers belong to what was asked; others also to who asked, so that A against A is two runs
            who = "" if self.keep else self.name
            key = seal(["answers", identity, self.settings(), depth, units.seal, who])
            self._journal = cache.journal("answers", key, keep=self.keep)
        loop = Loop()
        ready, facts = False, self._facts()

        def begin() -> None:
            nonlocal ready, facts
            if ready:
                return
            if self.bridge is not None:
                with self._named():
                    called(self.name, "the first step", self._begin, units, questions, cache, progress)
                facts = self._facts(anew=True)
            elif self.searches_units:
                called(self.name, "index", self.thing.index, units)
            ready = True

        def search(question: str) -> Any:
            with self._named():
                answer = self._search(question, depth)
            return loop.run(answer) if isawaitable(answer) else answer

        try:
            made = ask(
                search, questions, name=self.name, journal=self._journal, progress=progress, before=begin
            )
        finally:
            loop.close()
            if self.bridge is not None:
                self.bridge.close()
        notes: dict[str, int] = {}
        if beyond := sum(max(0, len(hits) - depth) for hits in made.hits):
            notes["beyond_depth"] = beyond
        if self.bridge is not None and self.bridge.deep:
            # whole documents stand for a guest's own units: it has at least as many
            most = min(depth, len(units))
            short = [n for n, hits in enumerate(made.hits) if len(hits) < most and n not in made.failed]
            if short:
                notes["fewer_than_asked"] = len(short)
        ranked = self._ranked(units, [hits[:depth] for hits in made.hits], made.seconds, notes)
        return replace(ranked, failed=made.failed, provenance={**ranked.provenance, **facts})

    def _begin(self, units: Units, questions: Sequence[str], cache: Blobs | None, progress: Progress) -> None:
        if self.bridge is not None:
            self.bridge.begin(units, questions, cache=cache, progress=progress)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """An error of a database says which system it is about."""
        try:
            yield
        except InputError as error:
            if self.bridge is None or repr(self.name) in error.what:
                raise
            raise InputError(f"retriever {self.name!r}: {error.what}", mend=error.mend) from error

    def _facts(self, *, anew: bool = False) -> dict[str, Any]:
        """What the bridge found out; of a run that goes on without asking, as it was written down."""
        if self.bridge is None:
            return {}
        held = self._journal.get("facts") if self._journal is not None else None
        if not anew:
            return dict(held or {})
        found = self.bridge.facts()
        if found and self._journal is not None:
            self._journal.put("facts", found)
        return found

    def forget(self) -> None:
        """Its answers cannot be used: once it is mended it is asked anew."""
        if self._journal is not None:
            self._journal.remove()

    def _ranked(
        self, units: Units, lists: list[list[Found]], seconds: list[float], notes: dict[str, int]
    ) -> Ranked:
        places = Places(units, ours=self.searches_units)
        if self.bridge is not None:
            lists = directed(lists, notes)
        found = [[places.find(hit.what) for hit in hits] for hits in lists]
        own, codes = places.units(self.name, [code for row in found for code in row])
        offsets, unit, score = [0], [], []
        lost: list[str] = []
        at = 0
        for hits in lists:
            row = codes[at : at + len(hits)]
            at += len(hits)
            given = scores(hits, notes)
            seen: set[int] = set()
            best: list[tuple[float, int]] = []
            for code, value in zip(row, given, strict=True):
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


def _makes(thing: Any, settings: Mapping[str, Any]) -> bool:
    """Whether *thing* is a function that makes a guest: it takes *settings*, and no question."""
    if not isfunction(thing):
        return False
    takes = signature(thing)
    try:
        takes.bind("", 1)
    except TypeError:
        try:
            takes.bind(**settings)
        except TypeError:
            return False
        return True
    return False


def _settle(best: list[tuple[float, int]]) -> None:
    """Put neighbours of equal score in the order of their units, hits at no unit last."""
    best.sort(key=lambda pair: (-pair[0], pair[1]))
