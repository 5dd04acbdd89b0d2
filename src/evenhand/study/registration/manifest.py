"""A folder held against its manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from evenhand.formats.results.folder import MANIFEST

__all__ = ["LATER", "listed_wrong"]

LATER = frozenset({"qrels.parquet"})  # files of results that earlier versions of evenhand did not make


def listed_wrong(folder: Path, *, skip: tuple[str, ...]) -> Iterator[str]:
    """What is not as the manifest of a folder says: changed, gone, or in no line of it."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        yield f"{MANIFEST} cannot be read"
        return
    listed: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        name = line[66:]
        if line[64:66] != "  " or not name or Path(name).is_absolute() or ".." in Path(name).parts:
            yield f"{MANIFEST}:{number} is no line of a manifest"
            continue
        listed[name] = line[:64]
    for name, digest in listed.items():
        path = folder / name
        if not path.is_file():
            yield f"{name} is gone"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            yield f"{name} is not what {MANIFEST} says"
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        apart = name in (MANIFEST, "costs.json") or name.startswith((".", *skip))
        if path.is_file() and not apart and name not in listed:
            yield f"{name} is in no line of {MANIFEST}"
