"""Two files that should be one: the first place where they differ, in the words of the file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.model.json_text import loads
from evenhand.text.plural import many, noun

__all__ = ["first_difference", "with_versions_of"]


WORDS = ("as reported", "now")


def first_difference(name: str, old: bytes, new: bytes, words: tuple[str, str] = WORDS) -> str:
    """Where *new* first differs from *old*: the byte, and the path (JSON) or row and column (Parquet).

    *words* say which of the two a value is from.
    """
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    line = old.count(b"\n", 0, at) + 1
    if name.endswith(".json"):
        place = _json(old, new, words)
    elif name.endswith(".parquet"):
        place = _parquet(old, new, words)
    elif name.endswith(".jsonl"):
        place = f"line {line}"
    else:
        place = ""
    return f"{name} differs at byte {at + 1:,}" + (f": {place}" if place else f", line {line}")


def _json(old: bytes, new: bytes, words: tuple[str, str]) -> str:
    try:
        one, two = loads(old), loads(new)
    except ValueError:
        return "it is not JSON any more"
    found = next(_paths(one, two, "", words), None)
    return "the same content, written in another way" if found is None else found


def _paths(one: Any, two: Any, path: str, words: tuple[str, str]) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(two, dict):
        for key in sorted({*one, *two}):
            here = f"{path}.{key}" if path else key
            if key not in one or key not in two:
                yield f"{here} is there only {words[key in two]}"
            else:
                yield from _paths(one[key], two[key], here, words)
    elif isinstance(one, list) and isinstance(two, list):
        for i, (a, b) in enumerate(zip(one, two, strict=False)):
            yield from _paths(a, b, f"{path}[{i}]", words)
        if len(one) != len(two):
            yield f"{path} has {len(one)} {noun(len(one), 'entry')} {words[0]}, {len(two)} {words[1]}"
    elif one != two or type(one) is not type(two):
        yield f"{path} is {_short(one)} {words[0]}, {_short(two)} {words[1]}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 80 else f"{text[:70]}…"


def _parquet(old: bytes, new: bytes, words: tuple[str, str]) -> str:
    import polars as pl

    try:
        one, two = pl.read_parquet(io.BytesIO(old)), pl.read_parquet(io.BytesIO(new))
    except Exception as error:  # noqa: BLE001 - damaged bytes raise what they like; the byte is said anyway
        return f"it cannot be read ({type(error).__name__})"
    if one.columns != two.columns:
        return f"columns {', '.join(one.columns)} {words[0]}, {', '.join(two.columns)} {words[1]}"
    best: tuple[int, str] | None = None
    for column in one.columns:
        a, b = one[column].head(two.height), two[column].head(one.height)
        rows = (a.ne_missing(b)).arg_true()
        if len(rows) and (best is None or int(rows[0]) < best[0]):
            best = (int(rows[0]), column)
    if best is None:
        if one.height != two.height:
            return f"{many(one.height, 'row')} {words[0]}, {two.height:,} {words[1]}"
        return "the same rows, packed in another way"
    row, column = best
    keys = [
        f"{name} {one[name][row]}" for name in ("system", "question", "metric", "unit") if name in one.columns
    ]
    told = f" ({', '.join(keys)})" if keys else ""
    values = f"{one[column][row]!r} {words[0]}, {two[column][row]!r} {words[1]}"
    return f"row {row + 1}{told}: {column} is {values}"


def with_versions_of(old: Path, new: Path) -> Iterator[str]:
    """Write the report in *new* as the versions of libraries in *old* would have it; yields those changed.

    The versions stand in the report to be read. Where they alone differ, the numbers are the same, and the
    page is drawn from the report as it was.
    """
    from evenhand.report.output.assemble import dumps
    from evenhand.report.output.html import render

    one, two = old / "report.json", new / "report.json"
    try:
        was = loads(one.read_bytes())["repeat"]["versions"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    report = loads(two.read_bytes())
    now = report["repeat"]["versions"]
    if was == now:
        return
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            yield f"{name} is {now.get(name, 'not installed')}, and was {was.get(name, 'not installed')}"
    report["repeat"]["versions"] = was
    two.write_bytes(dumps(report))
    if (new / "report.html").is_file():
        page = render(report, plots="<svg" in (old / "report.html").read_text(encoding="utf-8"))
        (new / "report.html").write_bytes(page.encode("utf-8", "replace"))
