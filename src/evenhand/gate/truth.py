"""What each decision was: right, or which kind of wrong, and who knew better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.gold.nuggets import as_counted
from evenhand.model.gold import EXPECTATIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.gate.columns import Decisions
    from evenhand.gate.rankings import Rankings
    from evenhand.model.gold import GoldSet
    from evenhand.model.run import Qrels
    from evenhand.model.text import Corpus

__all__ = [
    "KINDS",
    "Outcome",
    "Outcomes",
    "Truth",
    "documents_by_evidence",
    "documents_by_units",
    "outcomes_of",
    "truth_of",
]

# what a decision can be
KINDS = (
    "correct",  # answered from a document that holds sufficient evidence and is current
    "obsolete",  # answered from a document that is not current
    "wrong_document",  # answered from a current document without sufficient evidence
    "clarify_answered",  # answered where the question should be asked back
    "abstain_answered",  # answered where nothing answers
    "needless_deferral",  # deferred an answerable question
    "correct_deferral",  # deferred one to ask back or to abstain from
)


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


def documents_by_evidence(gold: GoldSet) -> dict[str, frozenset[str]]:
    """For each question the documents that hold a span of every vital nugget: alone they are enough."""
    found: dict[str, frozenset[str]] = {}
    for question in gold:
        vital = [nugget for nugget in as_counted(question.evidence, gold.spans) if nugget.vital]
        holders = [{str(quote.span.doc) for quote in nugget.spans} for nugget in vital]
        found[question.id] = frozenset(set.intersection(*holders)) if holders else frozenset()
    return found


def documents_by_units(qrels: Qrels, *, rel: float = 2) -> dict[str, frozenset[str]]:
    """For each question the documents with a unit of grade *rel* or more: one unit of it is enough."""
    found: dict[str, frozenset[str]] = {}
    for q, question in enumerate(qrels.questions):
        part = slice(int(qrels.offsets[q]), int(qrels.offsets[q + 1]))
        good = qrels.unit[part][qrels.grade[part] >= rel].tolist()
        units = qrels.units
        found[question] = frozenset(
            qrels.table[i] if units is None else str(units.corpus.documents[int(units.doc[i])].id)
            for i in good
        )
    return found


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One decision beside the truth.

    ``below``: where the first correct document stood with the answering system (1: it was on top; None: not
    ranked). ``knew``: systems whose first document was correct. ``dissent``: systems whose first document
    was not the answering system's. ``superseded``: a correct document replaces the one answered from.
    """

    question: str
    expect: str
    kind: str
    top: str | None
    reason: str | None = None
    flagged: bool = False
    below: int | None = None
    knew: tuple[str, ...] = ()
    dissent: tuple[str, ...] = ()
    superseded: bool = False


@dataclass(frozen=True)
class Outcomes:
    """What one rule's decisions were."""

    rule: str
    rows: tuple[Outcome, ...]

    @property
    def kinds(self) -> dict[str, int]:
        """How many of each kind, all kinds named."""
        seen = Counter(row.kind for row in self.rows)
        return {kind: seen[kind] for kind in KINDS}

    @property
    def dissent(self) -> dict[str, int]:
        """How often each system's first document was another than the answering system's, where deferred."""
        apart = [row.dissent for row in self.rows if row.kind == "needless_deferral"]
        return dict(sorted(Counter(name for names in apart for name in names).items()))

    def errors(self) -> tuple[Outcome, ...]:
        """All but the correct ones, by kind, then in file order."""
        wrong = [row for row in self.rows if row.kind not in ("correct", "correct_deferral")]
        return tuple(sorted(wrong, key=lambda row: KINDS.index(row.kind)))


def outcomes_of(decisions: Decisions, truth: Truth, rankings: Rankings) -> Outcomes:
    """What each decision was, and whether the answer was there and who had it."""
    truth.same(decisions.questions)
    truth.same(rankings.questions)
    rows = []
    for q, made in enumerate(decisions.made):
        expect, top = truth.expect[q], made.top
        ranked = rankings.documents(decisions.answers, q)
        firsts = {name: rankings.documents(name, q, 1) for name in rankings.systems}
        good = truth.acceptable[q] - truth.outdated if expect == "answer" else frozenset()
        if top is None:
            kind = "needless_deferral" if expect == "answer" else "correct_deferral"
        elif expect != "answer":
            kind = f"{expect}_answered"
        elif top in good:
            kind = "correct"
        else:
            kind = "obsolete" if top in truth.outdated else "wrong_document"
        rows.append(
            Outcome(
                question=decisions.questions[q],
                expect=expect,
                kind=kind,
                top=top,
                reason=made.reason,
                flagged=made.flagged,
                below=next((i for i, document in enumerate(ranked, 1) if document in good), None),
                knew=tuple(name for name, first in firsts.items() if first and first[0] in good),
                dissent=tuple(name for name, first in firsts.items() if first != ranked[:1]),
                superseded=kind == "obsolete" and bool(truth.replaced.get(top or "", frozenset()) & good),
            )
        )
    return Outcomes(decisions.rule, tuple(rows))
