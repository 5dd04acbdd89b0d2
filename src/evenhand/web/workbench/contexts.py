"""What each page of the workbench shows, frozen. Only owners receive any of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "AskedLine",
    "AskedPage",
    "FailuresPage",
    "Figures",
    "Head",
    "LedgerPage",
    "PartPage",
    "QuestionPage",
    "StudiesPage",
    "StudyLine",
    "StudyPage",
    "TakePage",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyLine:
    """A study in the overview. ``withheld``: why nothing of it is told; then all figures are None.

    The headline is the leader's estimate of the primary metric: *point* in its interval of *level* over
    *n* questions. ``met``, ``not_met``, ``undecided`` count criteria, None where there are none.
    """

    name: str
    href: str
    study: str
    split: str
    state: str
    withheld: str
    headline: str
    primary: str
    leader: str
    point: float | None
    low: float | None
    high: float | None
    level: float | None
    n: int | None
    systems: int
    met: int | None
    not_met: int | None
    undecided: int | None
    incomplete: bool
    drafted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiesPage:
    """All studies, and reports that cannot be read (file, what, mend)."""

    studies: tuple[StudyLine, ...]
    unread: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What stands on every page of a study: its name and state, the hash of its report, its pages."""

    name: str
    study: str
    split: str
    state: str
    digest: str
    primary: str
    pages: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPage:
    """The comparison; ``order`` are the systems as sorted by ``sort``, ``way`` is asc or desc."""

    head: Head
    sort: str
    way: str
    order: tuple[str, ...]
    headline: str
    sentences: tuple[str, ...]
    does_not_claim: tuple[str, ...]
    incomplete: Mapping[str, Any]
    provisional: Mapping[str, Any]
    estimates: tuple[Mapping[str, Any], ...]
    contrasts: tuple[Mapping[str, Any], ...]
    standing: Mapping[str, Any] | None
    slices: tuple[Mapping[str, Any], ...]
    warnings: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPage:
    """One further section of a report, as it stands there."""

    head: Head
    part: str
    title: str
    section: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPage:
    """The registration as the report tells it, and the entries of the study in the ledger beside it.

    ``whole``: does the chain of the ledger hold? None where no ledger lies beside the results.
    """

    head: Head
    registration: Mapping[str, Any] | None
    entries: tuple[Mapping[str, Any], ...]
    others: int
    whole: bool | None
    faults: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedLine:
    """A question in a list; ``values`` follow the systems of the page."""

    id: str
    href: str
    text: str
    type: str
    kept: bool
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPage:
    """One page of the listed questions, those on which systems differ most first."""

    head: Head
    find: str
    page: int
    pages: int
    found: int
    listed: int
    of: int
    rule: str
    metric: str
    systems: tuple[str, ...]
    questions: tuple[AskedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """One question: what each system found (``columns``), why its metrics have their values, judgements.

    ``listed``: does the report list it? Else only values are known. ``before`` and ``after`` are addresses.
    """

    head: Head
    id: str
    listed: bool
    question: Mapping[str, Any]
    columns: tuple[Mapping[str, Any], ...]
    values: Mapping[str, Mapping[str, float | None]]
    pairs: tuple[Mapping[str, Any], ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailuresPage:
    """One of four lists of failures, and how long each is; see `comparison.failures`."""

    head: Head
    metric: str
    metrics: tuple[str, ...]
    kind: str
    counts: Mapping[str, int]
    of: int
    whole: bool
    near_of: int
    cutoff: int | None
    page: int
    pages: int
    rows: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The pictures of a report as SVG, by name; none where the extra ``plots`` is not installed."""

    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakePage:
    """A system as files that run elsewhere, by name; ``why`` it is none, with a ``mend``, where it cannot be.

    ``needs``: extras of evenhand; ``brings``: what only the owner of the system has.
    """

    head: Head
    system: str
    systems: tuple[str, ...]
    files: Mapping[str, str]
    needs: tuple[str, ...]
    brings: tuple[str, ...]
    why: str
    mend: str
