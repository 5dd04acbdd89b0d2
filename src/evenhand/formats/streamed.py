"""Large TREC files streamed from disk, packed or not; None stands for one that needs the careful reader."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from evenhand.formats import columns
from evenhand.formats.pieces import NotPlain
from evenhand.formats.plain import coded_qrels, coded_run
from evenhand.formats.raw_bytes import BOM, is_packed, open_bytes
from evenhand.formats.rows import Coded, grades_of, run_of
from evenhand.formats.wanted import Wanted

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evenhand.metrics.view import Judged, View
    from evenhand.model.run import Qrels, Run

__all__ = ["qrels", "run", "view"]


class _Hashing:
    """A stream that keeps the SHA-256 of what was read of it, without a byte-order mark."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.digest = hashlib.sha256()
        self.fresh = True

    def readinto(self, place: memoryview) -> int:
        got: int = self.stream.readinto(place)  # type: ignore[attr-defined]
        skip = len(BOM) if self.fresh and place[: len(BOM)] == BOM else 0
        self.fresh = False
        self.digest.update(place[skip:got])
        return got


def view(
    path: str | os.PathLike[str],
    judged: Judged,
    *,
    system: str,
    lenient: bool,
    ties: str,
    depth: int | None,
    hashed: bool,
) -> View | None:
    """The judged units of a TREC run file with their ranks; None when it needs the careful reader."""
    sha256 = ""

    def opened(work: Callable[[BinaryIO], Any]) -> Any:
        def run(stream: BinaryIO) -> Any:
            nonlocal sha256
            if not hashed:
                return work(stream)
            through = _Hashing(stream)
            done = work(through)  # type: ignore[arg-type]
            sha256 = through.digest.hexdigest()
            return done

        return open_bytes(path, run)

    def whole() -> NDArray[np.uint8]:
        file = Path(path)
        if is_packed(file):
            return np.frombuffer(open_bytes(file, lambda stream: stream.read()), dtype=np.uint8)
        return np.memmap(file, dtype=np.uint8, mode="r")

    try:
        found, tag = columns.view(
            opened,
            whole,
            _wanted(judged),
            file=Path(path).name,
            system=system,
            lenient=lenient,
            ties=ties,
            depth=depth,
        )
    except NotPlain:
        return None
    provenance = {"retriever": "file", "ties": ties}
    if tag:
        provenance["tag"] = tag
    if hashed:
        provenance["sha256"] = sha256
    return replace(found, provenance=provenance)


def run(path: str | os.PathLike[str], *, system: str, lenient: bool, ties: str) -> Run | None:
    """A TREC run file as a `Run` whose ids stay bytes until they are looked at."""
    digest = ""

    def work(stream: BinaryIO) -> tuple[Coded, str]:
        nonlocal digest
        through = _Hashing(stream)
        found = coded_run(through, Path(path).name, lenient=lenient)  # type: ignore[arg-type]
        digest = through.digest.hexdigest()
        return found

    try:
        coded, tag = open_bytes(path, work)
    except NotPlain:
        return None
    provenance = {"retriever": "file", "sha256": digest, "ties": ties}
    if tag:
        provenance["tag"] = tag
    return run_of(coded, system=system, ties=ties, lenient=lenient, provenance=provenance)


def qrels(path: str | os.PathLike[str], *, lenient: bool, whole_grades: bool) -> Qrels | None:
    """A file of judgements as `Qrels`."""
    try:
        coded = open_bytes(path, lambda stream: coded_qrels(stream, Path(path).name))
    except NotPlain:
        return None
    if whole_grades and np.any(coded.value != np.floor(coded.value)):
        return None
    return grades_of(coded, lenient=lenient)


def _wanted(judged: Judged) -> Wanted:
    """The judged rows by hash, made once for all runs."""
    kept: dict[Any, Any] = judged._kept  # noqa: SLF001
    if "wanted" not in kept:
        kept["wanted"] = Wanted(judged)
    made: Wanted = kept["wanted"]
    return made
