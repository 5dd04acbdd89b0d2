"""The criterion on the corpus itself: enough documents with enough clean words, roles as planned."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from evenhand.corpus.prose_words import clean_words
from evenhand.errors import InputError
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.model.plan.sections import ThresholdPlan
    from evenhand.model.text import Corpus, Document

__all__ = ["NO_ROLE", "check_seal", "corpus_told", "role_of"]

NO_ROLE = "none"
SHORT = 20  # documents that are named


def role_of(document: Document, key: str) -> str:
    """The content role of a document by its metadata; `NO_ROLE` where it has none."""
    own = getattr(document, key, None) if key in ("role", "status", "kind", "owner") else None
    return str(own or document.meta.get(key) or NO_ROLE)


def check_seal(asked: ThresholdPlan, corpus: Corpus) -> None:
    """Raise InputError where the plan names another corpus by its seal."""
    if asked.seal and not (len(asked.seal) >= 12 and corpus.seal.startswith(asked.seal)):
        raise InputError(
            f"[threshold.corpus] seal: the corpus has the seal {corpus.seal[:16]}…, and the plan names "
            f"{asked.seal[:16]}",
            mend="use the documents that were planned, or say in the plan that these are others",
        )


def corpus_told(asked: ThresholdPlan, corpus: Corpus) -> dict[str, Any]:
    """How many documents give enough clean words, and how many there are of each role, as plain JSON.

    ``met`` is None where the plan asks for nothing.
    """
    words = {str(one.id): clean_words(one) for one in corpus}
    short = [(name, n) for name, n in words.items() if n < asked.words]
    enough = len(words) - len(short)
    roles = Counter(role_of(one, asked.role) for one in corpus)
    unlike = {
        name: {"planned": n, "found": roles.get(name, 0)}
        for name, n in asked.roles.items()
        if roles.get(name, 0) != n
    }
    good = None if asked.documents is None else enough >= asked.documents
    return {
        "seal": corpus.seal,
        "seal_named": bool(asked.seal),
        "documents": len(words),
        "words": asked.words,
        "enough": enough,
        "needed": asked.documents,
        "met": good,
        "short": [{"doc": name, "words": n} for name, n in short[:SHORT]],
        "short_count": len(short),
        "roles": dict(sorted(roles.items())),
        "roles_planned": dict(asked.roles),
        "roles_unlike": unlike,
        "sentence": _words(asked, enough, len(words), good),
    }


def _words(asked: ThresholdPlan, enough: int, of: int, good: bool | None) -> str:
    told = f"{enough:,} of {many(of, 'document')} give {asked.words:,} clean words or more"
    if good is None:
        return f"{told}; the plan asks for nothing."
    return f"{told}; the plan asks for {asked.documents:,}: {'met' if good else 'not met'}."
