"""The bytes of a file, unpacked; and bytes written whole or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evenhand.errors import InputError
from evenhand.formats.atomic import write_whole
from evenhand.formats.unpacked import BLOCK, Bounded, allowed

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["is_packed", "open_bytes", "read_bytes", "unpacked", "write_bytes"]

T = TypeVar("T")

BOM = b"\xef\xbb\xbf"
MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
SUFFIXES = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd", ".zstd": "zstd", ".lz4": "lz4"}
# what the unpackers raise, by name, so that none of them is imported to ask
BROKEN = {("zlib", "error"), ("_lzma", "LZMAError"), ("zstd", "ZstdError")}


def _packed(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(6)
    for magic, how in MAGIC.items():
        if head.startswith(magic):
            return how
    return ""


def is_packed(path: Path) -> bool:
    """Whether a file that is there holds something packed."""
    return bool(_packed(path))


def _opener(how: str, path: Path) -> Callable[[Path], BinaryIO]:
    if not how:
        return lambda name: name.open("rb")
    if how == "zstd":
        return _zstd(path)
    module = {"gzip": "gzip", "bz2": "bz2", "xz": "lzma", "lz4": "lz4.frame"}[how]
    try:
        opener: Callable[[Path], BinaryIO] = import_module(module).open
    except ImportError as error:
        raise _needs(path, how, "lz4") from error
    return opener


def _zstd(path: Path) -> Callable[[Path], BinaryIO]:
    """Python has it from 3.14 on; before, either of two packages."""
    for module in ("compression.zstd", "backports.zstd"):
        try:
            opener: Callable[[Path], BinaryIO] = import_module(module).open
        except ImportError:
            continue
        return opener
    try:
        zstandard: Any = import_module("zstandard")
    except ImportError as error:
        raise _needs(path, "zstd", "zstandard") from error
    unpacker = zstandard.ZstdDecompressor()
    return lambda name: unpacker.stream_reader(name.open("rb"), read_across_frames=True)


def _needs(path: Path, how: str, package: str) -> InputError:
    return InputError(
        f"{path} is packed with {how}, and the package {package} is not installed",
        mend="pip install 'evenhand[packed]', or unpack it first (or pack it with gzip)",
    )


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file without a byte-order mark, unpacked (gzip, bz2, xz, zstd, lz4) whatever its name.

    Raises InputError for a file that is missing, a folder, not readable, broken, or far larger than it looks;
    never part of a file.
    """
    data = open_bytes(path, lambda file: file.read())
    return data.removeprefix(BOM)


def open_bytes(path: str | os.PathLike[str], work: Callable[[BinaryIO], T]) -> T:
    """What *work* makes of the unpacked stream; every fault of the file is an InputError that names it."""
    with unpacked(path) as stream:
        return work(stream)


@contextmanager
def unpacked(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The unpacked stream; every fault of the file is an InputError that names it."""
    name = Path(path)
    how = ""
    try:
        how = _packed(name)
        with _opener(how, name)(name) as file:
            if how:
                yield io.BufferedReader(Bounded(file, name, allowed(name.stat().st_size)), BLOCK)
            else:
                yield file
    except IsADirectoryError as error:
        raise InputError(f"{name} is a folder", mend="name a file in it") from error
    except FileNotFoundError as error:
        raise InputError(f"there is no file {name}", mend="check the path") from error
    except EOFError as error:
        raise _broken(name, error) from error
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {error.strerror or error}", mend="check the file"
        ) from error
    except Exception as error:
        kind = type(error)
        if how and any(kind.__module__.startswith(a) and kind.__name__ == b for a, b in BROKEN):
            raise _broken(name, error) from error
        if how == "lz4" and isinstance(error, RuntimeError):
            raise _broken(name, error) from error
        raise


def _broken(name: Path, error: Exception) -> InputError:
    return InputError(
        f"{name} is a broken packed file: {error}", mend="copy or pack it again; nothing of it was used"
    )


def _pack(how: str, data: bytes, path: Path) -> bytes:
    """The same bytes for the same *data*: no times, no names."""
    packed: bytes
    if how == "gzip":
        import gzip

        return gzip.compress(data, mtime=0)
    if how in ("bz2", "xz"):
        packed = import_module({"bz2": "bz2", "xz": "lzma"}[how]).compress(data)
        return packed
    if how == "lz4":
        try:
            packed = import_module("lz4.frame").compress(data)
        except ImportError as error:
            raise _needs(path, how, "lz4") from error
        return packed
    for module in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            packed = import_module(module).compress(data)
        except ImportError:
            continue
        return packed
    raise _needs(path, how, "zstandard")


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write *data* under a temporary name beside *path* and move it.

    Packed when the name ends in ``.gz``, ``.bz2``, ``.xz``, ``.zst`` or ``.lz4``.
    """
    final = Path(path)
    if final.suffix in SUFFIXES:
        data = _pack(SUFFIXES[final.suffix], data, final)
    try:
        write_whole(final, data)
    except OSError as error:
        raise InputError(
            f"{final} cannot be written: {error.strerror or error}", mend="name a place where you may write"
        ) from error
