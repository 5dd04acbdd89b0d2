"""Rules and thresholds of ``[gate]``, held against the systems and the scales of their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.errors import InputError
from evenhand.formats.study_file.toml_reader import Book, Table, load_toml
from evenhand.gate.production.scales import SCALES, Scale, limit
from evenhand.gate.signals import signal

__all__ = ["WORDS", "check_rule", "checked_limit", "limit_in", "scales_in"]

WORDS = ("consensus", "learned")


def scales_in(book: Book, of: Sequence[str]) -> dict[str, Scale]:
    """The scale of each system's scores, where its section tells it."""
    try:
        sections = load_toml(book.path)[0].get("system", {})
    except InputError:
        return {}
    found: dict[str, Scale] = {}
    for name in of:
        one = sections.get(name.partition("/")[0], {}) if isinstance(sections, Mapping) else {}
        if not isinstance(one, Mapping):
            continue
        known = {"dense": "cosine", "bm25": "bm25", "tfidf": "share"}.get(str(one.get("retriever")))
        fused = "fuse" in one and one.get("method", "rrf") == "rrf"
        if fused or ("rerank" in one and one.get("by", "status") == "status"):
            known = "share"
        found[name] = SCALES[known or "any"]
    return found


def check_rule(
    table: Table,
    key: str,
    name: str,
    of: Sequence[str],
    scales: Mapping[str, Scale],
    *,
    words: Sequence[str] = WORDS,
) -> None:
    """Note a rule that is neither a word nor a signal of the systems *of*."""
    if name in words and (name != "consensus" or len(of) > 1):
        return
    try:
        signal(name, of, scales)
    except InputError as error:
        forms = ", ".join((*words, "score(SYSTEM)", "margin(SYSTEM)", "agreement@5", "jaccard@5", "rbo@10"))
        table.wrong(key, error.what, mend=f"{error.mend}; rules are {forms}")


def checked_limit(  # noqa: PLR0917
    table: Table, key: str, name: str, value: object, of: Sequence[str], scales: Mapping[str, Scale]
) -> float | None:
    """A threshold on the signal called *name*; noted, and None, where it is none of its scale."""
    try:
        made = signal(name, of, scales)
    except InputError:
        return None  # said at its own key
    try:
        return limit(value, made.scale, f"threshold on {made.name}")
    except InputError as error:
        table.wrong(key, error.what, mend=error.mend)
        return None


def limit_in(
    table: Table, key: str, name: str, of: Sequence[str], scales: Mapping[str, Scale]
) -> float | None:
    """The threshold of the rule called *name*, where it is a signal."""
    table.known.add(key)
    if not of or not name or name in WORDS or name.endswith(".json"):
        return None
    return checked_limit(table, key, name, table.content[key], of, scales) if key in table.content else None
