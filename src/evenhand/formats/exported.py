"""What an export wrote, counted where it was written: what is printed is what the file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Exported"]


class Exported(NamedTuple):
    """``written`` counts the records of each sort in the file, ``lost`` says what its form cannot carry."""

    written: Mapping[str, int]
    lost: tuple[str, ...]
