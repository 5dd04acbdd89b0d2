"""Checks of study items: options, key, distractors, repeats."""

from __future__ import annotations

import re

from evenhand.answer.checks.context import CheckContext
from evenhand.answer.numbers.tokenizer import numbers
from evenhand.corpus.offset_normalize import fold
from evenhand.model.answer import Finding

__all__ = ["distractors_like_length", "distractors_on_topic", "key_valid", "no_repeat", "options_distinct"]

_LABEL = re.compile(r"^\s*(?:\(?[A-Ha-h1-8][.):])\s+")


def _bare(option: str) -> str:
    """An option as it is compared: without its letter, case, white space and marks at its ends."""
    plain = fold(_LABEL.sub("", option).casefold(), unicode=True).text
    return plain.strip(" .,;:!?\"'")


def options_distinct(sight: CheckContext) -> Finding:
    """Are there four (``options``) options, none empty, no two the same?

    Letters before them (A), case, white space and marks at their ends do not make a difference.
    """
    options, wanted = sight.item.options, sight.settings.options
    first: dict[str, int] = {}
    same, where = [], []
    for i, option in enumerate(options):
        bare = _bare(option)
        if not bare or bare in first:
            same.append(option or "(empty)")
            where.append((f"option {i + 1}", 0, len(option)))
        first.setdefault(bare, i)
    why = []
    if len(options) != wanted:
        why.append(f"{len(options)} options, not {wanted}")
    if same:
        why.append(f"{len(same)} empty or the same as an earlier one")
    return sight.finding(
        "options-distinct",
        not why,
        "; ".join(why),
        sought=[f"{wanted} distinct options"],
        found=[options[i] for bare, i in first.items() if bare],
        missing=same,
        where=where,
    )


def key_valid(sight: CheckContext) -> Finding:
    """Does the key point to one of the options?"""
    options, key = sight.item.options, sight.item.key
    good = sight.key is not None and bool(_bare(sight.key))
    why = "" if good else f"the key is {key}, counted from 0, of {len(options)} options"
    if key is None:
        why = "no key"
    if not good and sight.key is not None:
        why = "the key points to an empty option"
    return sight.finding(
        "key-valid",
        good,
        why,
        sought=[f"a position from 0 to {len(options) - 1}" if options else "an option"],
        found=[sight.key or ""] if good else [],
        missing=[] if good else [str(key)],
        where=[(sight.key_place, 0, len(sight.key or ""))] if good else [],
    )


def distractors_on_topic(sight: CheckContext) -> Finding:
    """Does each distractor share a content word with the passages, the question or the key?

    One of figures is on topic where the key holds figures too.
    """
    if sight.key is None:
        return sight.finding("distractors-on-topic", None, "there is no key to tell them by")
    rule = sight.shelf.words(sight.language)
    own = rule.stems(sight.item.text) | rule.stems(sight.key)
    figures = bool(numbers(sight.key, language=sight.language))
    held = range(len(sight.generation.passages))
    on, off, where = [], [], []
    for i, option in enumerate(sight.item.options):
        if i == sight.item.key:
            continue
        stems = rule.stems(_LABEL.sub("", option))
        near = stems & own or any(sight.shelf.stems(p, sight.language).keys() & stems for p in held)
        if near or (figures and numbers(option, language=sight.language)):
            on.append(option)
        else:
            off.append(option)
            where.append((f"option {i + 1}", 0, len(option)))
    if not on and not off:
        return sight.finding("distractors-on-topic", None, "has no distractor")
    return sight.finding(
        "distractors-on-topic",
        not off,
        f"{len(off)} share no word with the passages, the question or the key" if off else "",
        sought=[*on, *off],
        found=on,
        missing=off,
        where=where,
    )


def distractors_like_length(sight: CheckContext) -> Finding:
    """Is each distractor about as long as the key?

    Neither is more than ``like_length`` times as long as the other, counted in characters; differences of up
    to ``length_slack`` characters never count.
    """
    if sight.key is None:
        return sight.finding("distractors-like-length", None, "there is no key to hold them against")
    length = len(_bare(sight.key))
    like, unlike, where = [], [], []
    for i, option in enumerate(sight.item.options):
        if i == sight.item.key:
            continue
        own = len(_bare(option))
        if abs(own - length) <= sight.settings.length_slack or (
            own <= length * sight.settings.like_length and length <= own * sight.settings.like_length
        ):
            like.append(option)
        else:
            unlike.append(option)
            where.append((f"option {i + 1}", 0, len(option)))
    if not like and not unlike:
        return sight.finding("distractors-like-length", None, "has no distractor")
    return sight.finding(
        "distractors-like-length",
        not unlike,
        f"{len(unlike)} are much longer or shorter than the key of {length} characters" if unlike else "",
        sought=[*like, *unlike],
        found=like,
        missing=unlike,
        where=where,
    )


def no_repeat(sight: CheckContext) -> Finding:
    """Is it something else than each earlier item of the same system?

    Question and key together are compared: the share of runs of two words that both have, of all that either
    has (Jaccard), is below ``near_jaccard``.
    """
    if not sight.compared:
        return sight.finding("no-repeat", None, "was not held against earlier items")
    if sight.repeats is None:
        return sight.finding("no-repeat", passed=True)
    other, likeness = sight.repeats
    return sight.finding(
        "no-repeat",
        passed=False,
        why=f"nearly repeats item {other} (likeness {likeness:.2f})",
        sought=["no earlier item like it"],
        missing=[other],
        where=[("item", 0, len(sight.item.text))],
    )
