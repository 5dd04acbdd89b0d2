"""Stored vectors held against those that an embedder gives now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.store.blobs import Blobs

if TYPE_CHECKING:
    from evenhand.study.verification.verify import Verified

__all__ = ["stored_vectors"]


def stored_vectors(stored: Path, fresh: Path, made: Verified) -> None:
    """Check that every stored vector is whole, and the one that was made anew in *fresh*, where it was."""
    folder = stored / "embeddings"
    if not folder.is_dir():
        return
    old, new = Blobs(stored), Blobs(fresh)
    faults: list[str] = []
    rows = again = 0
    for path, key in old.keys("embeddings"):
        right = old.path("embeddings", key).name == path.name
        held = old.get("embeddings", key) if key and right else None
        if held is None or "vector" not in held:
            faults.append(f"embeddings {path.name} are damaged: they are not what was stored")
            continue
        rows += len(held["vector"])
        anew = new.get("embeddings", key) if new.path("embeddings", key).is_file() else None
        if anew is None:
            continue
        again += len(held["vector"])
        one, two = held["vector"], anew["vector"]
        if one.shape != two.shape:
            faults.append(f"embeddings {key[:12]} have the shape {one.shape}, and {two.shape} when made anew")
        elif not np.array_equal(one, two):
            row = int(np.flatnonzero((one != two).any(axis=1))[0])
            column = int(np.flatnonzero(one[row] != two[row])[0])
            faults.append(
                f"embedding {row + 1} of {key[:12]} is not what the embedder gives: its number {column + 1} "
                f"is {float(one[row, column])!r}, and {float(two[row, column])!r} when made anew"
            )
    good = f"{rows:,} are whole, {again:,} of them were made anew and are the same"
    made.sort("stored vectors", faults, good)
