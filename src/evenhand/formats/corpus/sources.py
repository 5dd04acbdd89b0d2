"""Where documents lie: the files of a folder, the members of an archive, one file."""

from __future__ import annotations

import gzip
import io
import os
import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from evenhand.errors import InputError
from evenhand.formats.raw_bytes import unpacked
from evenhand.formats.unpacked import Bounded, allowed, too_large

__all__ = ["Source", "archive", "folder", "is_archive", "single"]

_BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, gzip.BadGzipFile, RuntimeError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The bytes of one file: ``id`` within the corpus, ``where`` for messages, suffix in lower case."""

    id: str
    where: str
    suffix: str
    data: bytes


def single(path: Path) -> Source:
    """One file, unpacked when it ends in ``.gz``."""
    return _source(path.name, str(path), _read(path))


def folder(root: Path, *, glob: Sequence[str], exclude: Sequence[str]) -> Iterator[Source]:
    """All files below *root* in the order of their paths; hidden ones and office locks are passed over.

    Raises :class:`InputError` for a symbolic link that leads out of *root*, and for one in a circle.
    """
    real = root.resolve()
    taken = _matching(root, glob, "glob") if glob else None
    dropped = _matching(root, exclude, "exclude")
    for path in sorted(_walk(root, real), key=lambda p: p.relative_to(root).as_posix()):
        if taken is not None and path not in taken:
            continue
        if dropped and (path in dropped or any(parent in dropped for parent in path.parents)):
            continue
        yield _source(path.relative_to(root).as_posix(), str(path), _read(path))


def is_archive(path: Path) -> bool:
    """Whether the name says tar or zip."""
    return path.name.lower().endswith((".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"))


def archive(path: Path, *, glob: Sequence[str], exclude: Sequence[str]) -> Iterator[Source]:
    """All members in the order of the archive, each read where it stands; nothing is written to disk."""
    try:
        for name, data in _zip(path) if path.name.lower().endswith(".zip") else _tar(path):
            pure = PurePosixPath(name)
            if ".." in pure.parts or pure.is_absolute():
                raise InputError(
                    f"{path}: member {name!r} leads out of the archive", mend="pack the folder again"
                )
            if any(_passed_over(part) for part in pure.parts) or "__MACOSX" in pure.parts:
                continue
            if glob and not any(pure.match(pattern) for pattern in glob):
                continue
            if any(pure.match(pattern) for pattern in exclude):
                continue
            yield _source(str(pure), f"{path}:{name}", data)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error})", mend="look at its permissions") from error
    except _BROKEN as error:
        raise InputError(
            f"{path}: broken or locked archive ({error})", mend="fetch or pack it again"
        ) from error


def _tar(path: Path) -> Iterator[tuple[str, bytes]]:
    # a header may announce a name of gigabytes, so the stream below is bounded and not only the members
    with unpacked(path) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            if member.isfile():
                file = tar.extractfile(member)
                yield member.name.removeprefix("./"), file.read() if file else b""


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    left = allowed(path.stat().st_size)
    with zipfile.ZipFile(path) as bundle:
        for info in bundle.infolist():
            left -= info.file_size
            if left < 0:
                raise too_large(path, allowed(path.stat().st_size))
            if not info.is_dir():
                yield info.filename, bundle.read(info)


def _source(name: str, where: str, data: bytes) -> Source:
    lower = name.lower()
    if lower.endswith(".gz"):
        name, lower = name[:-3], lower[:-3]
        try:
            with gzip.open(io.BytesIO(data)) as stream:
                data = Bounded(stream, where, allowed(len(data))).readall()  # type: ignore[arg-type]
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{where}: broken gzip file ({error})", mend="fetch or pack it again") from error
    return Source(id=name, where=where, suffix=posixpath.splitext(lower)[1], data=data)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror})", mend="look at its permissions, or exclude it"
        ) from error


def _walk(root: Path, real: Path) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        raise InputError(
            f"{error.filename}: folder cannot be read ({error.strerror})",
            mend="look at its permissions, or give another path",
        ) from error

    for top, folders, files in os.walk(root, onerror=unreadable):
        folders[:] = [name for name in folders if not _passed_over(name)]
        for name in [*folders, *files]:
            path = Path(top, name)
            if path.is_symlink():
                try:
                    inside = path.resolve(strict=True).is_relative_to(real)
                except (OSError, RuntimeError):
                    inside = False
                if not inside:
                    raise InputError(
                        f"{path}: a symbolic link that leads out of {root} (or nowhere)",
                        mend="copy the file into the folder, or remove the link",
                    )
        yield from (Path(top, name) for name in files if not _passed_over(name) and Path(top, name).is_file())


def _passed_over(name: str) -> bool:
    return name.startswith((".", "~$"))


def _matching(root: Path, patterns: Sequence[str], field: str) -> set[Path]:
    found: set[Path] = set()
    for pattern in patterns:
        try:
            found.update(root.glob(pattern))
        except (ValueError, NotImplementedError, IndexError) as error:
            raise InputError(
                f"{field} = {pattern!r} is not a pattern ({error})", mend="write for example '**/*.md'"
            ) from error
    return found
