"""What each decision was: right, or which kind of wrong, and who knew better."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.gate.columns import Decisions
    from evenhand.gate.gold_labels import Truth
    from evenhand.gate.rankings import Rankings

__all__ = ["KINDS", "Outcome", "Outcomes", "outcomes_of"]

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
