"""Streams of random numbers: one seed of the study, one named stream for each use."""

from __future__ import annotations

from hashlib import sha256

import numpy as np

__all__ = ["stream"]


def stream(seed: int, *names: str) -> np.random.Generator:
    """A generator (PCG64) for the use called *names*, independent of the others under the same seed.

    Without names it is ``numpy.random.default_rng(seed)``: the draw of the bootstrap, which any reader
    can repeat. With names the seed sequence is ``[seed, first 8 bytes of sha256(names)]``, so that a new
    use never shifts an old one. *seed* is a non-negative integer.
    """
    if not names:
        return np.random.default_rng(seed)
    key = sha256("\x1f".join(names).encode()).digest()[:8]
    return np.random.default_rng([seed, int.from_bytes(key, "little")])
