"""`retrieve`: one system, one chunking, all questions, one run."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from evenhand.errors import InputError, expect
from evenhand.model.gold import GoldSet
from evenhand.model.run import Run
from evenhand.model.text import Units
from evenhand.protocols import Progress, quiet
from evenhand.retrieve.guests.ask_guest import inherited
from evenhand.retrieve.rank import Ranked, ties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.protocols import Engine
    from evenhand.store.blobs import Blobs

__all__ = ["Made", "System", "as_system", "asked", "retrieve"]


class System(Protocol):
    """Anything here that ranks all questions at once."""

    @property
    def name(self) -> str:
        """How reports call it."""

    def settings(self) -> dict[str, Any]:
        """What its rankings depend on."""

    def rank(
        self, units: Units, questions: Sequence[str], depth: int, *, cache: Blobs | None, progress: Progress
    ) -> Ranked:
        """Rank *units* for each question, at most *depth* deep."""


class Made(Protocol):
    """A system made from others: it never sees the units but through their runs."""

    @property
    def of(self) -> Sequence[Any]:
        """The systems it is made from, or their names in a study."""

    def combine(
        self,
        runs: Sequence[Run],
        *,
        name: str,
        depth: int,
        questions: GoldSet | Mapping[str, str],
        cache: Blobs | None = None,
        progress: Progress = quiet,
    ) -> Run:
        """One run from theirs, *depth* deep."""


def asked(questions: GoldSet | Mapping[str, str]) -> dict[str, str]:
    """Question texts by id, in order."""
    if isinstance(questions, GoldSet):
        found = {str(question.id): question.text for question in questions}
    elif isinstance(questions, Mapping):
        found = {str(name): text for name, text in questions.items()}
    else:
        raise InputError(
            f"questions are given as {type(questions).__name__}",
            mend="give a gold set, or a dictionary of texts by question id",
        )
    if not found:
        raise InputError("there is no question to ask", mend="give at least one question")
    for name, text in found.items():
        if not isinstance(text, str):
            raise InputError(f"question {name!r} has no text", mend="each question is a text by its id")
    return found


def retrieve(
    system: Any,
    units: Units,
    questions: GoldSet | Mapping[str, str],
    *,
    depth: int = 100,
    cache: Blobs | None = None,
    times: dict[str, float] | None = None,
    progress: Progress = quiet,
    name: str | None = None,
    engine: Engine | None = None,
) -> Run:
    """Ask every question of *system* over *units*; rankings go by score, then by unit position.

    *system* is one of ours, an object or plain function of a guest (see `evenhand.protocols.Searcher`),
    or the name of a built-in. *depth* may exceed the number of units. *engine*: whose workers embed and
    search exactly, for systems that do; all others work here. *times* is filled with the seconds
    each question took (for work done in batches: its equal share). Raises InputError for depth < 1, for
    no question, and for scores that are not finite numbers.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise InputError(f"depth is {depth!r}", mend="give a whole number of at least 1")
    expect(units, Units, "the second argument", "retrieve(system, units, questions)")
    texts = asked(questions)
    ready = as_system(system)
    if hasattr(ready, "combine"):
        return _made(
            ready,
            units,
            texts,
            name=name,
            depth=depth,
            cache=cache,
            times=times,
            progress=progress,
            engine=engine,
        )
    if not len(units) and getattr(ready, "searches_units", True):
        raise InputError(
            f"chunking {units.chunking!r} has no unit to search", mend="check the corpus and the chunking"
        )
    spread = {"engine": engine} if engine is not None and getattr(ready, "spreads", False) else {}
    ranked = ready.rank(units, list(texts.values()), depth, cache=cache, progress=progress, **spread)
    if times is not None:
        times.update(zip(texts, (float(s) for s in ranked.seconds), strict=True))
    notes = dict(ranked.notes)
    if tied := ties(ranked.offsets, ranked.score):
        notes["ties"] = tied
    own = ranked.units if ranked.units is not None else units
    called = str(name or ready.name)
    about = {**ranked.provenance, "depth": depth}
    if "told" in about:
        about["told"] = [str(text).replace("{system}", called) for text in about["told"]]
    return Run(
        system=called,
        questions=tuple(texts),
        offsets=ranked.offsets,
        unit=ranked.unit,
        score=ranked.score,
        table=ranked.table if ranked.table is not None else own.ids,
        units=own,
        notes=dict(sorted(notes.items())),
        provenance=about,
        not_run={name: ranked.failed[i] for i, name in enumerate(texts) if i in ranked.failed},
    )


def _made(
    system: Made,
    units: Units,
    texts: Mapping[str, str],
    *,
    name: str | None,
    depth: int,
    cache: Blobs | None,
    times: dict[str, float] | None,
    progress: Progress,
    engine: Engine | None,
) -> Run:
    parts: list[dict[str, float]] = [{} for _ in system.of]
    runs = [
        retrieve(member, units, texts, depth=depth, cache=cache, times=part, progress=progress, engine=engine)
        for member, part in zip(system.of, parts, strict=True)
    ]
    start = perf_counter()
    own = name or str(getattr(system, "name", "made"))
    run = system.combine(runs, name=own, depth=depth, questions=texts, cache=cache, progress=progress)
    run = inherited(run, runs)
    each = (perf_counter() - start) / len(texts)
    if times is not None:
        times.update({question: each + sum(part[question] for part in parts) for question in texts})
    return run


def as_system(system: Any, *, name: str = "") -> Any:
    """Whatever was brought, as a `System` or a `Made`."""
    from evenhand.retrieve.guests.guest import Guest

    if isinstance(system, str):
        if system.startswith(("http://", "https://")):
            from evenhand.retrieve.guests.remote import Endpoint

            return Guest(Endpoint(system), name=name or "endpoint")
        from evenhand.plugins import find, made

        name, system = name or system, find(system, "retriever")
        if isinstance(system, type) and hasattr(system, "rank"):
            system = made(system, {}, where=f"retriever {name!r}", mend="its class must take no settings")
    if not isinstance(system, type) and any(callable(getattr(system, m, None)) for m in ("rank", "combine")):
        return system
    from evenhand.retrieve.guests.bridge import Bridge
    from evenhand.retrieve.guests.remote import Endpoint

    return Guest(system, name=name, keep=isinstance(system, (Endpoint, Bridge)) and system.cache)
