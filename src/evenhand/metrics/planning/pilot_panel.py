"""Planning from the labels of a pilot: the human labels that its panel needs beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.metrics.planning.designs import Design, Wish, labels
from evenhand.metrics.planning.pilot import SURE
from evenhand.metrics.planning.pilot_labels import as_seen, in_clusters, moved, toward_half, worth_of
from evenhand.stats.argument_checks import TIE
from evenhand.stats.intervals.correlation import phi_interval
from evenhand.stats.intervals.proportion import wilson

__all__ = ["lower_phi", "of_calibration"]

Row = Mapping[str, Any]


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

    *rows*: those of `evenhand.judge.calibration.overlap`. The rate is planned at its 80% limit nearer to a
    half, phi at its lower 80% limit (`lower_phi`), never below 0: a judge that may be of no use is planned
    as of none. *items*: all that the judge will label; None: as many as one likes. Clusters as in
    `of_agreement`, with the ICC of what the judge leaves of the human label, and without the judge of
    that label itself.
    """
    made: list[Design] = []
    for row in rows:
        p, phi, n = row["human_rate"]["value"], row["phi"]["value"], row["n"]
        if p is None or n < 2:
            continue
        local, notes = in_clusters(row, row["icc"], wish, per_cluster=per_cluster, icc=icc)
        human, why = in_clusters(row, row["icc_alone"], wish, per_cluster=per_cluster, icc=icc)
        most = toward_half(p, worth_of(n, human))
        rho = max(0.0, phi or 0.0)
        least = max(0.0, lower_phi(rho, p, row["judge_rate"], worth_of(n, local))) if rho else 0.0
        if not least:
            reason = "its phi is not defined" if phi is None else "its phi may be 0"
            local, notes = human, (f"planned without the judge: {reason}", *why)
        safe = labels(most, width, local, rho=least, items=items)
        alone = labels(most, width, human).needed
        if least and alone != safe.n_alone and safe.n is not None:
            notes = (f"in clusters {alone:,} without the judge", *notes)
        plain = labels(p, width, local, rho=rho, items=items)
        shown = "phi not defined" if phi is None else f"phi {moved(phi, least)}"
        told = f"rate {moved(p, most)}, {shown}"
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
        made.append(as_seen(safe, plain, says, about, notes))
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
