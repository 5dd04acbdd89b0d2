"""The bytes of a file, unpacked; and bytes written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from evenhand.errors import InputError

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["is_packed", "open_bytes", "read_bytes", "write_bytes"]

T = TypeVar("T")

BOM = b"\xef\xbb\xbf"
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
OTHER = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}


def _packed(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(6)
    for magic, how in (MAGIC | OTHER).items():
        if head.startswith(magic):
            return how
    return ""


def is_packed(path: Path) -> bool:
    """Whether a file that is there holds something packed."""
    return bool(_packed(path))


def _opener(how: str, path: Path) -> Callable[[Path], BinaryIO]:
    if how == "gzip":
        import gzip

        return gzip.open  # type: ignore[return-value]
    if how == "bz2":
        import bz2

        return bz2.open  # type: ignore[return-value]
    if how == "lzma":
        import lzma

        return lzma.open  # type: ignore[return-value]
    if how:
        raise InputError(f"{path} is packed with {how}", mend="unpack it first, or pack it with gzip")
    return lambda name: name.open("rb")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file, unpacked by what it holds (gzip, bz2, xz), whatever its name; no byte-order mark.

    Raises InputError for a file that is missing, a folder, not readable or broken; never part of a file.
    """
    data = open_bytes(path, lambda file: file.read())
    return data.removeprefix(BOM)


def open_bytes(path: str | os.PathLike[str], work: Callable[[BinaryIO], T]) -> T:
    """What *work* makes of the unpacked stream; every fault of the file is an InputError that names it."""
    import zlib

    name = Path(path)
    try:
        how = _packed(name)
        with _opener(how, name)(name) as file:
            return work(file)
    except IsADirectoryError as error:
        raise InputError(f"{name} is a folder", mend="name a file in it") from error
    except FileNotFoundError as error:
        raise InputError(f"there is no file {name}", mend="check the path") from error
    except (EOFError, zlib.error) as error:
        raise InputError(
            f"{name} is a broken packed file: {error}", mend="copy or pack it again; nothing of it was used"
        ) from error
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {error.strerror or error}", mend="check the file"
        ) from error
    except Exception as error:
        if type(error).__name__ == "LZMAError":
            raise InputError(
                f"{name} is a broken packed file: {error}", mend="copy or pack it again"
            ) from error
        raise


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write *data* under a temporary name beside *path* and move it; packed when the name ends in ``.gz``."""
    final = Path(path)
    if final.suffix == ".gz":
        import gzip

        data = gzip.compress(data, mtime=0)
    try:
        handle, name = tempfile.mkstemp(dir=final.parent, prefix=f".{final.name[:40]}-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(0o644)
            Path(name).replace(final)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"{final} cannot be written: {error.strerror or error}", mend="name a place where you may write"
        ) from error
