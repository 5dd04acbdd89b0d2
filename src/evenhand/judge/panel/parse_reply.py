"""What a model said, read strictly: a verdict of the sheet, or why there is none; no grade by default."""

from __future__ import annotations

from typing import Any

from evenhand.judge.panel.parse_grade import graded
from evenhand.judge.panel.prompt_spec import CANNOT_TELL, NONE, Brief
from evenhand.judge.panel.quote_check import quoted
from evenhand.model.call import Call
from evenhand.model.label import Shown
from evenhand.model.vote import Vote

__all__ = ["vote"]

DEEP, WIDE = 8, 2000  # of a reply: levels, values
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
        made = _read(call, brief, shown)
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


def _read(call: Call, brief: Brief, shown: Shown) -> dict[str, Any]:
    data, text = (call.reply.data, call.reply.text) if call.reply is not None else (None, "")
    if data is None:
        # whoever looked for an object says why there is none; journals of earlier versions do not
        plain = "the reply holds no JSON object" if text.strip() else "the reply is empty"
        return _none("unparsable", call.why or plain)
    if not _modest(data):
        return _none("unparsable", "the reply is nested too deeply, or too large")
    fields: dict[str, Any] = {}
    for key, value in data.items():
        name = key.strip().casefold()
        if fields.setdefault(name, value) != value and name in _read_of(brief):
            return _none("unparsable", f"the reply has two values for {name!r}, under keys of other capitals")
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
        told |= quoted(fields.get("evidence"), shown.text, fence=brief.fence)
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


def _read_of(brief: Brief) -> tuple[str, ...]:
    """The keys that are read out of a reply."""
    return ("verdict", "evidence", "mode", *([brief.beside.name] if brief.beside is not None else []))


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
