"""The human sample: drawn by lot, before anyone looks or by strata, every chance on record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.judge.calibration.strata import LEAST, SPREAD, listed, names_of, picked, strata_of
from evenhand.model.plan.calibration_sample import STRATA, Drawn, Phase, Sample
from evenhand.model.pool import Pool, PoolItem
from evenhand.model.seal import seal_texts
from evenhand.stats.sampling.allocation import allocate_by_spread
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from evenhand.model.label import Shown

__all__ = ["BY", "declared", "draw", "further", "pool_of"]

BY = ("uniform", "stratified")
ALL = "all"


def draw(
    questions: Mapping[str, str],
    n: int,
    *,
    by: str = "uniform",
    seed: int,
    status: Mapping[str, str] | None = None,
    verdicts: bool = False,
) -> Sample:
    """*n* items by lot out of the judged ones. The same items and seed give the same sample, in any order.

    *questions*: the question of each item by its id. ``uniform``: every item has the chance n/N, and no
    verdict is looked at. ``stratified`` needs *status* by item (unanimous, split, undecided): more is drawn
    where people and panel are likely to differ, in proportion to size x expected spread, at least `LEAST`
    of each; a stratum of fewer is put with the next. *verdicts*: do any exist already? It goes on record.
    """
    if by not in BY:
        raise InputError(f"a sample cannot be drawn by {by!r}", mend=nearest(by, BY))
    items = sorted(questions)
    if not items:
        raise InputError("there is no judged item to draw from", mend="pool and judge some first")
    if n < 1:
        raise InputError(f"a sample of {n}", mend="draw 1 item or more")
    if n > len(items):
        raise InputError(
            f"{n} items are asked for, and {len(items)} are judged", mend=f"draw {len(items)} at most"
        )
    of = seal_texts(items)
    if by == "uniform":
        strata: dict[str, list[str]] = {ALL: items}
        counts = {ALL: n}
    else:
        strata = strata_of(items, status or {}, n)
        sizes = [len(found) for found in strata.values()]
        spread = [SPREAD[name.partition("+")[0]] for name in strata]
        shares = allocate_by_spread(sizes, spread, n, least=LEAST if len(strata) > 1 else 1)
        counts = dict(zip(strata, shares.tolist(), strict=True))
    dice = stream(seed, "calibration", of, "1")
    taken = {name: picked(found, counts[name], dice) for name, found in strata.items()}
    phase = Phase(
        design=by,
        n=n,
        seed=seed,
        verdicts=verdicts or by == "stratified",
        there={name: len(found) for name, found in strata.items()},
        drawn={name: len(found) for name, found in taken.items()},
    )
    rest, others = listed(strata)
    return Sample(
        items=tuple(
            Drawn(
                item=item,
                question=questions[item],
                stratum=name,
                probability=counts[name] / len(strata[name]),
            )
            for name, found in taken.items()
            for item in found
        ),
        phases=(phase,),
        population=len(items),
        of=of,
        rest=rest,
        strata=others,
    )


def declared(questions: Mapping[str, str], items: Sequence[str], *, seed: int = 0) -> Sample:
    """The sample that *items* are of all of *questions*, by somebody's word: drawn uniformly, elsewhere.

    Whether anyone had seen verdicts by then is not known, and told so.
    """
    names, n = sorted(questions), len(items)
    phase = Phase(design="uniform", n=n, seed=seed, verdicts=True, there={ALL: len(names)}, drawn={ALL: n})
    drawn = (
        Drawn(item=item, question=questions[item], stratum=ALL, probability=n / len(names)) for item in items
    )
    return Sample(items=tuple(drawn), phases=(phase,), population=len(names), of=seal_texts(names), rest=ALL)


def further(
    sample: Sample,
    questions: Mapping[str, str],
    n: int,
    *,
    seed: int,
    status: Mapping[str, str] | None = None,
    among: Sequence[str] = ("split", "undecided"),
) -> Sample:
    """*n* more items from the strata *among*, of those not drawn yet; what was drawn before stays.

    At least `LEAST` of each where *n* allows it: with fewer labels a stratum corrects nothing.

    After a uniform sample the strata are those of *status* now; after a stratified one they stay as they
    were. The chance of an item over all drawings is, in a stratum of M items of which a uniform sample of
    n1 in N came first and m more are drawn, n1/N + m/M: exact over all samples that could have been drawn,
    since the first takes n1 M/N of the stratum on average. Raises InputError when the judged items are no
    longer those that were drawn from.
    """
    items = sorted(questions)
    if seal_texts(items) != sample.of:
        raise InputError(
            f"the sample was drawn from {sample.population} other items than the {len(items)} judged now",
            mend="draw a new sample: chances of the old one do not hold for these items",
        )
    if sample.uniform:
        if status is None or any(item not in status for item in items):
            raise InputError("not every item has a status", mend="judge all items before drawing further")
        strata = strata_of(items, status, 2 * LEAST * len(STRATA))
    else:
        strata = {name: [] for name in names_of(sample)}
        for item in items:
            strata[sample.stratum(item)].append(item)
    wanted = [name for name in strata if set(name.split("+")) & set(among)]
    free = {name: [i for i in strata[name] if i not in sample.position] for name in wanted}
    left = sum(map(len, free.values()))
    if not 1 <= n <= left:
        raise InputError(
            f"{n} further items are asked for, and {left} of {' and '.join(among)} are not drawn yet",
            mend=f"ask for {left} at most" if left else "nothing is left to draw there",
        )
    number = len(sample.phases) + 1
    dice = stream(seed, "calibration", sample.of, str(number))
    sizes = [len(free[name]) for name in wanted]
    enough = n >= sum(min(size, LEAST) for size in sizes)
    shares = allocate_by_spread(
        sizes, [SPREAD[name.partition("+")[0]] for name in wanted], n, least=LEAST if enough else 0
    ).tolist()
    taken = [
        (name, item)
        for name, share in zip(wanted, shares, strict=True)
        for item in picked(free[name], share, dice)
    ]
    drawn = Counter(name for name, _ in taken)
    phase = Phase(
        design="further",
        n=n,
        seed=seed,
        verdicts=True,
        there={name: len(found) for name, found in strata.items()},
        drawn={name: drawn[name] for name in strata},
    )
    rest, others = listed(strata)
    grown = replace(sample, phases=(*sample.phases, phase), rest=rest, strata=others)
    chance = {
        name: _chance(grown, name, exhausted=drawn[name] == len(free.get(name, "-"))) for name in strata
    }
    kept = [
        replace(one, stratum=grown.stratum(one.item), probability=chance[grown.stratum(one.item)])
        for one in sample.items
    ]
    new = [
        Drawn(item=item, question=questions[item], stratum=name, probability=chance[name], phase=number)
        for name, item in taken
    ]
    return replace(grown, items=(*kept, *new))


def _chance(sample: Sample, stratum: str, *, exhausted: bool) -> float:
    """The chance of an item of *stratum* over all phases of *sample*."""
    if exhausted:
        return 1.0
    there = sample.phases[-1].there[stratum]
    total = 0.0
    for phase in sample.phases:
        if phase.design == "uniform":
            total += phase.n / sample.population
        else:
            total += phase.drawn.get(stratum, 0) / there
    return min(1.0, total)


def pool_of(
    shown: Iterable[Shown], sample: Sample, *, phase: int | None = None, name: str = "calibration"
) -> Pool:
    """The drawn items among *shown* as a pool, to be dealt to people; of one *phase*, or of all.

    Stratum and chance go with each item, which no desk shows; who found an item is not in it at all. Raises
    InputError for drawn items that are not there.
    """
    wanted = {one.item: one for one in sample.items if phase is None or one.phase == phase}
    there = [one for one in shown if one.item in wanted]
    if len(there) != len(wanted):
        absent = min(wanted.keys() - {one.item for one in there})
        raise InputError(
            f"{len(wanted) - len(there)} drawn items are not judged any more, {absent} first",
            mend="draw a new sample from what the panel judges now",
        )
    nothing = np.zeros(0, dtype=np.int32)
    return Pool(
        name=name,
        items=tuple(
            PoolItem(
                id=one.item,
                question=one.question,
                doc=one.doc,
                start=one.start,
                end=one.end,
                text_sha256=one.text_sha256,
                heading=one.heading,
                title=one.title,
                stratum=wanted[one.item].stratum,
                probability=wanted[one.item].probability,
            )
            for one in there
        ),
        questions={one.question: one.ask for one in there},
        runs=(),
        found_item=nothing,
        found_run=nothing,
        found_rank=nothing,
        settings={
            "strategy": "calibration",
            "population": sample.population,
            "of": sample.of,
            "phase": phase or 0,
        },
    )
