"""How many of n to draw from each stratum when their items are not equally uncertain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["allocate_by_spread"]


def allocate_by_spread(sizes: ArrayLike, spread: ArrayLike, n: int, *, least: int = 1) -> NDArray[np.int64]:
    """int64[strata]: *n* shared out in proportion to size x standard deviation, *least* (or all) to each.

    *spread*: the standard deviation expected within each stratum. No stratum gets more than it has, what
    is left goes to the others; remainders go to the largest fractions, ties to the earlier stratum.
    *n* too small for *least* of each is an error. Source: Neyman 1934.
    """
    have = np.asarray(sizes, dtype=np.int64)
    sd = np.asarray(spread, dtype=np.float64)
    if have.shape != sd.shape or (have < 0).any() or not (np.isfinite(sd).all() and (sd > 0).all()):
        raise InputError(
            "sizes and spreads do not fit", mend="give one size and one spread above 0 a stratum"
        )
    taken = np.minimum(have, least)
    if int(taken.sum()) > n:
        raise InputError(
            f"{n} items are fewer than {least} of each of {int((have > 0).sum())} strata",
            mend="ask for more items, or put strata together",
        )
    n = min(n, int(have.sum()))
    weight = have * sd
    # the least is a floor, not a bonus: each stratum is filled up to its share of the whole
    while (left := n - int(taken.sum())) > 0:
        room = have - taken
        open_ = room > 0
        share = np.where(open_, weight, 0.0)
        ideal = np.where(open_, n * share / share.sum() - taken, 0.0)
        ideal = np.clip(ideal, 0.0, room)
        if ideal.sum() <= 0:
            ideal = np.where(open_, left * share / share.sum(), 0.0)
        ideal *= min(1.0, left / ideal.sum())
        whole = np.minimum(np.floor(ideal + 1e-9).astype(np.int64), room)
        if not whole.any():
            order = np.lexsort((np.arange(len(have)), -(ideal - whole)))
            order = order[open_[order]]
            whole[order[:left]] = 1
        taken += whole
    return taken
