"""Retrieval good or bad × answer good or bad, question by question, with the likely cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evenhand.answer.diagnosis.correctness import Right
from evenhand.model.result import Interval
from evenhand.stats.intervals.proportion import wilson_design_effect

__all__ = ["CELLS", "Case", "Cell", "Place", "Rate", "case", "cell_of", "cells", "rate"]

CELLS: Mapping[str, str] = {
    "working": "retrieval good, answer good",
    "generation": "retrieval good, answer bad: look at the generator",
    "fragile": "retrieval bad, answer good: right without the evidence",
    "retrieval": "retrieval bad, answer bad: look at the retriever",
    "undecided": "one of the two cannot be said",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the evidence of a question is: ``rank`` from which on all of it is there, None: it never is.

    ``some``: a part of it was given. ``reachable``: units of this chunking hold all of it.
    """

    rank: int | None = None
    some: bool = False
    reachable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question (or item of a topic) in its ``cell``, with its likely ``cause``.

    ``retrieval``: the passages held what is needed, None where that is unknown for the reason ``lacks``;
    ``answer``: it is right, ``by`` which means; ``closed``: right without any passage, None where nobody
    asked; ``cluster`` marks what is not independent.
    """

    question: str
    cell: str
    cause: str
    retrieval: bool | None
    answer: bool | None
    by: str
    did: str
    why: str
    item: str = ""
    closed: bool | None = None
    rank: int | None = None
    expect: str = ""
    cluster: str = ""
    lacks: str = ""
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def cell_of(retrieval: bool | None, answer: bool | None) -> str:
    """The name of the cell."""
    if retrieval is None or answer is None:
        return "undecided"
    if retrieval:
        return "working" if answer else "generation"
    return "fragile" if answer else "retrieval"


def case(
    question: str,
    found: Right,
    *,
    retrieval: bool | None,
    place: Place | None = None,
    lacks: str = "",
    closed: bool | None = None,
    failed: Sequence[str] = (),
    **more: object,
) -> Case:
    """One question in its cell.

    *failed*: checks that its answer fails; *place*: None for a topic; *lacks*: why nothing is known of
    retrieval.
    """
    cell = cell_of(retrieval, found.right)
    return Case(
        question=question,
        cell=cell,
        cause=_cause(cell, found, closed, failed, lacks) or _of_retrieval(place, found),
        retrieval=retrieval,
        answer=found.right,
        by=found.by,
        did=found.did,
        why=found.why,
        closed=closed,
        lacks=lacks if retrieval is None else "",
        rank=place.rank if place is not None else None,
        **more,  # type: ignore[arg-type]
    )


def _cause(cell: str, found: Right, closed: bool | None, failed: Sequence[str], lacks: str) -> str:
    """The likely cause; nothing where it is retrieval's."""
    if cell == "working":
        return "the evidence was there, and was used"
    if cell == "fragile":
        if closed is None:
            return "the model's own knowledge, other passages, or luck"
        return "the model knew it without any passage" if closed else "other passages say it, or luck"
    if cell == "generation":
        return _of_generation(found, failed)
    if cell == "undecided":
        return found.why if found.right is None else lacks
    return ""


def _of_generation(found: Right, failed: Sequence[str]) -> str:
    if found.did == "failed":
        return f"the model gave no answer ({found.why})"
    if found.did == "abstained":
        return "it abstained, though the evidence was there"
    if found.did == "asked-back":
        return "it asked back, though the evidence was there"
    if found.by in ("checks", "people"):
        return found.why if found.by == "checks" else "people called it wrong"
    for check, words in (
        ("numbers-grounded", "it states numbers that the passages it cites do not hold"),
        ("claims-borne-out", "it claims what the passages it cites do not bear out"),
        ("content-words", "it says what the passages it cites do not say"),
        ("quotations-verbatim", "it quotes what is not there"),
        ("cites-retrieved", "it cites no passage that was given"),
    ):
        if check in failed:
            return words
    return "it used the passages and missed what was asked"


def _of_retrieval(where: Place | None, found: Right) -> str:
    if where is None:
        return "no document that the topic names was given"
    if not where.reachable:
        lacks = "no units of this chunking hold the evidence whole"
    elif where.rank is not None:
        lacks = "all evidence was ranked, below what was given"
    elif where.some:
        lacks = "a part of the evidence was given, the rest was not ranked"
    else:
        lacks = "the evidence was not ranked"
    return lacks + (", and it rightly did not answer" if found.did in ("abstained", "asked-back") else "")


@dataclass(frozen=True, kw_only=True)
class Rate:
    """*k* of *n* with Wilson's interval on n / Kish's design effect, over ``clusters``."""

    k: int
    n: int
    clusters: int
    point: float | None
    interval: Interval


def rate(cases: Iterable[Case], said: Callable[[Case], bool | None], *, level: float = 0.95) -> Rate:
    """The share of *cases* of which something is said (``attrgetter("answer")``); None is left out."""
    tallies: dict[str, list[int]] = {}
    for one in cases:
        value = said(one)
        if value is not None:
            tally = tallies.setdefault(one.cluster or one.question, [0, 0])
            tally[0] += bool(value)
            tally[1] += 1
    ks, ns = [k for k, _ in tallies.values()], [n for _, n in tallies.values()]
    found = wilson_design_effect(ks, ns, level=level)
    return Rate(k=sum(ks), n=sum(ns), clusters=len(ns), point=found.point, interval=found.interval)


def _in(cell: str) -> Callable[[Case], bool | None]:
    return lambda one: None if one.cell == "undecided" else one.cell == cell


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell: its share of the cases that could be decided, its causes with counts, its cases.

    ``closed`` and ``closed_n``: of its cases that were asked without passages, those right all the same.
    """

    name: str
    says: str
    share: Rate
    causes: Mapping[str, int]
    cases: tuple[Case, ...]
    closed: int
    closed_n: int


def cells(found: Sequence[Case], *, level: float = 0.95) -> list[Cell]:
    """All cells, also those that are empty, in the order of `CELLS`."""
    made = []
    for name, says in CELLS.items():
        own = tuple(one for one in found if one.cell == name)
        share = rate(found, _in(name), level=level)
        counted = Counter(one.cause for one in own if one.cause)
        asked = [one for one in own if one.closed is not None]
        made.append(
            Cell(
                name=name,
                says=says,
                share=share,
                causes=dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))),
                cases=own,
                closed=sum(bool(one.closed) for one in asked),
                closed_n=len(asked),
            )
        )
    return made
