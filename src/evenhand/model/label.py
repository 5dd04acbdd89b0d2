"""A label: what one judge said of one question × piece of text, apart from any desk, pool or tool."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import InputError, nearest
from evenhand.model.judging import KINDS, EvidenceMark, Judgement
from evenhand.model.pool import item_id

__all__ = ["LABELS", "Label", "Shown"]

LABELS = ("grade", "cannot-tell", "skip")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A question × piece of text with its words, as a judge sees it: no system, rank or score.

    ``doc``, ``start``, ``end``: where the text lies (code points); all of it goes wherever it is judged.
    ``address`` is the document's own (a URL), where it has one.
    """

    question: str
    ask: str  # the words of the question
    text: str
    doc: str
    start: int
    end: int
    text_sha256: str
    title: str = ""
    heading: tuple[str, ...] = ()
    address: str = ""

    @property
    def item(self) -> str:
        """Its name in every pool."""
        return item_id(self.question, self.doc, self.start, self.end, self.text_sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """``kind`` is grade, cannot-tell or skip; ``by`` is human, panel or adjudicated.

    ``evidence`` counts code points of the text judged; ``active_ms`` is the time spent on it, without
    absence; ``sheet`` the hash of the guideline in view; ``at`` when it was saved (ISO 8601, UTC).
    """

    question: str
    doc: str
    start: int
    end: int
    text_sha256: str
    judge: str
    kind: str = "grade"
    by: str = "human"
    grade: float | None = None
    mode: str = ""
    reason: str = ""
    comment: str = ""
    evidence: tuple[EvidenceMark, ...] = ()
    sheet: str = ""
    at: str = ""
    active_ms: int | None = None

    def __post_init__(self) -> None:
        for what, word, known in (("label", self.kind, LABELS), ("source of a label", self.by, KINDS)):
            if word not in known:
                raise InputError(f"{what} of kind {word!r}", mend=nearest(word, known))
        if (self.grade is not None) != (self.kind == "grade"):
            raise InputError(
                f"a label of kind {self.kind!r} with grade {self.grade!r}",
                mend="a grade goes with kind 'grade' and with no other",
            )
        if self.grade is not None and not abs(self.grade) < float("inf"):
            raise InputError(f"a label has grade {self.grade!r}", mend="a grade is a finite number")
        if not 0 <= self.start < self.end:
            raise InputError(
                f"label of {self.question!r} on an empty span {self.start}:{self.end} of {self.doc!r}",
                mend="offsets are 0 <= start < end",
            )
        if not self.judge.strip():
            raise InputError(f"label of {self.question!r} has no judge", mend="say who judged")

    @property
    def item(self) -> str:
        """The name of what was judged, in every pool."""
        return item_id(self.question, self.doc, self.start, self.end, self.text_sha256)

    @property
    def answer(self) -> float | str:
        """What was said, for agreement: the grade, or the kind (cannot tell is an answer of its own)."""
        return self.kind if self.grade is None else self.grade

    def judgement(self) -> Judgement | None:
        """The judgement for qrels; None when no grade was given."""
        if self.grade is None:
            return None
        return Judgement(
            question=self.question,
            doc=self.doc,
            start=self.start,
            end=self.end,
            text_sha256=self.text_sha256,
            grade=self.grade,
            judge=self.judge,
            kind=self.by,
        )
