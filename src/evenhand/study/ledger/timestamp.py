"""An anchor: what somebody else holds, by which a registration is shown to be no younger than it."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.study.ledger.input_fingerprints import file_seal

__all__ = ["by_file", "by_git"]

OTS = b"\x00OpenTimestamps\x00"


def by_git(tag: str, folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """The commit that a git tag names, in which *files* are what they are now.

    Raises InputError where there is no such tag, or a file differs there.
    """
    if tag.startswith("-"):
        raise InputError(f"{tag!r} is no git tag", mend="give the name of a tag")
    commit = _git(folder, "rev-parse", "--verify", "--quiet", f"refs/tags/{tag}^{{commit}}")
    if commit is None:
        raise InputError(
            f"there is no git tag {tag!r} here", mend=f"git commit the study, then git tag {tag} and push it"
        )
    for file in files:
        if file.is_dir():
            continue
        blob = _git(file.parent, "rev-parse", "--verify", "--quiet", f"{commit}:./{file.name}")
        now = _git(file.parent, "hash-object", "--", file.name)
        if blob is None or blob != now:
            state = "is not in" if blob is None else "is not what it is in"
            raise InputError(
                f"{file.name} {state} the commit of the git tag {tag!r}",
                mend="commit it, set a new tag there, push the tag, and give that one",
            )
    return {"kind": "git", "tag": tag, "commit": commit, "files": [file.name for file in files]}


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise InputError("git is not installed", mend="install git, or give --anchor-file") from error
    return done.stdout.strip() if done.returncode == 0 else None


def by_file(proof: Path, files: Mapping[str, Path]) -> dict[str, Any]:
    """A proof of time (RFC 3161, OpenTimestamps): named and hashed, and searched for hashes of *files*.

    A proof holds the digest of what it stamps as it is; whether who signed it is who they say is not looked
    at here: that takes their certificate, or a chain of blocks.
    """
    try:
        data = proof.read_bytes()
    except OSError as error:
        raise InputError(
            f"the proof {proof} cannot be read: {error.strerror or error}", mend="name the file of the proof"
        ) from error
    if not data or len(data) > 1 << 20:
        raise InputError(f"{proof} is no proof of time: {len(data):,} bytes", mend="give the proof's file")
    form = "OpenTimestamps" if data.startswith(OTS) else "RFC 3161" if data[:1] == b"\x30" else "unknown form"
    stamped = ""
    for name, file in files.items():
        content = file.read_bytes()
        found = (hashlib.new(kind, content).digest() for kind in ("sha256", "sha384", "sha512"))
        if not stamped and any(digest in data for digest in found):
            stamped = name
    return {"kind": "file", "file": proof.name, "seal": file_seal(proof), "form": form, "of": stamped}
