"""Planning from the labels of a pilot: agreement of its people, and its panel held against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.metrics.pilot import SURE
from evenhand.metrics.planning import Design, Wish, agreement, bound, kappa_of, labels
from evenhand.stats.checks import TIE
from evenhand.stats.correlation import phi_interval
from evenhand.stats.kappa_planning import kappa_at_agreement
from evenhand.stats.proportion import wilson

__all__ = ["lower_phi", "of_agreement", "of_calibration"]

Row = Mapping[str, Any]


def of_agreement(
    pairs: Sequence[Row],
    wish: Wish,
    *,
    width: float | None,
    at_least: float | None,
    per_cluster: float | None = None,
    icc: float | None = None,
) -> list[Design]:
    """Designs for each pair of people: raw agreement and kappa to ± *width*, agreement of *at_least*.

    *pairs*: those of `evenhand.judge.agreement`. Each is planned with its agreement at the one-sided 80%
    limit (Wilson on the effective n) that asks for more, kappa with the pilot's cross table taken to that
    agreement; ``assumed["n_as_seen"]`` is the n of the agreement itself. Items of one question count by
    the design effect 1 + (b - 1) ICC with the pilot's b and ICC, unless *per_cluster* or *icc* say else;
    an ICC that is undefined is taken as 1.
    """
    made: list[Design] = []
    for pair in pairs:
        seen, n = pair["raw"]["value"], pair["n"]
        if seen is None or n < 2:
            continue
        local, notes = _clusters(pair, pair["icc"], wish, per_cluster=per_cluster, icc=icc)
        worth = _worth(n, local)
        safe, low = _toward_half(seen, worth), _limit(seen, worth, "lower")
        who = " and ".join(pair["judges"])
        about = {"judges": list(pair["judges"]), "pilot_n": n, "pilot_questions": pair["questions"]}
        if width is not None:
            plain = agreement(seen, width, local)
            says = f"{who}: agreement to ±{width:g} ({_moved(seen, safe)})"
            raw = _as_seen(
                agreement(safe, width, local), plain, says, {**about, "pilot_agreement": seen}, notes
            )
            table = _square(pair["table"])
            value, taken = kappa_at_agreement(table), kappa_at_agreement(table, safe)
            if value is None or taken is None:
                made.append(replace(raw, notes=(*raw.notes, "no kappa: a judge gave one answer throughout")))
            else:
                plain = kappa_of(*value, width, local)
                says = f"{who}: kappa to ±{width:g} ({_moved(value[0], taken[0])})"
                own = {**about, "pilot_kappa": value[0]}
                made += [raw, _as_seen(kappa_of(*taken, width, local), plain, says, own, notes)]
        if at_least is not None:
            plain = bound(seen, at_least, local)
            says = f"{who}: agreement of {at_least:g} or more ({_moved(seen, low)})"
            own = {**about, "pilot_agreement": seen}
            made.append(_as_seen(bound(low, at_least, local), plain, says, own, notes))
    return made


def of_calibration(
    rows: Sequence[Row],
    wish: Wish,
    *,
    width: float,
    items: int | None,
    per_cluster: float | None = None,
    icc: float | None = None,
) -> list[Design]:
    """Human labels beside each judge of a pilot for its corrected rate to be known to ± *width*.

    *rows*: those of `evenhand.judge.calibration`. The rate is planned at its 80% limit nearer to a half,
    phi at its lower 80% limit (`lower_phi`), never below 0: a judge that may be of no use is planned as of
    none. *items*: all that the judge will label; None: as many as one likes. Clusters as in
    `of_agreement`, with the ICC of what the judge leaves of the human label, and without the judge of
    that label itself.
    """
    made: list[Design] = []
    for row in rows:
        p, phi, n = row["human_rate"]["value"], row["phi"]["value"], row["n"]
        if p is None or n < 2:
            continue
        local, notes = _clusters(row, row["icc"], wish, per_cluster=per_cluster, icc=icc)
        human, why = _clusters(row, row["icc_alone"], wish, per_cluster=per_cluster, icc=icc)
        most = _toward_half(p, _worth(n, human))
        rho = max(0.0, phi or 0.0)
        least = max(0.0, lower_phi(rho, p, row["judge_rate"], _worth(n, local))) if rho else 0.0
        if not least:
            reason = "its phi is not defined" if phi is None else "its phi may be 0"
            local, notes = human, (f"planned without the judge: {reason}", *why)
        safe = labels(most, width, local, rho=least, items=items)
        alone = labels(most, width, human).needed
        if least and alone != safe.n_alone and safe.n is not None:
            notes = (f"in clusters {alone:,} without the judge", *notes)
        plain = labels(p, width, local, rho=rho, items=items)
        shown = "phi not defined" if phi is None else f"phi {_moved(phi, least)}"
        told = f"rate {_moved(p, most)}, {shown}"
        says = f"{row['judge']}, grade {row['grade']:g} or more: rate to ±{width:g} ({told})"
        about = {
            "judge": row["judge"],
            "grade": row["grade"],
            "pilot_n": n,
            "pilot_questions": row["questions"],
            "pilot_rate": p,
            "pilot_phi": phi,
            "pilot_bias": row["bias"],
            "n_without_judge_clustered": alone,
        }
        made.append(_as_seen(safe, plain, says, about, notes))
    return made


def lower_phi(phi: float, human: float, judge: float, n: float, *, sure: float = SURE) -> float:
    """The one-sided lower limit of phi seen in *n* items (`phi_interval`), *human* and *judge* the rates.

    Where judge and people never differed (phi 1), it is that of the most disagreement d that n items
    leave open (Wilson's upper limit): 1 - d / (2 p (1 - p)). 0 where there is no limit. Source: Bishop,
    Fienberg & Holland 1975.
    """
    if 1 - phi <= TIE:
        below = 2 * human * (1 - human)
        most = float(wilson(0, n, level=sure, side="upper").high or 0.0)
        return max(0.0, 1 - most / below) if below > TIE else 0.0
    # the lower end of a two-sided interval
    return phi_interval(phi, human, judge, n, level=2 * sure - 1).low or 0.0


def _clusters(
    row: Row, found: Row, wish: Wish, *, per_cluster: float | None, icc: float | None
) -> tuple[Wish, tuple[str, ...]]:
    """The wish with the clusters of one row of a pilot; what was asked for stands before what was seen."""
    size = row["n"] / row["questions"] if per_cluster is None else per_cluster
    notes: tuple[str, ...] = ()
    alike = icc
    if alike is None:
        known = found["value"]
        alike = 1.0 if known is None else min(1.0, max(0.0, known))
        if known is None and size > 1:
            notes = (f"the intraclass correlation is taken as 1: {found.get('reason', 'undefined')}",)
    return replace(wish, per_cluster=size, icc=alike), notes


def _as_seen(design: Design, plain: Design, says: str, about: Row, notes: tuple[str, ...]) -> Design:
    """A design with what the pilot saw, and the n by it."""
    known = {**design.assumed, **about, "n_as_seen": plain.n}
    return replace(design, says=says, assumed=known, notes=(*design.notes, *notes))


def _worth(n: int, wish: Wish) -> float:
    return n / (1 + (wish.per_cluster - 1) * wish.icc)


def _limit(p: float, n: float, side: Any) -> float:
    # k = n exactly at p = 1, so that the end is exactly 1
    found = wilson(n if p == 1 else p * n, n, level=SURE, side=side)
    end = found.low if side == "lower" else found.high
    return p if end is None else end


def _toward_half(p: float, n: float) -> float:
    """The 80% limit on the side of a half, where a share is hardest to know; not beyond it."""
    return max(0.5, _limit(p, n, "lower")) if p >= 0.5 else min(0.5, _limit(p, n, "upper"))


def _square(rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """The cross table of [first, second, count] rows."""
    names = {name: i for i, name in enumerate(sorted({name for a, b, _ in rows for name in (a, b)}))}
    table = np.zeros((len(names), len(names)))
    for a, b, n in rows:
        table[names[a], names[b]] = n
    return table


def _moved(seen: float, taken: float) -> str:
    return f"seen {seen:.2g}, taken as {taken:.2g}"
