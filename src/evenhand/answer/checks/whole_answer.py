"""Checks of what an answer does as a whole: whether it abstains when it should, and its language."""

from __future__ import annotations

from evenhand.answer.checks.content_words import code_of
from evenhand.answer.checks.context import CheckContext
from evenhand.answer.checks.language import may_be
from evenhand.model.answer import Finding

__all__ = ["EXPECTED", "abstention", "language_match"]

EXPECTED = {"answer": "answered", "abstain": "abstained", "clarify": "asked-back"}


def abstention(sight: CheckContext) -> Finding:
    """Does the system answer where the gold set expects an answer, and abstain or ask back where it does?

    What it did is what it told of itself, else what its words say (see `evenhand.answer.checks.abstention`).
    """
    wanted = EXPECTED.get(sight.generation.expect)
    if wanted is None:
        return sight.finding("abstention", None, "the gold set expects nothing of this question")
    did = sight.did
    where = [("item", start, end) for start, end in did.spans]
    return sight.finding(
        "abstention",
        did.what == wanted,
        did.why,
        sought=[wanted],
        found=[did.what],
        missing=[] if did.what == wanted else [wanted],
        where=where,
    )


def language_match(sight: CheckContext) -> Finding:
    """Is the item in the language it should be in?

    That is the one given for it, else the one set, else that of the question it was asked. By script and the
    commonest words of twelve languages; short texts and other languages cannot be decided.
    """
    wanted = code_of(sight.wanted)
    if not wanted:
        return sight.finding("language-match", None, "the language that it should be in is not known")
    told = sight.told
    fits = may_be(told, wanted)
    return sight.finding(
        "language-match",
        fits,
        told.why if fits is not None else f"cannot be decided: {told.why}",
        sought=[wanted],
        found=[told.language or told.script] if told.script else [],
        missing=[wanted] if fits is False else [],
    )
