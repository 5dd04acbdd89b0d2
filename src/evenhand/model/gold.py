"""Questions and their evidence, made before any system ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NewType

from evenhand.errors import InputError, nearest
from evenhand.model.notebook_repr import Framed
from evenhand.model.seal import seal
from evenhand.model.text import Span

__all__ = ["EXPECTATIONS", "Authoring", "GoldSet", "Nugget", "Question", "QuestionId", "Quote", "Review"]

QuestionId = NewType("QuestionId", str)

EXPECTATIONS = ("answer", "clarify", "abstain")
ORIGINS = ("log", "expert", "synthetic", "unknown")
REVIEWS = ("unreviewed", "accepted", "changed", "rejected")


@dataclass(frozen=True, slots=True)
class Quote:
    """A span with the words it must hold."""

    span: Span
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Nugget:
    """One fact an answer needs; each of its spans alone supports it."""

    name: str
    vital: bool = True
    spans: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Authoring:
    """Who wrote a question, with which model if any, and on which day."""

    by: str = ""
    model: str | None = None
    on: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a human said of it."""

    status: str = "unreviewed"
    by: str | None = None
    on: str | None = None
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An information need. ``line`` is where it stands in its file (1-based, 0 when not from a file).

    ``grades``: judgements of whole documents (0 and below: judged, not relevant), where a qrels file or the
    gold set gives them; a unit that holds the body of such a document has its grade.
    """

    id: QuestionId
    text: str
    type: str = ""
    tags: tuple[str, ...] = ()
    expect: str = "answer"
    cluster: str = ""
    source: str = ""
    origin: str = "unknown"
    saw_evidence: bool | None = None
    evidence: tuple[Nugget, ...] = ()
    grades: Mapping[str, float] = field(default_factory=dict)
    reference: str = ""
    authoring: Authoring = Authoring()
    review: Review = Review()
    extra: Mapping[str, Any] = field(default_factory=dict)
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        for name, value, known in (
            ("expect", self.expect, EXPECTATIONS),
            ("origin", self.origin, ORIGINS),
            ("review.status", self.review.status, REVIEWS),
        ):
            if value not in known:
                raise InputError(
                    f"question {self.id!r} has {name} {value!r}", mend=nearest(str(value), known)
                )

    @property
    def provisional(self) -> bool:
        """Drafted by a model and not yet accepted by a person."""
        drafted = self.origin == "synthetic" or self.authoring.model is not None
        return drafted and self.review.status not in ("accepted", "changed")

    def as_json(self) -> dict[str, Any]:
        """The object of one line of ``gold.jsonl``, keys in their fixed order."""
        return {
            "id": self.id,
            "text": self.text,
            "type": self.type,
            "tags": list(self.tags),
            "expect": self.expect,
            "cluster": self.cluster,
            "source": self.source,
            "origin": self.origin,
            "saw_evidence": self.saw_evidence,
            "evidence": [
                {
                    "nugget": n.name,
                    "vital": n.vital,
                    "spans": [
                        {"doc": q.span.doc, "start": q.span.start, "end": q.span.end, "quote": q.quote}
                        for q in n.spans
                    ],
                }
                for n in self.evidence
            ],
            **({"grades": dict(self.grades)} if self.grades else {}),
            "reference": self.reference,
            "authoring": {"by": self.authoring.by, "model": self.authoring.model, "on": self.authoring.on},
            "review": {
                "status": self.review.status,
                "by": self.review.by,
                "on": self.review.on,
                "changed": list(self.review.changed),
            },
            **dict(self.extra),
        }


@dataclass(frozen=True)
class GoldSet(Framed, Sequence[Question]):
    """The questions of one split, in file order; each id once.

    ``spans`` is how several references count: ``any`` (each span alone is enough), ``all`` (each
    reference is a nugget of its own, all needed) or ``nuggets`` (as the file says; the default). ``bare``:
    questions that expect an answer may have no evidence; they are known by what people or a panel judge.
    """

    questions: tuple[Question, ...]
    spans: str = "nuggets"
    split: str = "dev"
    warnings: tuple[str, ...] = ()
    bare: bool = False

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, key: Any) -> Any:
        """A question by id or position."""
        return self.questions[self.position[QuestionId(key)]] if isinstance(key, str) else self.questions[key]

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    @cached_property
    def position(self) -> dict[QuestionId, int]:
        """Where each question stands, by id."""
        return {question.id: i for i, question in enumerate(self.questions)}

    @property
    def ids(self) -> tuple[QuestionId, ...]:
        """Ids in order."""
        return tuple(question.id for question in self.questions)

    def answerable(self) -> GoldSet:
        """Only the questions that expect an answer: those that retrieval means are taken over."""
        kept = tuple(q for q in self.questions if q.expect == "answer")
        return GoldSet(kept, self.spans, self.split, self.warnings, self.bare)

    @cached_property
    def seal(self) -> str:
        """Seal over what a person wrote, in file order."""
        return seal([self.spans, [question.as_json() for question in self.questions]])
