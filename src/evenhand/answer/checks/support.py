"""Checks of what an item asserts against its passages: numbers, words, the key, claims."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.answer.checks.content_words import Word
from evenhand.answer.checks.context import CheckContext, place_of
from evenhand.answer.numbers.number_context import reads_words
from evenhand.answer.numbers.support import Part, Where, look_up
from evenhand.answer.numbers.tokenizer import numbers
from evenhand.corpus.offset_normalize import fold
from evenhand.model.answer import Finding

__all__ = ["claims_borne_out", "content_words", "key_grounded", "numbers_grounded"]

_REFERS = frozenset(  # keys that say nothing by themselves
    [
        *["all of the above", "none of the above", "both a and b", "true", "false", "yes", "no"],
        *[
            "alle genannten",
            "keine der genannten",
            "alle antworten sind richtig",
            "wahr",
            "falsch",
            "richtig",
        ],
        *["ja", "nein", "toutes les réponses", "aucune de ces réponses", "vrai", "faux", "oui", "non"],
        *["todas las anteriores", "ninguna de las anteriores", "verdadero", "falso", "sí", "no"],
        *["tutte le precedenti", "nessuna delle precedenti", "vero"],
    ]
)


def numbers_grounded(sight: CheckContext) -> Finding:
    """Does every number that the item asserts stand in the passages?

    The numbers of its text and of its key; not those of distractors, citations, lists and clauses. The same
    tokenizer reads both sides (see `evenhand.answer.numbers.tokenizer`); what agrees with what says
    `evenhand.answer.numbers.support`. Undecided where a number, or what stands around it, is in words that
    are not read, and the passages do not hold it as it is written.
    """
    looks = look_up(_once(sight.numbers()), sight.stock, sight.language, strict=sight.strict)
    if not looks:
        if sight.strict and not reads_words(sight.language, sight.told.script) and not sight.all_words_held:
            return sight.finding("numbers-grounded", None, "holds no figure, and number words are not read")
        return sight.finding("numbers-grounded", passed=True, why="holds no number")
    lost = [one for one in looks if one.found is None and not one.unread]
    unread = [one for one in looks if one.unread] if sight.against else []
    missing = lost if sight.against else [one for one in looks if one.found is None]
    why = "holds figures or number words that are not read, and that the passages do not hold as written"
    return sight.finding(
        "numbers-grounded",
        False if missing else None if unread else True,
        sight.absent(f"{len(missing)} of {len(looks)}") if missing else why if unread else "",
        sought=[one.text for one in looks],
        found=[f"{one.text} → {_held(sight, one.found)}" for one in looks if one.found],
        missing=[one.text for one in missing or unread],
        where=[one.found or (one.place, one.start, one.end) for one in looks],
    )


def _held(sight: CheckContext, spot: Where) -> str:
    return sight.generation.passages[_at(spot[0])].text[spot[1] : spot[2]]


def _at(place: str) -> int:
    return int(place.rsplit(" ", 1)[-1]) - 1


def _once(sought: Iterable[Part]) -> list[Part]:
    """Without the numbers that an earlier one says already."""
    known: set[tuple[object, ...]] = set()
    made: list[Part] = []
    for place, text, own in sought:
        kept = []
        for one in own:
            name = one.text if one.kind == "name" else ""
            ends = tuple((end.values, end.unit) for end in one.ends)
            told = (one.kind, one.values, one.unit, ends, one.days, name, one.context)
            if told not in known:
                known.add(told)
                kept.append(one)
        made.append((place, text, kept))
    return made


def content_words(sight: CheckContext) -> Finding:
    """Do at least half (``support``) of its content words occur in the passages?

    Stems by language, each counted once, without stop words and numbers. Undecided where item and passages
    are in different languages.
    """
    apart = _apart(sight)
    if apart:
        return sight.finding("content-words", None, apart)
    first: dict[str, tuple[str, Word]] = {}
    for place, word in sight.content():
        first.setdefault(word.stem, (place, word))
    if not first:
        return sight.finding("content-words", None, "holds no content word")
    found: list[str] = []
    missing: list[str] = []
    where: list[tuple[str, int, int]] = []
    for stem, (place, word) in first.items():
        spot = next(
            (
                (place_of(i), known.start, known.end)
                for i in sight.against
                if (known := sight.shelf.stems(i, sight.language).get(stem)) is not None
            ),
            None,
        )
        (missing if spot is None else found).append(word.text)
        where.append((place, word.start, word.end) if spot is None else spot)
    share = len(found) / len(first)
    passed = share >= sight.settings.support
    return sight.finding(
        "content-words",
        passed,
        f"{len(found)} of {len(first)} are in {sight.against_words}"
        if sight.against
        else sight.absent("they"),
        sought=[word.text for _, word in first.values()],
        found=found,
        missing=missing,
        where=where,
    )


def _apart(sight: CheckContext) -> str:
    """Why words cannot be compared; empty where they can."""
    item, passages = sight.language, sight.shelf.told.language
    if item and passages and item != passages:
        return f"the item is in {item}, the passages in {passages}: their words cannot be compared"
    return ""


def key_grounded(sight: CheckContext) -> Finding:
    """Is the key in the passages?

    Its words stand in one passage as they are, case, white space and marks at its ends aside; or all its
    numbers and ``key_share`` of its content words do, in one and the same passage.
    """
    key = sight.key
    if key is None:
        why = "the key points to no option" if sight.item.kind == "multiple-choice" else "has no answer"
        return sight.finding("key-grounded", passed=False, why=why)
    wanted = fold(key.casefold(), unicode=True).text.strip(" .,;:!?\"'")
    if wanted in _REFERS:
        return sight.finding("key-grounded", None, f"the key {key!r} refers to something else")
    for i in sight.against if wanted else ():
        passage = fold(sight.generation.passages[i].text, unicode=True)
        at = (
            _whole(passage.text.casefold(), wanted)
            if len(passage.text.casefold()) == len(passage.text)
            else -1
        )
        if at >= 0:
            spot = (place_of(i), *passage.span(at, at + len(wanted)))
            return sight.finding("key-grounded", passed=True, sought=[key], found=[key], where=[spot])
    return _key_by_words(sight, key)


def _whole(text: str, wanted: str) -> int:
    """Where *wanted* stands in *text* without a letter or digit joined to it; -1: nowhere."""
    at = text.find(wanted)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(wanted) : at + len(wanted) + 1]
        if not (before.isalnum() and wanted[0].isalnum()) and not (after.isalnum() and wanted[-1].isalnum()):
            return at
        at = text.find(wanted, at + 1)
    return -1


def _key_by_words(sight: CheckContext, key: str) -> Finding:
    apart = _apart(sight)
    if apart:
        return sight.finding("key-grounded", None, apart)
    stems = {word.stem: word for word in sight.shelf.words(sight.language).content(key)}
    figures = numbers(key, language=sight.language)
    best: tuple[float, int, list[str]] = (-1.0, -1, [])
    unread = False
    for i in sight.against:
        known = sight.shelf.stems(i, sight.language)
        part = [(sight.key_place, key, figures)]
        looks = look_up(part, sight.stock_of((i,)), sight.language, strict=sight.strict)
        lost = [one.text for one in looks if one.found is None]
        unread = unread or any(one.unread for one in looks)
        share = sum(stem in known for stem in stems) / len(stems) if stems else float(bool(figures))
        best = max(best, (share - len(lost), i, lost + [w.text for s, w in stems.items() if s not in known]))
    share, at, missing = best
    passed = share >= sight.settings.key_share
    if not passed and unread:
        return sight.finding("key-grounded", None, "holds figures or number words that are not read")
    return sight.finding(
        "key-grounded",
        passed,
        "cites no passage"
        if at < 0
        else ""
        if passed
        else f"not in {sight.against_words}, as it is or by its words",
        sought=[key],
        found=[place_of(at)] if passed else [],
        missing=missing if at >= 0 else [key],
        where=[(sight.key_place, 0, len(key))],
    )


def claims_borne_out(sight: CheckContext) -> Finding:
    """Does each of its claims follow from the passages, as a panel or a model of entailment found?"""
    if sight.borne is None:
        return sight.finding("claims-borne-out", None, "nobody was asked: this needs a panel or a model")
    if not sight.borne:
        return sight.finding("claims-borne-out", None, "makes no claim")
    lost = [one for one in sight.borne if one.out is False]
    open_ = [one for one in sight.borne if one.out is None]
    why = f"{len(lost)} of {len(sight.borne)} are not borne out" if lost else ""
    if open_:
        why += ("; " if why else "") + f"{len(open_)} of {len(sight.borne)} are undecided"
    return sight.finding(
        "claims-borne-out",
        False if lost else None if open_ else True,
        why,
        sought=[one.claim for one in sight.borne],
        found=[one.claim for one in sight.borne if one.out],
        missing=[one.claim + (f" ({one.why})" if one.why else "") for one in [*lost, *open_]],
        where=[(place_of(one.passage), one.start, one.end) for one in sight.borne if one.passage is not None],
    )
