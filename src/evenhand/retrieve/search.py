"""`retrieve`: one system, one chunking, all questions, one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from evenhand.errors import InputError
from evenhand.model.gold import GoldSet
from evenhand.model.run import Run
from evenhand.protocols import Progress, quiet
from evenhand.retrieve.rank import Ranked, ties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.model.text import Units
    from evenhand.store.files import Blobs

__all__ = ["System", "asked", "retrieve"]


@runtime_checkable
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
) -> Run:
    """Ask every question of *system* over *units*; rankings go by score, then by unit position.

    *system* is one of ours, an object or plain function of a guest (see `evenhand.protocols.Searcher`),
    or the name of a built-in. *depth* may exceed the number of units. *times* is filled with the seconds
    each question took (for work done in batches: its equal share). Raises InputError for depth < 1, for
    no question, and for scores that are not finite numbers.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise InputError(f"depth is {depth!r}", mend="give a whole number of at least 1")
    texts = asked(questions)
    ready = as_system(system)
    if not len(units) and getattr(ready, "searches_units", True):
        raise InputError(
            f"chunking {units.chunking!r} has no unit to search", mend="check the corpus and the chunking"
        )
    ranked = ready.rank(units, list(texts.values()), depth, cache=cache, progress=progress)
    if times is not None:
        times.update(zip(texts, (float(s) for s in ranked.seconds), strict=True))
    notes = dict(ranked.notes)
    if tied := ties(ranked.offsets, ranked.score):
        notes["ties"] = tied
    own = ranked.units if ranked.units is not None else units
    return Run(
        system=name or ready.name,
        questions=tuple(texts),
        offsets=ranked.offsets,
        unit=ranked.unit,
        score=ranked.score,
        table=ranked.table if ranked.table is not None else own.ids,
        units=own,
        notes=dict(sorted(notes.items())),
        provenance={**ranked.provenance, "depth": depth},
    )


def as_system(system: Any) -> System:
    """Whatever was brought, as something that ranks."""
    if isinstance(system, str):
        from evenhand.plugins import find

        named = system
        system = find(system, "retriever")
        if isinstance(system, type) and issubclass(system, System):
            system = system()
        elif not isinstance(system, System):
            from evenhand.retrieve.guest import Guest

            return Guest(system, name=named)
    if isinstance(system, System) and not isinstance(system, type):
        return system
    from evenhand.retrieve.guest import Guest

    return Guest(system)
