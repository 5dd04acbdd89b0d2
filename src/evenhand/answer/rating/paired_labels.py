"""Two sides beside each other, yes or no on the same items: a check, a person or a model, and people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from evenhand.labelling.desk.agreement_text import coefficient_json, interval_json, rounded, share_json
from evenhand.stats.agreement.judge_accuracy import judge_against_human
from evenhand.stats.agreement.kappa import kappa_by_topic

__all__ = ["beside"]

SIDES = ("yes", "no")
CONSTANT = "{} said {} throughout: kappa says nothing, read the raw agreement"


def beside(
    first: Sequence[str | None],
    second: Sequence[str | None],
    topics: Sequence[str],
    *,
    names: tuple[str, str] = ("the check", "people"),
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = 20241009,
) -> dict[str, Any]:
    """Plain JSON on one side (``yes``, ``no``, None: undecided) against another (None: cannot tell).

    Entries are pairs: an item that two people rated is there twice. Intervals resample whole topics, and are
    Wilson's where no topic holds two pairs. ``kappa`` has no value where a side is constant (``degenerate``);
    resamples without one are dropped and counted (``undefined``), those with a constant side counted apart.
    ``p_yes`` and ``p_no`` are agreement by side. ``sensitivity`` is the share of what the second calls *no*
    that the first calls *no* too (a fault found), ``specificity`` the share of its *yes* that the first lets
    pass.
    """
    kept = [i for i, pair in enumerate(zip(first, second, strict=True)) if None not in pair]
    a, b = [str(first[i]) for i in kept], [str(second[i]) for i in kept]
    of = [topics[i] for i in kept]
    apart = len(set(of))
    more: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    found = judge_against_human(a, b, positive="yes", clusters=of if apart < len(of) else None, **more)
    table = Counter(zip(a, b, strict=True))
    return {
        "n": len(kept),
        "topics": apart,
        "undecided": sum(one is None for one in first),
        "cannot_tell": sum(y is None and x is not None for x, y in zip(first, second, strict=True)),
        "table": [[x, y, table[x, y]] for x in SIDES for y in SIDES],
        "raw": share_json(found.agreement),
        "no_skill": share_json(found.no_skill),
        "kappa": _kappa(a, b, of, names, **more),
        "ac1": coefficient_json(found.ac1),
        "p_yes": coefficient_json(found.sides.positive),
        "p_no": coefficient_json(found.sides.negative),
        "sensitivity": share_json(found.specificity),
        "specificity": share_json(found.sensitivity),
    }


def _kappa(
    a: Sequence[str], b: Sequence[str], of: Sequence[str], names: tuple[str, str], **more: Any
) -> dict[str, Any]:
    constant = [(name, side[0]) for name, side in zip(names, (a, b), strict=True) if len(set(side)) == 1]
    found = kappa_by_topic(a, b, of, **more)
    made = {
        "value": None if constant else rounded(found.kappa),
        **interval_json(found.interval),
        "n": len(a),
        "topics": found.topics,
        "resamples": found.resamples,
        "undefined": found.undefined,
        "one_rater_constant": found.one_rater_constant,
        "degenerate": bool(constant),
    }
    if constant:
        why = CONSTANT.format(*constant[0])
        return {**made, "low": None, "high": None, "reason": why}
    return made if a else {**made, "reason": "no items"}
