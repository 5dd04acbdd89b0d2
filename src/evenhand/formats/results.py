"""The results folder: an export, written whole or not at all, and never read back."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from evenhand.errors import InputError

__all__ = ["MANIFEST", "write_new", "write_results"]

MANIFEST = "MANIFEST.sha256"


def write_results(folder: Path, files: Mapping[str, bytes], *, unlisted: Collection[str] = ()) -> None:
    """Write *files* (relative path to content) into *folder* and list them in ``MANIFEST.sha256``.

    All are written under temporary names first and moved when every one is there, the manifest last
    (``sha256sum -c MANIFEST.sha256`` checks it). Files of an earlier run which are no longer made are
    removed; whatever else lies in the folder is left alone. Those in *unlisted* are not in the manifest.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stale = _listed(folder) - set(files)
        made: list[tuple[Path, Path]] = []
        try:
            for name, content in files.items():
                made.append((_temporary(folder / name, content), folder / name))
            listing = "".join(
                f"{hashlib.sha256(content).hexdigest()}  {name}\n"
                for name, content in sorted(files.items())
                if name not in unlisted
            )
            made.append((_temporary(folder / MANIFEST, listing.encode()), folder / MANIFEST))
            for temporary, final in made:
                temporary.replace(final)
        finally:
            for temporary, _ in made:
                temporary.unlink(missing_ok=True)
        for name in stale:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"the results cannot be written to {folder}: {error.strerror or error}",
            mend="name another folder with --out, or make room there",
        ) from error


def _temporary(final: Path, content: bytes) -> Path:
    final.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=final.parent, prefix=f".{final.name[:40]}-")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    temporary = Path(name)
    temporary.chmod(0o644)
    return temporary


def _listed(folder: Path) -> set[str]:
    """Names an earlier manifest lists, as far as they stay inside the folder."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return set()
    names = {line[66:] for line in lines if line[64:66] == "  "}
    return {n for n in names if n and not Path(n).is_absolute() and ".." not in Path(n).parts}


def write_new(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make *folder* with *files* in it; one that holds something already is refused."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} is there already", mend="name a folder that does not exist yet")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as name:
            made = Path(name) / "study"
            for path, content in files.items():
                (made / path).parent.mkdir(parents=True, exist_ok=True)
                (made / path).write_bytes(content)
            if folder.exists():
                folder.rmdir()
            made.replace(folder)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be made: {error.strerror or error}", mend="name a place where you may write"
        ) from error
