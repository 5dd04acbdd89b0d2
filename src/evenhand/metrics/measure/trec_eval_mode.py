"""The policies of trec_eval: its measures by its names, and how it sums up over questions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenhand.errors import InputError
from evenhand.metrics.catalogue.aliases import translate, trec_name
from evenhand.metrics.catalogue.counts import MIN_GEO
from evenhand.metrics.catalogue.metric_type import Metric
from evenhand.metrics.catalogue.names import here, kind, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.model.result import Measurements

__all__ = ["LIKE", "OFFICIAL", "Named", "Total", "at_level", "expand", "totals"]

# version -> the order of ties that goes with it (see `evenhand.formats.runs.rows`): 9 compares scores as
# float32
LIKE = {"trec_eval": "trec9", "trec_eval10": "trec"}

CUTS = "5,10,15,20,30,100,200,500,1000"
TENTHS = ",".join(f"{i / 10:.2f}" for i in range(11))
FAMILIES = {
    "P": CUTS,
    "recall": CUTS,
    "ndcg_cut": CUTS,
    "map_cut": CUTS,
    "relative_P": CUTS,
    "success": "1,5,10",
    "iprec_at_recall": TENTHS,
    "Rprec_mult": ",".join(f"{i / 5:.2f}" for i in range(1, 11)),
}
OFFICIAL = (
    "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P".split()  # noqa: SIM905
)
MORE = (
    "recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut map_cut "
    "relative_P success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret"
)
SETS = {"official": OFFICIAL, "all_trec": [*OFFICIAL, *MORE.split()]}


class Named(NamedTuple):
    """A metric and the name it was asked for by."""

    name: str
    metric: Metric


class Total(NamedTuple):
    """One metric summed up over questions: over *n* of them, by mean, sum or geometric mean."""

    system: str
    metric: str
    value: float
    n: int
    how: str


def expand(text: str, *, nearest_recall: bool = False) -> list[Named]:
    """The metrics that *text* names: one, or a whole family of trec_eval (``P``, ``P.5,10``, ``official``).

    *nearest_recall* rounds the cutoffs of interpolated precision as trec_eval 10 does.
    """
    found: list[Named] = []
    for word in text.split():
        if word in SETS:
            for part in SETS[word]:
                found += expand(part, nearest_recall=nearest_recall)
            continue
        family = re.fullmatch(r"(?P<name>[A-Za-z_]+?)(?:[._](?P<cuts>[0-9.]+(?:,[0-9.]+)*))?", word)
        if family and family["name"] in FAMILIES:
            names = [
                f"{family['name']}_{cut}" for cut in (family["cuts"] or FAMILIES[family["name"]]).split(",")
            ]
        else:
            names = [word]
        for name in names:
            metric = here(name)
            if nearest_recall and metric.name in ("IPrec", "IPrec11"):
                metric = parse(_rounded(metric))
            same = translate(name) == name
            found.append(Named(trec_name(str(metric)) if same else _padded(name), metric))
    return found


def _padded(name: str) -> str:
    """trec_eval's own digits: ``iprec_at_recall_0.10``, ``P_5``."""
    stem, _, number = name.replace(".", "_", 1).rpartition("_") if "_" not in name else name.rpartition("_")
    if stem in ("iprec_at_recall", "Rprec_mult"):
        return f"{stem}_{float(number):.2f}"
    return name


def _rounded(metric: Metric) -> str:
    inside = ",".join(f"{n}={v}" for n, v in (*metric.params, ("rounding", "nearest")))
    return f"{metric.name}({inside})"


def at_level(metric: Metric, level: float) -> Metric:
    """The metric with the relevance level *level* (trec_eval's -l), where it has one and does not say it."""
    known = kind(metric).params
    given = dict(metric.params)
    if "rel" not in known or "rel" in given or level == known["rel"].default:
        return metric
    given["rel"] = int(level) if float(level).is_integer() else level
    return replace(metric, params=tuple((name, given[name]) for name in known if name in given))


def totals(m: Measurements, *, complete: bool) -> list[Total]:
    """What trec_eval prints for ``all``: undefined is 0; questions missing from a run only if *complete*."""
    found = []
    for s, system in enumerate(m.systems):
        kept = np.ones(len(m.questions), dtype=bool) if complete else ~m.missing[s]
        if not kept.any():
            raise InputError(
                f"run {system!r} has no question of the qrels", mend="check that both use the same ids"
            )
        for x, name in enumerate(m.metrics):
            values = m.value[s, x][kept]
            how = kind(parse(name)).total
            if how == "sum":
                value = float(values.sum())
            elif how == "geometric":
                value = float(np.exp(np.log(np.maximum(values, MIN_GEO)).mean()))
            else:
                value = float(values.mean())
            found.append(Total(system, name, value, int(kept.sum()), how))
    return found


def names_of(metrics: Sequence[Named]) -> dict[str, str]:
    """Canonical name → the name it was asked for by; the first wins."""
    found: dict[str, str] = {}
    for one in metrics:
        found.setdefault(str(one.metric), one.name)
    return found
