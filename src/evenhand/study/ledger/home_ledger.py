"""Which questions of holdouts this user has looked at: hashes of their words, in one file of the user's."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path

from evenhand.formats.append_lines import append_lines
from evenhand.formats.regular_files import regular_bytes
from evenhand.model.json_text import loads
from evenhand.text.plural import many, verb

__all__ = ["STATE", "place", "remember", "seen_elsewhere"]

STATE = "EVENHAND_STATE"  # the folder it lies in; "off" keeps none
FILE = "seen-holdouts.jsonl"
SCHEMA = "evenhand.seen/1"


def place() -> Path | None:
    """Where the file is; None where the user wants none, or has no home."""
    named = os.environ.get(STATE, "").strip()
    if named == "off":
        return None
    if named:
        return Path(named) / FILE
    try:
        local = Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    state = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or local
    return Path(state) / "evenhand" / FILE


def _known() -> dict[str, str]:
    """When each question was first looked at, by the hash of its words; torn lines say nothing."""
    file = place()
    known: dict[str, str] = {}
    try:
        lines = regular_bytes(file).splitlines() if file is not None else []
    except OSError:
        return {}
    for line in lines:
        try:
            told = loads(line)
            if told["schema"] == SCHEMA:
                known.update(
                    {str(one): str(told["at"]) for one in told["questions"] if str(one) not in known}
                )
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return known


def seen_elsewhere(questions: Collection[str]) -> tuple[str, ...]:
    """A warning where *questions* (hashes of their words) were looked at before, wherever that was."""
    known = _known()
    before = sorted(known[one] for one in questions if one in known)
    if not before:
        return ()
    told = (
        f"{len(before):,} of {many(len(questions), 'question')} of this holdout "
        f"{verb(len(before), 'was', 'were')} looked at before, first on {before[0][:10]}, under another "
        f"registration: what {verb(len(before), 'it shows', 'they show')} is no fresh evidence"
    )
    return (told,)


def remember(questions: Collection[str], *, at: str) -> tuple[str, ...]:
    """Keep that questions were looked at; a warning where that cannot be written down."""
    file, known = place(), _known()
    fresh = sorted({one for one in questions if one not in known})
    if file is None or not fresh:
        return ()
    line = json.dumps({"schema": SCHEMA, "at": at, "questions": fresh}, separators=(",", ":"))
    try:
        append_lines(file, f"{line}\n".encode())
    except OSError as error:
        return (f"{file} cannot be written, so another folder will not know of this look: {error.strerror}",)
    return ()
