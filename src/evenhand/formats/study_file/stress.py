"""``[stress]``: to which perturbations a panel is put, on how many items, by which sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.study_file.panel import sheet_of
from evenhand.formats.study_file.toml_reader import Book, Table
from evenhand.judge.robustness.suite import SUITES, VERSION, chosen
from evenhand.model.plan.sections import StressPlan

__all__ = ["read"]


def read(book: Book, content: Any, folder: Path, *, systems: Sequence[str]) -> StressPlan | None:  # noqa: ARG001
    """The plan of a stress test."""
    if not isinstance(content, Mapping):
        book.wrong("stress", "", f"found {content!r}, expected a section", mend="write [stress]")
        return None
    plain = StressPlan.__dataclass_fields__
    table = Table(book, "stress", content)
    only, sheets = table.texts("only"), table.texts("sheets")
    suite = table.name("suite", SUITES, VERSION) if table.has("suite") else ""
    known = [one.id for one in chosen(suite=suite or VERSION)]
    for name in only:
        if name not in known:
            table.wrong("only", f"there is no perturbation {name!r}", mend=nearest(name, known))
    for name in sheets:
        try:
            sheet_of(name, folder)
        except InputError as error:
            table.wrong("sheets", error.what, mend=error.mend)
    made = StressPlan(
        only=only,
        sheets=sheets,
        n=table.take("n", int, plain["n"].default, least=1),
        repeats=table.take("repeats", int, plain["repeats"].default, least=2),
        yes=table.take("yes", float, None),
        votes=table.take("votes", str, plain["votes"].default),
        items=table.take("items", str, plain["items"].default),
        result=table.take("result", str, plain["result"].default),
        texts=table.take("texts", str, ""),
        answers=table.take("answers", str, ""),
        pairs=table.take("pairs", str, ""),
        suite=suite,
    )
    for key, suffix in (("votes", ".jsonl"), ("items", ".jsonl"), ("result", ".json")):
        if not getattr(made, key).endswith(suffix):
            table.wrong(
                key,
                f"found {getattr(made, key)!r}, expected a {suffix} file",
                mend=f'{key} = "stress{suffix}"',
            )
    for key in ("texts", "answers", "pairs"):
        if getattr(made, key) and not (folder / getattr(made, key)).is_file():
            table.wrong(
                key, f"there is no file {getattr(made, key)!r}", mend="paths are relative to the study file"
            )
    table.close()
    return made
