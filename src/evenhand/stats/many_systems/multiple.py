"""Many tests at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["holm"]


def holm(p: Sequence[float | None], *, family: int | None = None) -> list[float | None]:
    """Holm's step-down adjusted p-values, in the order given.

    Sorted ascending, the r-th of m is multiplied by m - r + 1, made non-decreasing, and capped at 1.
    *family* is the declared number of tests m, also when some were not run (``None`` entries stay
    ``None`` and still count). Controls the chance of one false claim in the family, whatever the
    dependence.

    Source: Holm 1979. Agrees with statsmodels ``multipletests(method="holm")`` and, with a family, with
    R's ``p.adjust(p, "holm", n=m)``.
    """
    m = len(p) if family is None else family
    if m < len(p):
        raise InputError(
            f"a family of {m} tests was declared and {len(p)} are given",
            mend="declare the family as all tests that were planned",
        )
    for value in p:
        if value is not None and not 0 <= value <= 1:
            raise InputError(f"p-value {value!r} is not in 0..1", mend="give p-values, or None when not run")
    adjusted: list[float | None] = [None] * len(p)
    worst = 0.0
    tested = sorted((value, at) for at, value in enumerate(p) if value is not None)
    for rank, (value, at) in enumerate(tested):
        worst = max(worst, min(1.0, (m - rank) * value))
        adjusted[at] = worst
    return adjusted
