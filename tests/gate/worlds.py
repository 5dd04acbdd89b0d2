"""Small worlds for gates: runs of documents, a gold set, and what is right."""

from evenhand.gate.gold_labels import Truth
from evenhand.gate.rankings import rankings_of
from evenhand.model.run import Run


def ranked(**systems):
    """Rankings of runs written as {system: {question: [(document, score), ...]}}."""
    questions = tuple(next(iter(systems.values())))
    return rankings_of([Run.of(name, rows) for name, rows in systems.items()], questions)


def truth(expect, acceptable, *, outdated=(), replaced=None, cluster=None):
    """A truth over q0, q1 … of expectations and acceptable documents."""
    return Truth(
        questions=tuple(f"q{i}" for i in range(len(expect))),
        expect=tuple(expect),
        acceptable=tuple(frozenset(docs) for docs in acceptable),
        cluster=tuple(cluster or [""] * len(expect)),
        outdated=frozenset(outdated),
        replaced=replaced or {},
    )
