"""A file that is there whole or not at all: written under a temporary name beside it, then moved."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["staged", "write_whole"]


def staged(final: Path, content: bytes) -> Path:
    """*content* under a temporary name beside *final*; of what cannot be written nothing is left."""
    handle, name = tempfile.mkstemp(dir=final.parent, prefix=f".{final.name[:40]}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def write_whole(final: Path, content: bytes) -> None:
    """Write *final*, or leave what was there; raises OSError, and leaves nothing beside it."""
    temporary = staged(final, content)
    try:
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)
