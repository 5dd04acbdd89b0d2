"""How many items two raters must both label before kappa is known well enough."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.agreement.kappa import errors_of_table
from evenhand.stats.argument_checks import normal_quantile, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "kappa_at_agreement",
    "kappa_halfwidth",
    "kappa_variance",
    "n_for_kappa_halfwidth",
    "n_for_kappa_variance",
]


def kappa_variance(kappa: float, positives: float) -> float:
    """Take n times the large-sample variance of Cohen's kappa of two raters who both say yes to *positives*.

    With p = positives, q = 1 - p: p11 = p^2 + k p q, p00 = q^2 + k p q, p10 = p01 = p q (1 - k), and the
    variance of Fleiss, Cohen & Everitt 1969 on that table. *kappa* must leave no cell below 0.
    """
    share(positives, "positives")
    p, q = positives, 1 - positives
    least = -min(p / q, q / p)
    if not least <= kappa <= 1:
        raise InputError(
            f"kappa {kappa:g} is impossible where both say yes to {positives:g}",
            mend=f"give kappa between {least:.3f} and 1",
        )
    off = p * q * (1 - kappa)
    yes, no = p * p + kappa * p * q, q * q + kappa * p * q
    expected = p * p + q * q
    agree = yes * (1 - 2 * p * (1 - kappa)) ** 2 + no * (1 - 2 * q * (1 - kappa)) ** 2
    differ = (1 - kappa) ** 2 * 2 * off  # (p_.i + p_j.) is 1 where i and j differ
    rest = (kappa - expected * (1 - kappa)) ** 2
    return max(0.0, agree + differ - rest) / (1 - expected) ** 2


def kappa_halfwidth(kappa: float, positives: float, n: int, *, level: float = 0.95) -> float | None:
    """Half of the width of kappa's large-sample interval with *n* items; None for n < 1."""
    z = normal_quantile(1 - (1 - share(level, "level")) / 2)
    return z * math.sqrt(kappa_variance(kappa, positives) / n) if n >= 1 else None


def n_for_kappa_halfwidth(kappa: float, positives: float, half_width: float, *, level: float = 0.95) -> int:
    """The fewest items with which kappa's interval is no wider than ± *half_width* (z^2 V / h^2).

    Normal approximation: below about 50 items the true interval is wider.
    """
    return n_for_kappa_variance(kappa_variance(kappa, positives), half_width, level=level)


def n_for_kappa_variance(variance: float, half_width: float, *, level: float = 0.95) -> int:
    """`n_for_kappa_halfwidth` from n times the *variance* of kappa: z^2 V / h^2, 2 or more."""
    share(half_width, "half_width")
    z = normal_quantile(1 - (1 - share(level, "level")) / 2)
    return max(2, math.ceil(z * z * variance / half_width**2 - 1e-9))


def kappa_at_agreement(table: ArrayLike, agreement: float | None = None) -> tuple[float, float] | None:
    """Kappa, and n times its large-sample variance, in a cross table of any number of categories.

    *table*: float64[k, k], how often one rater said i and the other j. With *agreement* the table is taken
    as if that share of items lay on its diagonal: the cells on it are scaled to that share, those off it
    to the rest (where there is none off it, or none on it, it is spread as by chance). None where kappa
    says nothing: no items, or a rater with one answer throughout. Source: Fleiss, Cohen & Everitt 1969.
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise InputError("the table is not square, or a count is below 0", mend="give counts, k rows of k")
    total = float(counts.sum())
    if not total:
        return None
    p = counts / total
    row, col = p.sum(axis=1), p.sum(axis=0)
    if max(row.max(), col.max()) == 1:
        return None
    if agreement is not None:
        if not 0 <= agreement <= 1:
            raise InputError(f"agreement is {agreement!r}", mend="give a share between 0 and 1")
        same = np.eye(len(p), dtype=bool)
        parts = []
        for where, part in ((same, agreement), (~same, 1 - agreement)):
            cells = np.where(where, p, 0.0)
            if not cells.sum():
                cells = np.where(where, np.outer(row, col), 0.0)
            parts.append(cells * (part / cells.sum()) if cells.sum() else cells)
        p = parts[0] + parts[1]
        p = p / p.sum()
        row, col = p.sum(axis=1), p.sum(axis=0)
        if max(row.max(), col.max()) >= 1 - 1e-12:
            return None
    seen, chance = float(np.trace(p)), float(row @ col)
    # errors at n = 1: the variance of one item
    return (seen - chance) / (1 - chance), errors_of_table(p, np.eye(len(p)))[0] ** 2
