"""Writing a gold set: questions added, edited and reviewed, each with who, when and why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.corpus.duplicates import near_duplicates, twins
from evenhand.errors import InputError, nearest
from evenhand.gold.lint import lint
from evenhand.gold.lint_finding import Finding
from evenhand.model.gold import Authoring, GoldSet, Question, Review

if TYPE_CHECKING:
    from evenhand.model.text import Corpus

__all__ = ["EDITED", "PASSED", "edited", "found_of", "history", "new_id", "reviewed", "waiting", "written"]

EDITED = (
    "text",
    "type",
    "tags",
    "expect",
    "cluster",
    "source",
    "origin",
    "saw_evidence",
    "evidence",
    "reference",
)
PASSED = ("accepted", "rejected")
SYNTHETIC = "synthetic"
NEAR = 0.6  # Jaccard of word pairs from which two questions are said to be nearly the same


def new_id(ids: Sequence[str]) -> str:
    """The next free id in the manner of those there: ``q017`` after ``q016``; ``q001`` to begin with."""
    numbered = [match for one in ids if (match := re.fullmatch(r"(.*?)(\d+)", one))]
    if not numbered:
        return "q001"
    last = max(numbered, key=lambda match: int(match[2]))
    return f"{last[1]}{int(last[2]) + 1:0{len(last[2])}d}"


def written(question: Question, *, by: str, on: str, model: str | None = None) -> Question:
    """The question with its author, nobody having reviewed it; *model* when one drafted it."""
    _person(by)
    return replace(question, authoring=Authoring(by=by, model=model, on=on), review=Review())


def edited(question: Question, new: Question, *, by: str, on: str, reason: str) -> Question:
    """*question* with the content of *new*, and what changed in its history.

    What was accepted waits for a review again: it was another question that was accepted. Nothing
    changed is an error, and so is no reason.
    """
    changed = _changed(question, new)
    _told(question, changed, by, reason)
    _drafted_for_good(question, new)
    review = question.review
    if review.status != "unreviewed":
        review = Review(changed=review.changed)
    return _remembered(question, new, changed, review, did="edited", by=by, on=on, reason=reason)


def reviewed(
    question: Question, status: str, *, by: str, on: str, reason: str = "", new: Question | None = None
) -> Question:
    """*question* as a person leaves it: accepted (with the content of *new*, then "changed") or rejected.

    ``review.changed`` gains the names of the fields the reviewer changed; a rejection needs a reason.
    """
    if status not in PASSED:
        raise InputError(f"a review ends with {status!r}", mend=nearest(status, PASSED))
    changed = _changed(question, new) if new is not None else ()
    if new is not None:
        _told(question, changed, by, reason)
        _drafted_for_good(question, new)
    elif status == "rejected" and not reason.strip():
        raise InputError(f"{question.id} is rejected without a reason", mend="say why")
    _person(by)
    review = Review(
        status="changed" if changed and status == "accepted" else status,
        by=by,
        on=on,
        changed=tuple(dict.fromkeys((*question.review.changed, *changed))),
    )
    return _remembered(
        question, new or question, changed, review, did=review.status, by=by, on=on, reason=reason
    )


def waiting(gold: GoldSet) -> list[Question]:
    """Questions that nobody has reviewed, those drafted by a model first."""
    open_ = [question for question in gold if question.review.status == "unreviewed"]
    return sorted(open_, key=lambda question: not question.provisional)


def history(question: Question) -> list[dict[str, Any]]:
    """What was done to it: {did, by, on, reason, was}, oldest first."""
    meta = question.extra.get("meta", {})
    found = meta.get("history", []) if isinstance(meta, Mapping) else []
    return [dict(one) for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def found_of(question: Question, gold: GoldSet, corpus: Corpus | None) -> list[Finding]:
    """What to know before *question* is kept: its twins among *gold*, copied words, evidence elsewhere.

    The same words as another question are an error, nearly the same a warning, and so is evidence that
    stands in another document too (give it as an alternative span). *gold* may hold its older form.
    """
    others = [one for one in gold if one.id != question.id]
    # the question first: within a family each is compared with the first
    texts = [question.text, *(one.text for one in others)]
    folded = [" ".join(text.casefold().split()).rstrip("?!. ") for text in texts]
    found = []
    for group in twins(folded):
        if group[0] == 0:
            same = ", ".join(str(others[i - 1].id) for i in group[1:])
            found.append(
                Finding(
                    kind="twin-question",
                    severity="error",
                    question=question.id,
                    message=f"asks the same as {same}",
                    mend="edit that one instead, or ask for something else",
                )
            )
    if not found:
        found += [
            Finding(
                kind="near-question",
                severity="warning",
                question=question.id,
                message=f"is nearly {others[near.second - 1].id} ({near.jaccard:.2f} of word pairs)",
                mend="give both one cluster, so that they are not split apart",
            )
            for near in near_duplicates(folded, threshold=NEAR, words=2)
            if near.first == 0
        ]
    alone = GoldSet((question,), gold.spans, gold.split)
    return [*found, *(one for one in lint(alone, corpus) if one.question == question.id)]


def _changed(old: Question, new: Question) -> tuple[str, ...]:
    before, after = old.as_json(), new.as_json()
    return tuple(name for name in EDITED if before[name] != after[name])


def _told(question: Question, changed: tuple[str, ...], by: str, reason: str) -> None:
    _person(by)
    if not changed:
        raise InputError(f"{question.id} stays as it was", mend="change something, or leave it")
    if not reason.strip():
        raise InputError(f"{question.id} is changed without a reason", mend="say why")


def _drafted_for_good(old: Question, new: Question) -> None:
    """What a model drafted stays synthetic, whoever edits or accepts it: its set is told apart in reports."""
    for name, was, is_ in (
        ("origin", old.origin == SYNTHETIC and old.authoring.model is not None, new.origin == SYNTHETIC),
        ("tags", SYNTHETIC in old.tags, SYNTHETIC in new.tags),
    ):
        if was and not is_:
            raise InputError(
                f"{old.id} was drafted by a model, and the change takes {SYNTHETIC!r} out of its {name}",
                mend=f"leave {SYNTHETIC!r} there; a question of your own is added under an id of its own",
            )


def _person(by: str) -> None:
    if not by.strip():
        raise InputError("nobody is named", mend="say who does this (--by)")


def _remembered(
    old: Question,
    new: Question,
    changed: tuple[str, ...],
    review: Review,
    *,
    did: str,
    by: str,
    on: str,
    reason: str,
) -> Question:
    before = old.as_json()
    entry: dict[str, Any] = {"did": did, "by": by, "on": on}
    if reason.strip():
        entry["reason"] = reason.strip()
    if changed:
        entry["was"] = {name: before[name] for name in changed}
    meta = old.extra.get("meta", {})
    kept = dict(meta) if isinstance(meta, Mapping) else {}
    extra = {**old.extra, "meta": {**kept, "history": [*history(old), entry]}}
    return replace(
        new,
        id=old.id,
        grades=new.grades or old.grades,
        authoring=old.authoring,
        review=review,
        extra=extra,
        line=old.line,
    )
