"""A panel held against a sample of people: confusion, agreement, direction, and rates put right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.judge.calibration.columns import column_of, thin, unlabelled
from evenhand.judge.calibration.comparisons import (
    against,
    between_people,
    by_stratum,
    direction_json,
    of_panel,
    panel_interval,
    singles,
    weighed,
)
from evenhand.judge.calibration.corrected_rate import alone_of, rates
from evenhand.judge.calibration.raters import between, contested, raters, unsettled
from evenhand.labelling.desk.agreement_text import rounded
from evenhand.stats.agreement.raters import RESAMPLES, SEED
from evenhand.stats.intervals.missing_bounds import mean_readable
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.judge.calibration.columns import Column
    from evenhand.judge.calibration.raters import Ends
    from evenhand.model.label import Label
    from evenhand.model.plan.calibration_sample import Case, Sample
    from evenhand.stats.agreement.judge_accuracy import Judged
    from evenhand.stats.intervals.missing_bounds import Readable

__all__ = ["SCHEMA", "calibrate"]

SCHEMA = "evenhand.calibration/1"


def calibrate(
    cases: Sequence[Case],
    sample: Sample | None,
    *,
    scale: tuple[float, float] = (0.0, 1.0),
    yes: float | None = None,
    judges: Sequence[str] = (),
    people: Sequence[Label] = (),
    level: float = 0.95,
    half_width: float = 0.1,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    """All that is said of a panel held against people, as plain JSON.

    *cases*: every judged item. *sample*: what was drawn for people, None when nothing was: unless people have
    labelled every item (a census) labels then say how far panel and people agree where both happened to
    look, and correct nothing. *scale*: the lowest
    and highest grade; *yes*: from which grade on an item counts as yes (default: the highest). With more
    than two grades the mean grade is corrected too. *judges* names the votes' places; *people*: single
    human labels, for what two people agree on. Labels of items that were not drawn are counted and left
    out. Every missing verdict, the panel's or a person's, is counted and bounded. Raises InputError for a
    sample from other items.
    """
    cut = scale[1] if yes is None else yes
    if not scale[0] < cut <= scale[1]:
        raise InputError(
            f"yes begins at {cut:g} on a scale of {scale[0]:g} to {scale[1]:g}",
            mend="give a grade above the lowest",
        )
    known = _known(cases, sample)
    # a sample, or a label of every judged item: only then is it known what the labels stand for
    fair = sample is not None or (bool(cases) and all(case.human is not None for case in cases))
    options = {"level": level, "resamples": resamples, "seed": seed}

    def binary(grade: float) -> float:
        return float(grade >= cut)

    strata = [
        case.status if sample is None or sample.uniform else sample.stratum(case.item) for case in cases
    ]
    drawn, uniform = known
    column = column_of(
        cases,
        strata,
        value=binary,
        low=0.0,
        high=1.0,
        share=True,
        uniform=uniform,
        drawn=drawn,
    )
    both = [i for i in column.labelled if cases[i].panel is not None]
    bare = unlabelled(column)
    if bare:  # what is known of the other strata is not known of the whole
        both = []
    said = [int(binary(cases[i].panel or 0.0)) for i in both]
    truth = [int(column.human[i] or 0.0) for i in both]
    chances = column.probability
    chance = None if uniform else [chances[i] for i in both]
    clusters = [cases[i].cluster for i in both]
    held, told = against(said, truth, clusters, chance, options)
    ends = contested(people, cases, drawn)
    apart = {i: (binary(a), binary(b)) for i, (a, b) in ends.items() if binary(a) != binary(b)}
    differ = {strata[i] for i in apart}
    near = {"level": level, "half_width": half_width}
    headline, every, outlook, human_rate = _rates(column, held, apart, **near)
    unknown = [i for i, case in enumerate(cases) if drawn[i] and case.human is None]
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "level": level,
        "seed": seed,
        "scale": list(scale),
        "yes": cut,
        "population": _population(cases),
        "sample": _sample(cases, sample, drawn, fair=fair),
        "confusion": {
            "both_yes": held.both_yes,
            "panel_only": held.judge_only,
            "people_only": held.human_only,
            "both_no": held.both_no,
            "panel_undecided": len(column.labelled) - len(both),
            "n": held.n,
            "weighted": not uniform,
        },
        **told,
        "disputed": _disputed(column, dict(zip(both, said, strict=True)), bare, level),
        "direction": direction_json(
            said, truth, [(cases[i].asked, cases[i].cluster) for i in both], held.direction, seed
        ),
        "unlabelled": bare,
        "thin": thin(column),
        "by_stratum": [
            {**row, "human_rate": unsettled(row["human_rate"])} if row["stratum"] in differ else row
            for row in by_stratum(cases, strata, drawn, binary, level=level)
        ],
        "singles": singles(
            cases, drawn, judges, binary, chances=None if uniform else chances, bare=bare, level=level
        ),
        "ceiling": between_people(people, {case.item: case.cluster for case in cases}, cut, options),
        "panel": of_panel(cases, binary, options),
        "panel_rate": {
            **_readable([None if c.panel is None else binary(c.panel) for c in cases], (0.0, 1.0)),
            **panel_interval(cases, binary, options),
        },
        "human_rate": human_rate,
        "raters": raters(
            people,
            cases,
            drawn,
            value=binary,
            chances=None if uniform else chances,
            apart=apart,
            level=level,
        ),
        "rate": headline if fair else None,
        "rates": every if fair else [],
        "outlook": outlook,
        "if_missing": _if_missing(column, unknown, apart, **near) if fair else None,
    }
    if tuple(scale) != (0.0, 1.0) or _graded(cases):
        more = {"fair": fair, "scale": scale, "apart": ends, **near}
        made["grade"] = _grades(cases, known, strata, **more)  # type: ignore[arg-type]
    return made


def _known(cases: Sequence[Case], sample: Sample | None) -> tuple[list[bool], bool]:
    """Which items were drawn, and whether all had the same chance."""
    if sample is None:
        return [case.human is not None for case in cases], True
    if len(cases) != sample.population:
        raise InputError(
            f"the sample was drawn from {sample.population} {noun(sample.population, 'item')}, and "
            f"{len(cases)} are judged",
            mend="calibrate on the items that were drawn from, or draw a new sample",
        )
    there = {case.item for case in cases}
    if any(one.item not in there for one in sample.items):
        raise InputError(
            "the sample holds items that are not among the judged ones",
            mend="calibrate on the items that were drawn from, or draw a new sample",
        )
    return [case.item in sample.position for case in cases], sample.uniform


def _population(cases: Sequence[Case]) -> dict[str, int]:
    return {
        "items": len(cases),
        "questions": len({case.asked for case in cases}),
        "clusters": len({case.cluster for case in cases}),
        **{name: sum(case.status == name for case in cases) for name in ("unanimous", "split", "undecided")},
    }


def _sample(
    cases: Sequence[Case], sample: Sample | None, drawn: Sequence[bool], *, fair: bool
) -> dict[str, Any]:
    """How many were drawn, and what became of them."""
    of = [case for case, chosen in zip(cases, drawn, strict=True) if chosen]
    labelled = [case for case in of if case.human is not None]
    outside = sum(case.human is not None for case in cases) - len(labelled)
    return {
        "design": ("census" if fair else "none")
        if sample is None
        else "+".join(phase.design for phase in sample.phases),
        "verdicts_existed": None if sample is None else not sample.blind,
        "drawn": len(of),
        "labelled": len(labelled),
        "questions": len({case.asked for case in labelled}),
        "clusters": len({case.cluster for case in labelled}),
        "cannot_tell": sum(case.said == "cannot-tell" for case in of),
        "skipped": sum(case.said == "skip" for case in of),
        "waiting": sum(case.human is None and not case.said for case in of),
        "outside": outside,
        "share": rounded(len(labelled) / len(cases)) if cases else None,
    }


def _disputed(column: Column, said: Mapping[int, int], bare: Sequence[str], level: float) -> dict[str, Any]:
    """The share of the labelled items on which panel and people differ, or the panel has no verdict.

    Weighted to the population where not all items had the same chance of a label; *said*: the panel's
    verdicts by place. Nothing is known of the whole where a stratum has no label (*bare*).
    """
    labelled, chances = column.labelled, column.probability
    hits = [said.get(i, -1) != column.human[i] for i in labelled]
    own = None if column.uniform else [chances[i] for i in labelled]
    return {
        **weighed(hits, own, bare=bare, level=level),
        "n": len(labelled),
        # a weighted share has no count behind it that an exact bound could be made of
        "k": sum(hits) if column.uniform else None,
    }


def _readable(values: Sequence[float | None], scale: tuple[float, float]) -> dict[str, Any]:
    found: Readable = mean_readable(values, scale=scale)
    return {
        "value": rounded(found.mean),
        "n": found.n,
        "of": found.of,
        "missing": found.missing,
        "least": rounded(found.low),
        "most": rounded(found.high),
        **({"reason": found.reason} if found.reason else {}),
    }


def _rates(
    column: Column, held: Judged | None, apart: Ends, *, level: float, half_width: float
) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
    """What `evenhand.judge.calibration.corrected_rate.rates` says, and the row of people alone.

    Where people differ (*apart*) all rows are there twice, by the strictest and the loosest of them, and the
    headline and people's own rate have no point but both as their ends.
    """
    if not apart:
        headline, every, outlook = rates(column, held, level=level, half_width=half_width)
        return headline, every, outlook, alone_of(every)
    found = [
        rates(
            column.read({i: end[side] for i, end in apart.items()}),
            None,
            level=level,
            half_width=half_width,
        )
        for side in (0, 1)
    ]
    (least, first, outlook), (most, second, _) = found
    names = ("by the strictest", "by the loosest")
    every = [
        {**row, "name": f"{row['name']}, {name}"}
        for rows in zip(first, second, strict=True)
        for name, row in zip(names, rows, strict=True)
    ]
    n = len(apart)
    return between(least, most, n), every, outlook, between(alone_of(first), alone_of(second), n)


def _if_missing(
    column: Column, unknown: Sequence[int], apart: Ends, *, level: float, half_width: float
) -> dict[str, Any] | None:
    """The corrected rate if every item that people gave no grade were no, and if every one were yes."""
    if not unknown:
        return None
    low, high = (
        rates(
            column.read({**{i: both[side] for i, both in apart.items()}, **dict.fromkeys(unknown, end)}),
            None,
            level=level,
            half_width=half_width,
        )[0]
        for side, end in enumerate((column.low, column.high))
    )
    return {
        "missing": len(unknown),
        "least": low["point"],
        "most": high["point"],
        "low": low["low"],
        "high": high["high"],
    }


def _graded(cases: Sequence[Case]) -> bool:
    given = {case.panel for case in cases} | {case.human for case in cases}
    return len(given - {None}) > 2


def _grades(
    cases: Sequence[Case],
    known: tuple[list[bool], bool],
    strata: Sequence[str],
    *,
    fair: bool,
    apart: Ends,
    scale: tuple[float, float],
    level: float,
    half_width: float,
) -> dict[str, Any]:
    """The mean grade: the panel's with its bounds, the people's, and the corrected one."""
    drawn, uniform = known
    column = column_of(
        cases,
        strata,
        value=float,
        low=scale[0],
        high=scale[1],
        share=False,
        uniform=uniform,
        drawn=drawn,
    )
    near = {"level": level, "half_width": half_width}
    headline, every, _, alone = _rates(column, None, apart, **near)
    unknown = [i for i, case in enumerate(cases) if drawn[i] and case.human is None]
    people = _readable([case.human for case, chosen in zip(cases, drawn, strict=True) if chosen], scale)
    if not uniform:  # weighted; what the missing could make of it is told in ``if_missing``
        people |= {"value": alone["point"], "least": None, "most": None}
    return {
        "panel": _readable([case.panel for case in cases], scale),
        "people": people,
        "corrected": headline if fair else None,
        "rates": every if fair else [],
        "if_missing": _if_missing(column, unknown, apart, **near) if fair else None,
    }
