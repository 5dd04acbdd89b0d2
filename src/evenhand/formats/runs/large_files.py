"""Large TREC files streamed from disk, packed or not; None stands for one that needs the careful reader."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from evenhand.errors import InputError
from evenhand.formats.raw_bytes import BOM, is_packed, open_bytes
from evenhand.formats.runs import judged_scan
from evenhand.formats.runs.block_reader import coded_qrels, coded_run
from evenhand.formats.runs.judged_index import Wanted
from evenhand.formats.runs.rows import Coded, fraction, grades_of, run_of
from evenhand.formats.runs.stream import NotPlain
from evenhand.formats.tables import bare_column

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    import polars as pl
    from numpy.typing import NDArray

    from evenhand.metrics.measure.view import Judged, View
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


def _sha256(path: str | os.PathLike[str]) -> str:
    def work(stream: BinaryIO) -> str:
        through, buffer = _Hashing(stream), memoryview(bytearray(1 << 20))
        while through.readinto(buffer):
            pass
        return through.digest.hexdigest()

    return open_bytes(path, work)


def _framed(path: str | os.PathLike[str], kind: str) -> pl.DataFrame | None:
    """The columns question, unit and value of a file of columns, or of a large table."""
    import polars as pl

    from evenhand.formats.runs.frames import usual

    file = Path(path).name
    try:
        if kind == "frame":
            with Path(path).open("rb") as stream:
                parquet = stream.read(4) == b"PAR1"
            given = pl.read_parquet(Path(path)) if parquet else pl.read_ipc(Path(path))
        else:
            given = pl.read_csv(
                open_bytes(path, lambda stream: stream.read()),
                separator="\t" if kind == "tsv" else ",",
                quote_char=None if kind == "tsv" else '"',
                infer_schema=False,
            )
            given = given.with_columns(bare_column(given[name]) for name in given.columns)
    except (pl.exceptions.PolarsError, OSError) as error:
        if kind != "frame":
            return None
        raise InputError(f"{file}: not a file of columns: {error}", mend="write it again") from error
    try:
        return usual(given, where=file)
    except InputError:
        if kind == "frame":
            raise
        return None  # the careful reader names the line


def view(
    path: str | os.PathLike[str],
    judged: Judged,
    kind: str,
    *,
    system: str,
    lenient: bool,
    ties: str,
    depth: int | None,
    hashed: bool,
) -> View | None:
    """The judged units of a run file with their ranks. *kind*: trec, frame, tsv or csv."""
    provenance = {"retriever": "file", "ties": ties}
    if kind == "trec":
        found = _trec(path, judged, system=system, lenient=lenient, ties=ties, depth=depth, hashed=hashed)
        if found is None:
            return None
        seen, tag, sha256 = found
        if tag:
            provenance["tag"] = tag
    else:
        given = _framed(path, kind)
        if given is None or not given.height:
            return None
        seen = _framed_view(given, judged, path, system=system, lenient=lenient, ties=ties, depth=depth)
        sha256 = _sha256(path) if hashed else ""
    if hashed:
        provenance["sha256"] = sha256
    return replace(seen, provenance=provenance)


def _framed_view(
    given: pl.DataFrame,
    judged: Judged,
    path: str | os.PathLike[str],
    *,
    system: str,
    lenient: bool,
    ties: str,
    depth: int | None,
) -> View:
    from evenhand.formats.runs.frames import FrameReader, HeldFrame, hashes

    wanted, file = _wanted(judged, hashes), Path(path).name
    if wanted.clash:
        raise InputError(f"{file}: two judged units have one hash", mend="read it as TREC text")
    try:
        reader = FrameReader(given, file=file, lenient=lenient)
        return judged_scan.streamed_view(reader, wanted, system, ties, depth)[0]
    except judged_scan.Interleaved:
        held = HeldFrame(given, file=file, lenient=lenient)
        return judged_scan.held_view(held, wanted, system=system, ties=ties, depth=depth)


def _trec(
    path: str | os.PathLike[str],
    judged: Judged,
    *,
    system: str,
    lenient: bool,
    ties: str,
    depth: int | None,
    hashed: bool,
) -> tuple[View, str, str] | None:
    """The view of a TREC text, its tag and its hash."""
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
        found, tag = judged_scan.view(
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
    return found, tag, sha256


def run(path: str | os.PathLike[str], kind: str, *, system: str, lenient: bool, ties: str) -> Run | None:
    """A run file as a `Run`; that of a TREC text keeps its ids as bytes until they are looked at."""
    digest, tag = "", ""

    def work(stream: BinaryIO) -> tuple[Coded, str]:
        nonlocal digest
        through = _Hashing(stream)
        found = coded_run(through, Path(path).name, lenient=lenient)  # type: ignore[arg-type]
        digest = through.digest.hexdigest()
        return found

    if kind == "trec":
        try:
            rows, tag = open_bytes(path, work)
        except NotPlain:
            return None
    else:
        found = _coded(path, kind)
        if found is None:
            return None
        rows, digest = found, _sha256(path)
    provenance = {"retriever": "file", "sha256": digest, "ties": ties}
    if tag:
        provenance["tag"] = tag
    return run_of(rows, system=system, ties=ties, lenient=lenient, provenance=provenance)


def _coded(path: str | os.PathLike[str], kind: str) -> Coded | None:
    from evenhand.formats.runs.frames import coded

    given = _framed(path, kind)
    return coded(given, file=Path(path).name) if given is not None and given.height else None


def qrels(path: str | os.PathLike[str], kind: str, *, lenient: bool, whole_grades: bool) -> Qrels | None:
    """A file of judgements as `Qrels`."""
    try:
        rows = (
            open_bytes(path, lambda stream: coded_qrels(stream, Path(path).name))
            if kind == "trec"
            else _coded(path, kind)
        )
    except NotPlain:
        return None
    if rows is None:
        return None
    if whole_grades and np.any(rows.value != np.floor(rows.value)):
        if kind != "frame":
            return None
        at = int(np.flatnonzero(rows.value != np.floor(rows.value))[0])
        raise fraction(rows.at(at), float(rows.value[at]))
    return grades_of(rows, lenient=lenient)


def _wanted(judged: Judged, hashed: Callable[[list[bytes]], NDArray[np.uint64]] | None = None) -> Wanted:
    """The judged rows by hash, made once for all runs."""
    kept: dict[Any, Any] = judged._kept  # noqa: SLF001
    name = "wanted" if hashed is None else f"wanted {hashed.__name__}"
    if name not in kept:
        kept[name] = Wanted(judged, hashed)
    made: Wanted = kept[name]
    return made
