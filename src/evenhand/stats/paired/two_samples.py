"""Are two samples of one distribution?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.stats.argument_checks import column, p_value

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["ks_pvalue"]

EXACT = 500  # items of a sample up to which all paths are counted


def ks_pvalue(a: ArrayLike, b: ArrayLike) -> float | None:
    """The two-sided p of the Kolmogorov-Smirnov test that two samples have one distribution.

    None for an empty sample. Exact up to 500 items a sample, else asymptotic; both are conservative where
    values tie. Items are independent. Source: Hodges 1958. Agrees with ``scipy.stats.ks_2samp``.
    """
    x, y = column(a, "a"), column(b, "b")
    if not len(x) or not len(y):
        return None
    from scipy.stats import ks_2samp

    method = "exact" if max(len(x), len(y)) <= EXACT else "asymp"
    return p_value(ks_2samp(x, y, method=method).pvalue)
