"""What was generated, what it was generated from, what checks found in it and how people rated it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.model.seal import seal

__all__ = [
    "ITEMS",
    "RATED",
    "STATES",
    "Citation",
    "Finding",
    "Generation",
    "Item",
    "Passage",
    "Rating",
]

ITEMS = ("answer", "multiple-choice", "short-answer")
STATES = ("made", "refused", "cut-off", "invalid", "fault")
RATED = ("faithful", "correct", "answerable", "distractors", "useful", "accept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A unit as the generator saw it; ``marker`` is the name by which it could be cited (``1``, ``A`` …).

    ``unit`` is ``document#start-end`` for ours, a guest's own id for others; ``doc``, ``start`` and ``end``
    are empty where a guest did not say where the text lies.
    """

    unit: str
    text: str
    marker: str = ""
    doc: str = ""
    start: int | None = None
    end: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A pointer to a passage as the item makes it.

    ``marker`` is what was written; ``start`` and ``end`` where it stands in the item's text (code points),
    None where it was given apart; ``quote`` the words it claims to quote.
    """

    marker: str
    start: int | None = None
    end: int | None = None
    quote: str = ""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One generated thing to be checked and rated.

    ``kind``: an ``answer`` (``text`` with citations), or a study item whose ``text`` is the question put
    to the learner: ``multiple-choice`` (``options``, ``key`` their position) or ``short-answer``
    (``answer``). ``claims`` are its assertions where somebody took it apart. ``abstained`` is what the
    system itself said of not answering, None where it said nothing. ``number`` counts the items of one
    generation from 0.
    """

    topic: str
    kind: str
    text: str
    system: str = ""
    number: int = 0
    options: tuple[str, ...] = ()
    key: int | None = None
    answer: str = ""
    citations: tuple[Citation, ...] = ()
    claims: tuple[str, ...] = ()
    abstained: bool | None = None
    language: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ITEMS:
            raise InputError(f"an item of kind {self.kind!r}", mend=nearest(self.kind, ITEMS))

    @cached_property
    def id(self) -> str:
        """20 hex digits of its seal: another word makes another item."""
        return seal(
            [
                "item/1",
                self.system,
                self.topic,
                self.number,
                self.kind,
                self.text,
                list(self.options),
                self.key,
                self.answer,
                [[c.marker, c.start, c.end, c.quote] for c in self.citations],
            ]
        )[:20]


@dataclass(frozen=True, kw_only=True)
class Generation:
    """One topic or question put to one system: what it was given, and what came.

    ``state``: ``made``; ``refused``, ``cut-off`` and ``invalid`` (not of the form asked for) are faults of
    the model and count against it; ``fault`` (network, key, rate limit) is not, and can be run again. An
    item that a fallback model wrote counts as refused. ``expect`` is that of the gold question (empty for
    topics of no gold set). ``call`` names the call in the journal, ``model`` and ``prompt`` their seals.
    """

    topic: str
    ask: str
    system: str
    state: str = "made"
    passages: tuple[Passage, ...] = ()
    items: tuple[Item, ...] = ()
    expect: str = ""
    why: str = ""
    model: str = ""
    prompt: str = ""
    call: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passages_known(self) -> bool:
        """Whether ``passages`` are what it was given: that there were none is known only where we asked."""
        return bool(self.passages or self.prompt)

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise InputError(f"a generation in state {self.state!r}", mend=nearest(self.state, STATES))
        if self.items and self.state != "made":
            raise InputError(
                f"the generation of {self.topic!r} is {self.state} and has items", mend="give it no items"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found in one item.

    ``passed`` is None where the check does not apply or cannot be decided (``why`` says which).
    ``sought`` is what was looked for, ``found`` what was found of it, ``missing`` what was not; ``where``
    holds places as (``item``, ``passage 2`` …, start, end).
    """

    item: str
    check: str
    passed: bool | None
    why: str = ""
    sought: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    where: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One person's (or model's) rubric for one item.

    ``given`` maps the fields of `RATED` to yes, no or cannot-tell; what was not asked is not there.
    ``checks_shown_before_rating``: the checks were on screen before ``faithful`` was rated; only ratings
    without that enter agreement. ``after_checks`` are all fields that were rated when the checks had been
    shown, which is the rule for the other fields. ``by`` is human or model. Times are ISO 8601 in UTC.
    """

    item: str
    rater: str
    given: Mapping[str, str]
    checks_shown_before_rating: bool = False
    after_checks: tuple[str, ...] = ()
    by: str = "human"
    comment: str = ""
    at: str = ""
    active_ms: int | None = None
    sheet: str = ""

    def __post_init__(self) -> None:
        for name in self.after_checks:
            if name not in RATED:
                raise InputError(f"checks were shown before {name!r}", mend=nearest(name, RATED))
        if self.by not in ("human", "model"):
            raise InputError(f"a rating by {self.by!r}", mend=nearest(self.by, ("human", "model")))
        for name, said in self.given.items():
            if name not in RATED:
                raise InputError(f"a rating of {name!r}", mend=nearest(name, RATED))
            if said not in ("yes", "no", "cannot-tell"):
                raise InputError(
                    f"{name} is rated {said!r}", mend=nearest(str(said), ("yes", "no", "cannot-tell"))
                )
