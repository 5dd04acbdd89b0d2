"""The results folder: an export, written whole or not at all, and never read back."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, SealBroken
from evenhand.formats.atomic import staged, write_whole
from evenhand.formats.regular_files import regular_bytes
from evenhand.model.json_text import loads

__all__ = [
    "COSTS",
    "MANIFEST",
    "check_owner",
    "listing",
    "read_report",
    "renew_page",
    "write_new",
    "write_results",
]

MANIFEST = "MANIFEST.sha256"
REPORT, PAGE, COSTS = "report.json", "report.html", "costs.json"


def check_owner(folder: Path, study: str, file: str = "") -> None:
    """Refuse to write over the results of another study: one of another name, or of another study file.

    *file* is the name of the study file, where there is one; ``costs.json`` keeps it. A folder without
    results that can be read is nobody's.
    """
    held: dict[str, Any] = {}
    for name in (COSTS, REPORT):  # the first is small, and may be gone
        try:
            told = loads(regular_bytes(folder / name))["study"]
            held = {"name": str(told["name"]), "file": str(told.get("file", ""))}
            break
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    if not held or (held["name"] == study and (not file or held["file"] in ("", file))):
        return
    theirs = repr(held["name"]) + (f" ({held['file']})" if held["file"] else "")
    ours = repr(study) + (f" ({file})" if file else "")
    raise InputError(
        f"{folder} holds the results of the study {theirs}, and this is {ours}: they would be lost",
        mend=f"name another folder, --out {folder.name}-{Path(file).stem or 'other'}; or, if it is the same "
        "study under another name, remove the old results first",
    )


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
            lines = "".join(
                f"{hashlib.sha256(content).hexdigest()}  {name}\n"
                for name, content in sorted(files.items())
                if name not in unlisted
            )
            made.append((_temporary(folder / MANIFEST, lines.encode()), folder / MANIFEST))
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
    return staged(final, content)


def _listed(folder: Path) -> set[str]:
    """Names in the manifest of *folder* that lie inside it."""
    return {n for n in listing(folder) if n and not Path(n).is_absolute() and ".." not in Path(n).parts}


def listing(folder: Path) -> dict[str, str]:
    """Digest by name, as the manifest of *folder* has it; nothing where there is none to be read."""
    try:
        lines = regular_bytes(folder / MANIFEST).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    return {line[66:]: line[:64] for line in lines if line[64:66] == "  "}


def read_report(results: Path) -> tuple[Path, dict[str, Any], bytes]:
    """The path, content and bytes of the report.json of a results folder.

    Raises SealBroken where the manifest beside it names another content, InputError for anything else that
    is not a JSON object.
    """
    path = results / REPORT if results.is_dir() else results
    try:
        content = regular_bytes(path)
        made = loads(content)
    except FileNotFoundError as error:
        raise InputError(
            f"there is no {path}", mend="name the folder that `evenhand run` wrote, or a report.json"
        ) from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", mend="name another") from error
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}", mend="make it again with `evenhand run`") from error
    if not isinstance(made, dict):
        raise InputError(f"{path} holds no report", mend="name the report.json of a results folder")
    sealed = listing(path.parent).get(path.name)
    if sealed not in (None, hashlib.sha256(content).hexdigest()):
        raise SealBroken(
            f"{path} is not the report that was made: its {MANIFEST} names another content",
            mend="make it again with `evenhand run`; a report is not edited",
        )
    return path, made, content


def renew_page(report: Path, page: bytes, *, out: Path | None = None) -> Path:
    """Write the page of *report* beside it, and into the manifest there; or to *out* alone."""
    target = out or report.with_name(PAGE)
    folder = report.parent
    listed = listing(folder) if target.parent.resolve() == folder.resolve() else {}
    files = {target.name: page}
    if target.name in listed:
        listed[target.name] = hashlib.sha256(page).hexdigest()
        files[MANIFEST] = "".join(f"{digest}  {name}\n" for name, digest in sorted(listed.items())).encode()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            write_whole(target.parent / name, content)
    except OSError as error:
        raise InputError(
            f"{target} cannot be written: {error.strerror or error}", mend="name another place with --out"
        ) from error
    return target


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
