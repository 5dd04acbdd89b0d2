"""A document of a framework as a hit: its text, and the place its metadata tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["UNIT", "hit", "number"]

# keys of metadata, the surest first: of ours, of LangChain, of LlamaIndex, of Haystack
DOC = ("doc", "doc_id", "document", "document_id", "source", "file_path", "file_name", "filename", "path")
START = ("start", "start_index", "start_char_idx", "split_idx_start")
END = ("end", "end_index", "end_char_idx")
UNIT = re.compile(r".+#[0-9]+-[0-9]+", re.DOTALL)  # an id of ours


def hit(
    text: Any,
    meta: Any,
    *,
    name: Any = None,
    start: Any = None,
    end: Any = None,
    of: Any = None,
    score: Any = None,
) -> dict[str, Any]:
    """A hit by all that is known of it; `evenhand.retrieve.guests.locate_hit` takes the surest that holds.

    *name* is the document's own id: it counts where it has the form of ours, or stands in the metadata as
    ``unit``. *of* is the id of the document it was cut from. A start without an end ends with the text.
    """
    meta = meta if isinstance(meta, Mapping) else {}
    words = text if isinstance(text, str) else ""
    made: dict[str, Any] = {"text": words}
    for claim in (meta.get("unit"), name):
        if isinstance(claim, str) and UNIT.fullmatch(claim):
            made["unit"] = claim
            break
    docs = [meta[key] for key in DOC if isinstance(meta.get(key), str) and meta[key]]
    if isinstance(of, str) and of:
        docs.append(of)
    if docs:
        made["doc"] = list(dict.fromkeys(docs))
    first = _whole(start) if start is not None else _first(meta, START)
    last = _whole(end) if end is not None else _first(meta, END)
    if docs and first is not None:
        made |= {"start": first, "end": first + len(words) if last is None else last}
    if (value := number(score)) is not None:
        made["score"] = value
    return made


def number(value: Any) -> Any:
    """*value* where it is a number (NaN too: that is told of later); else None."""
    if value is None or isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        return None
    return value


def _first(meta: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    return next((found for key in keys if (found := _whole(meta.get(key))) is not None), None)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if value == int(value) and value >= 0 else None
