"""A gold set on its way out: what a form carries is declared, and what it does not is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.text.plural import counted

if TYPE_CHECKING:
    from evenhand.model.gold import Question
    from evenhand.model.text import Corpus

__all__ = ["ASPECTS", "EVERYTHING", "Going"]


def _spans(question: Question) -> int:
    return sum(len(nugget.spans) > 1 for nugget in question.evidence)


def _facts(question: Question) -> int:
    return int(len(question.evidence) > 1)


# what a question of ours may have: how many of it one has, and what is said where a form has no place for it
ASPECTS: dict[str, tuple[Callable[[Question], int], str]] = {
    "ids": (lambda q: int(bool(q.id)), "questions lose their id"),
    "kind": (lambda q: int(bool(q.type or q.cluster)), "questions lose type or cluster"),
    "tags": (lambda q: int(bool(q.tags)), "questions lose their tags"),
    "expectation": (lambda q: int(q.expect != "answer"), "questions lose that no answer is expected of them"),
    "reference": (lambda q: int(bool(q.reference)), "questions lose their reference answer"),
    "place": (lambda q: int(bool(q.evidence)), "questions lose the place of their evidence in its document"),
    "grades": (
        lambda q: int(bool(set(q.grades.values()) - {1})),
        "questions lose the grades of their documents",
    ),
    "alternatives": (_spans, "alternative spans: the first stands"),
    "facts": (_facts, "questions lose which spans are facts of their own"),
    "vital": (lambda q: sum(not n.vital for n in q.evidence), "nuggets that are not vital become so"),
    "names": (lambda q: sum(bool(n.name) for n in q.evidence), "nuggets lose their name"),
    "origin": (
        lambda q: int(q.origin != "unknown" or q.saw_evidence is not None),
        "questions lose where they are from, and whether their author saw the evidence",
    ),
    "people": (
        lambda q: int(bool(q.authoring.by or q.authoring.model or q.review.status != "unreviewed")),
        "questions lose who wrote and reviewed them",
    ),
    "meta": (lambda q: int(bool(q.extra)), "questions lose their meta"),
}
EVERYTHING = frozenset(ASPECTS)


@dataclass
class Going:
    """An export under way: the questions, the corpus where it was given, and what is lost."""

    questions: list[Question]
    corpus: Corpus | None = None
    losses: Counter[str] = field(default_factory=Counter)
    left: int = 0

    def lose(self, what: str, n: int = 1) -> None:
        """Count something that is not carried over."""
        if n:
            self.losses[what] += n

    def leave_out(self, what: str, n: int = 1) -> None:
        """Count questions that are not written at all."""
        self.left += n
        self.lose(f"{what} are left out", n)

    @property
    def written(self) -> int:
        """How many questions the file holds."""
        return len(self.questions) - self.left

    def count(self, carried: Iterable[str]) -> None:
        """Count every aspect that is not among those *carried*."""
        kept = frozenset(carried)
        for name, (of, what) in ASPECTS.items():
            if name not in kept:
                self.lose(what, sum(of(question) for question in self.questions))

    def told(self) -> tuple[str, ...]:
        """All losses in words, each with its count."""
        return tuple(counted(n, what) for what, n in sorted(self.losses.items()))
