"""What is right for each question: expectations, acceptable documents, and which documents are current."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.gold import EXPECTATIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.gate.rankings import Rankings
    from evenhand.model.gold import GoldSet
    from evenhand.model.text import Corpus

__all__ = ["Truth", "truth_of"]


@dataclass(frozen=True)
class Truth:
    """What is right for each question.

    ``expect``: answer, clarify or abstain. ``acceptable``: the documents that each hold sufficient evidence.
    ``outdated``: documents that are not current (status obsolete or draft; unknown counts as current).
    ``replaced``: an outdated document -> those that supersede it, through any chain. ``cluster``: questions
    of one cluster are not independent; "" is a cluster of its own.
    """

    questions: tuple[str, ...]
    expect: tuple[str, ...]
    acceptable: tuple[frozenset[str], ...]
    cluster: tuple[str, ...]
    outdated: frozenset[str] = frozenset()
    replaced: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.questions) == len(self.expect) == len(self.acceptable) == len(self.cluster):
            raise InputError("the columns of a truth differ in length", mend="build it with truth_of")
        if odd := set(self.expect) - set(EXPECTATIONS):
            raise InputError(f"expectation {min(odd)!r}", mend=f"use one of: {', '.join(EXPECTATIONS)}")

    @property
    def answerable(self) -> NDArray[np.bool_]:
        """bool[q]: an answer is expected."""
        return np.array([expect == "answer" for expect in self.expect], dtype=bool)

    @property
    def unreachable(self) -> int:
        """Answerable questions that no current document of the corpus answers alone: no gate can be right."""
        pairs = zip(self.expect, self.acceptable, strict=True)
        return sum(expect == "answer" and not (docs - self.outdated) for expect, docs in pairs)

    @property
    def clusters(self) -> list[str] | None:
        """A name for each question's cluster; None when every question stands alone."""
        names = [name or f"\x00{i}" for i, name in enumerate(self.cluster)]
        return names if len(set(names)) < len(names) else None

    def right(self, q: int, document: str) -> bool:
        """Whether answering question *q* (by position) from *document* is correct."""
        return self.expect[q] == "answer" and document in self.acceptable[q] and document not in self.outdated

    def losses(self, rankings: Rankings, system: str) -> NDArray[np.float64]:
        """float64[q]: 1 where answering from the system's first document would be wrong, else 0.

        What a risk-coverage curve is drawn from. A system that found nothing would be wrong.
        """
        self.same(rankings.questions)
        tops = [rankings.documents(system, q, 1) for q in range(len(self.questions))]
        return np.array([float(not (top and self.right(q, top[0]))) for q, top in enumerate(tops)])

    def same(self, questions: Sequence[str]) -> None:
        """Refuse decisions or rankings over other questions."""
        if tuple(questions) != self.questions:
            raise InputError(
                "decisions and truth are over different questions, or in another order",
                mend="take both over the same gold set: Rankings.take and Truth.take choose questions",
            )

    def take(self, questions: Sequence[str]) -> Truth:
        """The same for some of the questions, in the order given."""
        at = {question: i for i, question in enumerate(self.questions)}
        if odd := [question for question in questions if question not in at]:
            raise InputError(
                f"nothing is known of question {odd[0]!r}", mend="take questions of the gold set"
            )
        rows = [at[question] for question in questions]
        return Truth(
            questions=tuple(questions),
            expect=tuple(self.expect[i] for i in rows),
            acceptable=tuple(self.acceptable[i] for i in rows),
            cluster=tuple(self.cluster[i] for i in rows),
            outdated=self.outdated,
            replaced=self.replaced,
        )


def truth_of(gold: GoldSet, acceptable: Mapping[str, Collection[str]], corpus: Corpus | None = None) -> Truth:
    """The truth of a gold set: *acceptable* documents by question, their status and links from *corpus*.

    *acceptable* is any rule of sufficiency: `documents_by_evidence`, `documents_by_units`, or your own.
    """
    outdated, replaced = _standing(corpus) if corpus is not None else (frozenset(), {})
    return Truth(
        questions=tuple(gold.ids),
        expect=tuple(question.expect for question in gold),
        acceptable=tuple(frozenset(acceptable.get(question.id, ())) for question in gold),
        cluster=tuple(question.cluster for question in gold),
        outdated=outdated,
        replaced=replaced,
    )


def _standing(corpus: Corpus) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    newer: dict[str, set[str]] = {}
    for document in corpus:
        newer.setdefault(str(document.id), set()).update(document.superseded_by)
        for earlier in document.supersedes:
            newer.setdefault(str(earlier), set()).add(str(document.id))
    outdated = frozenset(str(one.id) for one in corpus if one.status in ("obsolete", "draft"))
    replaced: dict[str, frozenset[str]] = {}
    for old in sorted(outdated):
        seen: set[str] = set()
        ahead = list(newer.get(old, ()))
        while ahead:  # links may go round in circles
            later = ahead.pop()
            if later not in seen:
                seen.add(later)
                ahead += newer.get(later, ())
        replaced[old] = frozenset(seen - {old})
    return outdated, replaced
