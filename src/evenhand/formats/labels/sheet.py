"""Sheets as files: TOML for people, with every wrong key named by its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.study_file.toml_reader import Table, load_toml
from evenhand.model.sheet import EVIDENCE, Level, Mode, Sheet

if TYPE_CHECKING:
    from evenhand.formats.study_file.toml_reader import Book

__all__ = ["read_sheet", "sheet_toml"]


def read_sheet(path: Path) -> Sheet:
    """The sheet of a TOML file, as `sheet_toml` writes one."""
    content, book = load_toml(path)
    top = Table(book, "", {key: value for key, value in content.items() if key not in ("level", "mode")})
    name, ask = top.take("name", str, path.stem), top.take("ask", str, "")
    guideline, cannot = top.take("guideline", str, ""), top.take("cannot_tell", bool, default=True)
    top.close()
    levels = _rows(book, content, "level")
    modes = _rows(book, content, "mode")
    book.close()
    if not ask.strip() or not guideline.strip():
        raise InputError(
            f"{path.name} has no {'guideline' if ask.strip() else 'ask'}",
            mend="say what is asked (ask) and how to decide (guideline)",
        )
    try:
        return Sheet(
            name=name,
            ask=ask,
            guideline=guideline,
            levels=tuple(
                sorted(
                    (Level(**{**row, "grade": float(row["grade"])}) for row in levels), key=lambda x: x.grade
                )
            ),
            modes=tuple(Mode(**row) for row in modes),
            cannot_tell=cannot,
        )
    except InputError as error:
        raise InputError(f"{path.name}: {error.what}", mend=error.mend) from error


def _rows(book: Book, content: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    given = content.get(kind, [])
    if not isinstance(given, list):
        book.wrong(kind, "", f"[{kind}] is one table", mend=f"write [[{kind}]], once for each {kind}")
        return []
    rows = []
    for one in given:
        table = Table(book, kind, one)
        row: dict[str, Any] = {"key": table.take("key", str, ""), "label": table.take("label", str, "")}
        if kind == "mode":
            row["name"] = table.take("name", str, row["label"])
        else:
            row["grade"] = table.take("grade", float, 0.0)
            row["help"] = table.take("help", str, "")
            row["evidence"] = table.name("evidence", EVIDENCE, "no")
            row["modes"] = table.take("modes", bool, default=False)
        table.close()
        rows.append(row)
    return rows


def sheet_toml(sheet: Sheet) -> str:
    """A sheet in TOML, to be edited; reading it gives the same version."""
    lines = [f"name = {_quoted(sheet.name)}", f"ask = {_quoted(sheet.ask)}"]
    lines += [f"cannot_tell = {str(sheet.cannot_tell).lower()}", 'guideline = """']
    lines += [_quoted(line)[1:-1] for line in sheet.guideline.split("\n")]
    text = "\n".join(lines) + '"""\n'
    for level in sheet.levels:
        text += f"\n[[level]]\ngrade = {level.grade!r}\n" + _pairs(level, "key", "label", "help")
        text += f"evidence = {_quoted(level.evidence)}  # no, ask, must\n"
        text += f"modes = {str(level.modes).lower()}  # ask for the failure mode\n"
    for mode in sheet.modes:
        text += "\n[[mode]]\n" + _pairs(mode, "name", "key", "label")
    return text


def _pairs(thing: Level | Mode, *names: str) -> str:
    return "".join(f"{name} = {_quoted(getattr(thing, name))}\n" for name in names)


def _quoted(text: str) -> str:
    """A TOML basic string: what JSON escapes TOML escapes in the same way, and DEL besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
