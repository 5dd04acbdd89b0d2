"""The first few documents of each ranking: what a gate looks at. Plain Python: used in production."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.errors import InputError

__all__ = ["Head", "Ranking", "head", "heads"]

Ranking = Sequence[object]  # documents, or pairs of document and score, best first
Head = tuple[
    list[str], list[object]
]  # the first few documents, each once, and their scores (None: not given)


def head(ranking: Ranking, depth: int, system: str) -> Head:
    """The first *depth* documents, each at its best rank, with their scores.

    *ranking*: documents, or pairs (document, score), best first; units of one document may follow each
    other, the first counts. Raises InputError for anything else: a wrong form is no missing score.
    """
    if isinstance(ranking, str | bytes) or not hasattr(ranking, "__iter__"):
        raise InputError(
            f"the ranking of {system!r} is {type(ranking).__name__}",
            mend="give a list of documents, or of (document, score), best first; an empty list for nothing",
        )
    documents: list[str] = []
    scores: list[object] = []
    for item in ranking:
        if isinstance(item, str):
            document, score = item, None
        else:
            try:
                document, score = item  # type: ignore[misc]
            except (TypeError, ValueError):
                raise _odd(system, item) from None
            if not isinstance(document, str):
                raise _odd(system, item)
        if document not in documents:
            documents.append(document)
            scores.append(score)
            if len(documents) == depth:
                break
    return documents, scores


def _odd(system: str, item: object) -> InputError:
    return InputError(
        f"the ranking of {system!r} holds {repr(item)[:60]}",
        mend="give the id of a document as text, or a pair of it and its score",
    )


def heads(rankings: Mapping[str, Ranking], of: Sequence[str], depth: int) -> dict[str, Head]:
    """The head of each system of a gate; rankings of other systems are not looked at."""
    found: dict[str, Head] = {}
    for system in of:
        try:
            ranking = rankings[system]
        except (KeyError, TypeError, IndexError):
            raise _missing(rankings, system) from None
        found[system] = head(ranking, depth, system)
    return found


def _missing(rankings: object, system: str) -> InputError:
    if not isinstance(rankings, Mapping):
        return InputError(
            f"rankings are {type(rankings).__name__}", mend="give a mapping from each system to its ranking"
        )
    there = ", ".join(map(str, rankings)) or "none"
    return InputError(
        f"the gate needs a ranking of {system!r} and got {there}",
        mend="give it under this name; an empty list when the system found nothing",
    )
