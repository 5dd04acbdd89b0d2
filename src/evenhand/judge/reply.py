"""What a model said, read strictly: a verdict of the sheet, or why there is none; no grade by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.corpus.fold import fold
from evenhand.judge.ask import PIECES
from evenhand.judge.brief import CANNOT_TELL, NONE, Brief
from evenhand.judge.fence import harmless
from evenhand.model.call import Call
from evenhand.model.label import Shown
from evenhand.model.vote import Vote

__all__ = ["found_in", "graded", "vote"]

DEEP, WIDE = 8, 2000  # of a reply: levels, values
YES, NO = frozenset({"yes", "true"}), frozenset({"no", "false"})
CANNOT = frozenset({CANNOT_TELL, "cannot tell", "cannot_tell", "can't tell"})
SHOWN = 80  # characters of an odd verdict that are kept


def vote(
    call: Call,
    brief: Brief,
    shown: Shown,
    *,
    judge: str,
    prompt: str = "",
    family: str = "",
    repeat: int = 0,
) -> Vote:
    """The vote of *judge* that a call brought.

    A fault, a refusal and a reply cut off at its limit keep their names. A reply without a JSON object, or
    without a verdict, is ``unparsable``; a verdict that the sheet does not have ``out-of-scale``. Quotes are
    kept when they occur in the text, white space aside, as the text has them; others are counted as
    ``lost``. A mode outside the closed list is dropped and counted. *prompt* is the seal of what was asked.
    """
    made: dict[str, Any] = {"outcome": call.outcome, "why": call.why}
    if call.outcome == "reply" and call.reply is not None:
        made = _read(call.reply.data, call.reply.text, brief, shown)
        made["rung"] = call.reply.rung
    return Vote(
        question=shown.question,
        doc=shown.doc,
        start=shown.start,
        end=shown.end,
        text_sha256=shown.text_sha256,
        judge=judge,
        sheet=brief.sheet.seal,
        family=family,
        model=call.model,
        prompt=prompt,
        call=call.key,
        repeat=repeat,
        **made,
    )


def graded(value: Any, options: Mapping[str, float], *, numbers: bool | None = None) -> float | str | None:
    """The grade that *value* names, ``cannot-tell``, or None when it names none of *options*.

    A word counts, whatever its capitals. ``true`` and ``"false"`` are yes and no where these are options. A
    number counts where the options are numbers, or where *numbers* allows it; it is never rounded or clamped.
    """
    if numbers is None:
        numbers = all(_number(word) is not None for word in options)
    if isinstance(value, bool):
        return _worded("true" if value else "false", options)
    if isinstance(value, int | float):
        return float(value) if numbers and value in set(options.values()) else None
    if not isinstance(value, str):
        return None
    word = value.strip().strip("\"'*`").rstrip(".!").strip().casefold()
    if word in CANNOT:
        return CANNOT_TELL
    named = _worded(word, options)
    number = _number(word)
    if named is None and numbers and number is not None:
        return number if number in set(options.values()) else None
    return named


def _worded(word: str, options: Mapping[str, float]) -> float | None:
    if word in options:
        return options[word]
    for same in (YES, NO):
        if word in same:
            return next((options[other] for other in sorted(same) if other in options), None)
    return None


def _number(word: str) -> float | None:
    """A number in plain digits; not nan, inf, 1e3 or 1_0."""
    plain = word.removeprefix("-").replace(".", "", 1)
    return float(word) if plain.isascii() and plain.isdigit() and len(plain) < 16 else None


def _read(data: Mapping[str, Any] | None, text: str, brief: Brief, shown: Shown) -> dict[str, Any]:
    if data is None:
        return _none(
            "unparsable", "the reply is empty" if not text.strip() else "the reply holds no JSON object"
        )
    if not _modest(data):
        return _none("unparsable", "the reply is nested too deeply, or too large")
    fields = {key.strip().casefold(): value for key, value in reversed(list(data.items()))}
    if "verdict" not in fields:
        return _none("unparsable", "the reply has no verdict")
    given = fields["verdict"]
    if given is None or isinstance(given, list | dict):
        return _none("unparsable", f"the verdict is no single word: {_told(given)}")
    grade = graded(given, brief.options)
    if grade is None or (grade == CANNOT_TELL and not brief.sheet.cannot_tell):
        return _none("out-of-scale", f"the verdict is {_told(given)}")
    told: dict[str, Any] = {}
    if brief.evidence:
        told |= _evidence(fields.get("evidence"), shown.text)
    if brief.beside is not None:
        beside = graded(fields.get(brief.beside.name), brief.beside_options)
        told[brief.beside.name] = beside if isinstance(beside, float) else None
    if isinstance(grade, str):
        return {"outcome": "cannot-tell", "told": told}
    level = brief.sheet.level(grade)
    if level.evidence == "must" and not told.get("evidence"):
        return _none("unparsable", "the verdict needs words of the text, and none that it quotes occur there")
    made: dict[str, Any] = {"outcome": "verdict", "grade": grade, "told": told}
    if level.modes:
        mode = str(fields.get("mode") or "").strip().casefold()
        if mode in brief.modes:
            made["mode"] = mode
        elif mode and mode != NONE:
            told["mode_lost"] = 1
    return made


def _none(outcome: str, why: str) -> dict[str, Any]:
    return {"outcome": outcome, "why": why}


def _told(value: Any) -> str:
    words = " ".join(str(value).split())
    return repr(words[:SHOWN])


def _modest(data: Any) -> bool:
    """Whether a reply is as small as a verdict; looked at without recursion."""
    level, count = [data], 0
    for _ in range(DEEP):
        below = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
        ]
        count += len(below)
        if not below:
            return True
        if count > WIDE:
            return False
        level = below
    return False


def _evidence(given: Any, text: str) -> dict[str, Any]:
    quotes = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    found: list[str] = []
    lost = 0
    for quote in quotes:
        if isinstance(quote, str) and not quote.strip():
            continue
        place = found_in(quote, text) if isinstance(quote, str) and len(found) < PIECES else None
        if place is None:
            lost += 1
        elif text[place[0] : place[1]] not in found:
            found.append(text[place[0] : place[1]])
    return ({"evidence": found} if found else {}) | ({"lost": lost} if lost else {})


def found_in(quote: str, text: str) -> tuple[int, int] | None:
    """Where *quote* stands in *text* word for word, white space and quotation marks around it aside.

    ``[start, end)`` in code points of *text*, the first of several; None when it does not occur. What was
    shown with harmless marks is found as it was shown.
    """
    seen = fold(harmless(text))
    for words in (quote, quote.strip().strip("\"'“”„«»")):
        for form in (words, harmless(words)):
            wanted = fold(form).text.strip()
            at = seen.text.find(wanted) if wanted else -1
            if at >= 0:
                return seen.span(at, at + len(wanted))
    return None
