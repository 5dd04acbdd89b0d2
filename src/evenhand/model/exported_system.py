"""A system that was taken away from a study: its files, and what has to be brought to run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Taken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What to write and what it takes.

    ``files``: name → content; ``needs``: extras of evenhand to install; ``brings``: what only its owner has
    (a module, an endpoint, a file), in words.
    """

    system: str
    files: Mapping[str, bytes]
    needs: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
