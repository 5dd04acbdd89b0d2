"""``[draft]``: the model that drafts questions, how many of each kind, and the planned filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.formats.study_file.panel import JUDGE_KEYS
from evenhand.formats.study_file.toml_reader import Book, Table
from evenhand.model.plan.sections import DraftPlan

__all__ = ["read"]

WHOLE = {
    "single": 0,
    "multi": 0,
    "abstain": 0,
    "clarify": 0,
    "window": 200,
    "concurrency": 1,
    "max_tokens": 64,
}
SHARES = ("near", "near_cosine", "weak", "weak_cosine")


def read(book: Book, content: Any, folder: Path, *, systems: Sequence[str]) -> DraftPlan | None:  # noqa: ARG001
    """The plan of drafting; thresholds are shares between 0 and 1."""
    if not isinstance(content, Mapping):
        book.wrong("draft", "", f"found {content!r}, expected a section", mend="write [draft]")
        return None
    plain = DraftPlan.__dataclass_fields__
    table = Table(book, "draft", content)
    model = table.take("model", str, "")
    if not model.strip():
        if "model" not in table or isinstance(content["model"], str):
            book.wrong("draft", "", "has no model", mend='write model = "provider:name"')
        return None
    made: dict[str, Any] = {"model": model, "family": table.take("family", str, "")}
    for key, least in WHOLE.items():
        made[key] = table.take(key, int, plain[key].default, least=least)
    for key in SHARES:
        made[key] = table.take(key, float, plain[key].default, least=0)
        if made[key] > 1:
            table.wrong(key, f"found {made[key]!r}, expected at most 1", mend="give a share between 0 and 1")
    made["attempts"] = table.take("attempts", float, plain["attempts"].default, least=1)
    for key in ("language", "out", "rejected"):
        made[key] = table.take(key, str, plain[key].default)
    made["embedder"] = table.name("embedder", ("minilm",), "")
    made["budget"] = table.take("budget", float, None, least=0)
    made["deadline"] = table.take("deadline", float, None, least=0.1)
    made["seed"] = table.take("seed", int, None, least=0)
    for key in ("out", "rejected"):
        if not made[key].endswith(".jsonl"):
            table.wrong(
                key, f"found {made[key]!r}, expected a .jsonl file", mend=f'{key} = "{plain[key].default}"'
            )
    if not sum(made[key] for key in ("single", "multi", "abstain", "clarify")):
        book.wrong(
            "draft", "", "asks for no question", mend="give at least one of single, multi, abstain, clarify"
        )
    known = () if model.partition(":")[0] in ("recorded", "command") else JUDGE_KEYS
    table.known.update(known)
    settings = (
        table.rest()
        if model.startswith("python:")
        else {key: value for key, value in table.content.items() if key in known}
    )
    table.close()
    return DraftPlan(**made, settings=settings)
