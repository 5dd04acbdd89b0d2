"""``evenhand new DIR``: a commented study that runs as it is, to be filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.shared.rerun_hint import again

__all__ = ["new"]

FILES = (
    "study.toml",
    "gold.jsonl",
    "README.md",
    "docs/opening-hours.md",
    "docs/borrowing.md",
    "docs/copying.md",
)


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to be made.", metavar="DIR")],
) -> None:
    """Make a commented study with example documents and two example questions; it runs as it is."""
    from importlib.resources import files

    from evenhand.formats.results.folder import write_new

    template = files("evenhand.cli") / "template"
    contents = {name: template.joinpath(*name.split("/")).read_bytes() for name in FILES}
    contents["study.toml"] = contents["study.toml"].replace(b'"mystudy"', _quoted(folder.resolve().name))
    write_new(folder, contents)
    print(f"made {folder}: documents in docs/, questions in gold.jsonl, the plan in study.toml")
    print(f"run it:  {again('run', folder / 'study.toml')}")


def _quoted(name: str) -> bytes:
    import json

    return json.dumps(name or "mystudy", ensure_ascii=False).encode("utf-8", "replace")
