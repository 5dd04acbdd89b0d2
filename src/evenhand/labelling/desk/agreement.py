"""Agreement of people with each other and with themselves: raw, kappa, alpha and AC1, by question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.labelling.desk.agreement_text import (
    coefficient_json,
    icc_json,
    kappa_json,
    numbers_words,
    share_json,
)
from evenhand.model.label import Label
from evenhand.model.seal import seal
from evenhand.stats.agreement.gwet import gwet_ac1
from evenhand.stats.agreement.krippendorff import krippendorff_alpha
from evenhand.stats.agreement.raters import RESAMPLES, SEED
from evenhand.stats.agreement.raw_agreement import cohen_kappa, no_skill_agreement, panel, raw_agreement

if TYPE_CHECKING:
    from evenhand.labelling.desk.labels import Results

__all__ = ["agreement", "agreement_of", "latest"]

QUARTERS = 4
LEAST = 16  # items of a pair, from which agreement is followed over time
CANNOT = "cannot-tell"


def latest(labels: Iterable[Label]) -> tuple[list[Label], int, int]:
    """One label a judge, source and item: the last; and how many said the same again, or were revised.

    A double click is one label. Order is that of the first of each; "last" goes by time, then by place.
    """
    found: dict[tuple[str, str, str], Label] = {}
    said: dict[tuple[str, str, str], str] = {}  # when it was last said
    again = revised = 0
    for label in labels:
        key = (label.judge, label.by, label.item)
        old = found.get(key)
        if old is not None:
            same = (old.answer, old.mode, old.reason) == (label.answer, label.mode, label.reason)
            again, revised = again + same, revised + (not same)
            if label.at < said[key]:
                continue
            said[key] = label.at
            if same:
                continue
        found[key], said[key] = label, label.at
    return list(found.values()), again, revised


def agreement_of(
    results: Results,
    *,
    types: Mapping[str, str] | None = None,
    clusters: Mapping[str, str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """`agreement` of what stands in a pool, rulings left out, with the hidden repeats of each judge."""
    first = {(a.judge, a.item.id): a for a in results.main}
    repeats = [
        (first[a.judge, a.item.id].label(), a.label())
        for a in results.answers
        if a.task == "repeat" and (a.judge, a.item.id) in first
    ]
    return agreement(
        [answer.label() for answer in results.main],
        repeats=repeats,
        types=types,
        clusters=clusters,
        pool=results.pool.seal,
        name=results.pool.name,
        **options,
    )


def agreement(
    labels: Sequence[Label],
    *,
    repeats: Sequence[tuple[Label, Label]] = (),
    types: Mapping[str, str] | None = None,
    clusters: Mapping[str, str] | None = None,
    pool: str = "",
    name: str = "",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    """Agreement on what people labelled without knowing of each other, as plain JSON.

    "Cannot tell" is an answer like any other in raw agreement, kappa and AC1, and no place on the scale,
    so that weighted kappa and alpha leave it out. Skips, rulings and labels of a panel are left out and
    counted. Items of one question (or of one of *clusters*, by question id) are resampled together.
    *types*: type by question id, for the breakdown; *repeats*: (first, again) of one judge. ``labels`` in
    the result is a seal over what was compared: two agreements with one seal are about the same labels.
    """
    human, again, revised = latest(label for label in labels if label.by == "human")
    given = [label for label in human if label.kind != "skip"]
    belongs = {label.question: (clusters or {}).get(label.question, label.question) for label in labels}
    belongs |= {one.question: (clusters or {}).get(one.question, one.question) for one, _ in repeats}
    options = {"level": level, "resamples": resamples, "seed": seed}
    scale = sorted({label.grade for label in given if label.grade is not None})
    by_judge: dict[str, dict[str, Label]] = {}
    for label in given:
        by_judge.setdefault(label.judge, {})[label.item] = label
    judges = sorted(by_judge)
    made = {
        "schema": "evenhand.agreement/1",
        "pool": pool,
        "name": name,
        "judges": judges,
        "labels": seal(sorted([label.item, label.judge, str(label.answer)] for label in given)),
        "items": len({label.item for label in given}),
        "skipped": len(human) - len(given),
        "repeated": again,
        "revised": revised,
        "not_human": sum(label.by != "human" for label in labels),
        "scale": scale,
        **options,
        "all": _all(by_judge, judges, belongs, scale, options),
        "pairs": [
            _pair(
                by_judge[a],
                by_judge[b],
                (a, b),
                belongs=belongs,
                types=types or {},
                scale=scale,
                options=options,
            )
            for a, b in combinations(judges, 2)
            if by_judge[a].keys() & by_judge[b].keys()
        ],
        "within": [
            {
                "judge": judge,
                **_numbers([pair for pair in repeats if pair[0].judge == judge], belongs, scale, options),
            }
            for judge in sorted({one.judge for one, _ in repeats})
        ],
    }
    made["sentences"] = numbers_words(made)
    return made


def _word(label: Label) -> str | None:
    return CANNOT if label.kind == CANNOT else None if label.grade is None else f"{label.grade:g}"


def _numbers(
    pairs: Sequence[tuple[Label, Label]],
    belongs: Mapping[str, str],
    scale: Sequence[float],
    options: Mapping[str, Any],
    *,
    full: bool = True,
) -> dict[str, Any]:
    """Raw agreement, kappa, AC1 of two answers an item; with *full* weighted kappa, cross table and ICC."""
    pairs = [pair for pair in pairs if all(label.kind != "skip" for label in pair)]
    first, second = [_word(one) for one, _ in pairs], [_word(other) for _, other in pairs]
    of = [belongs[one.question] for one, _ in pairs]
    cluster: list[str] | None = of
    apart = len(set(of))
    if apart == len(pairs):
        cluster = None  # each item has a cluster of its own: independent
    scales = [f"{grade:g}" for grade in scale]
    if CANNOT in (*first, *second):
        scales = [*scales, CANNOT]
    more: dict[str, Any] = {"clusters": cluster, **options}
    raw = raw_agreement(first, second, **more)
    made: dict[str, Any] = {
        "n": len(pairs),
        "questions": len({one.question for one, _ in pairs}),
        "clusters": apart,
        "raw": share_json(raw),
        "no_skill": share_json(no_skill_agreement(first, **more)),
        "kappa": kappa_json(cohen_kappa(first, second, categories=scales or None, **more)),
        "ac1": coefficient_json(
            gwet_ac1(list(zip(first, second, strict=True)), categories=scales or None, **more)
        ),
    }
    if full:
        made["icc"] = icc_json([float(x == y) for x, y in zip(first, second, strict=True)], of)
        if len(scale) > 2:
            ranked = [(one.grade, other.grade) for one, other in pairs]
            weighted = cohen_kappa(
                [one for one, _ in ranked],
                [other for _, other in ranked],
                weights="linear",
                categories=list(scale),
                **more,
            )
            made["kappa_linear"] = kappa_json(weighted)
        made["table"] = [
            [a, b, n]
            for a in scales
            for b in scales
            if (n := sum((x, y) == (a, b) for x, y in zip(first, second, strict=True)))
        ]
    return made


def _pair(
    one: Mapping[str, Label],
    other: Mapping[str, Label],
    names: tuple[str, str],
    *,
    belongs: Mapping[str, str],
    types: Mapping[str, str],
    scale: Sequence[float],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    both = [(one[item], other[item]) for item in sorted(one.keys() & other.keys())]
    kinds = sorted({types.get(a.question, "") for a, _ in both})
    made: dict[str, Any] = {"judges": list(names), **_numbers(both, belongs, scale, options)}
    made["by_type"] = [
        {
            "type": kind,
            **_numbers(
                [pair for pair in both if types.get(pair[0].question, "") == kind],
                belongs,
                scale,
                options,
                full=False,
            ),
        }
        for kind in kinds
        if kinds != [""]
    ]
    # in the order in which the second of the two answers came
    timed = sorted((p for p in both if p[0].at and p[1].at), key=lambda p: (max(p[0].at, p[1].at), p[0].item))
    cut = [round(i * len(timed) / QUARTERS) for i in range(QUARTERS + 1)]
    made["over_time"] = [
        {
            "quarter": i + 1,
            "from": max(timed[cut[i]][0].at, timed[cut[i]][1].at),
            **_numbers(timed[cut[i] : cut[i + 1]], belongs, scale, options, full=False),
        }
        for i in range(QUARTERS)
        if len(timed) >= LEAST
    ]
    return made


def _all(
    by_judge: Mapping[str, Mapping[str, Label]],
    judges: Sequence[str],
    belongs: Mapping[str, str],
    scale: Sequence[float],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Over all judges: mean pairwise agreement, Krippendorff's alpha (ordinal), AC1."""
    shared: dict[str, str] = {}
    for judge in judges:
        shared |= {item: belongs[label.question] for item, label in by_judge[judge].items()}
    items = sorted(shared)
    rows = [[by_judge[judge].get(item) for judge in judges] for item in items]
    twice = [i for i, row in enumerate(rows) if sum(label is not None for label in row) >= 2]
    if len(judges) < 2 or not twice:
        return {"n": 0, "reason": "no item has two labels"}
    rows = [rows[i] for i in twice]
    more = {"clusters": [shared[items[i]] for i in twice], **options}
    words = [[None if label is None else _word(label) for label in row] for row in rows]
    grades = [[None if label is None else label.grade for label in row] for row in rows]
    known = [f"{grade:g}" for grade in scale]
    known += [CANNOT] if any(CANNOT in row for row in words) else []
    panelled = panel(words, **more)
    try:
        alpha = coefficient_json(krippendorff_alpha(grades, scale="ordinal", categories=scale, **more))
    except InputError as error:
        alpha = {"value": None, "reason": error.what}
    return {
        "n": len(rows),
        "pairwise": share_json(panelled.pairwise),
        "unanimous": share_json(panelled.unanimity) if len(judges) > 2 else None,
        "alpha": alpha,
        "ac1": coefficient_json(gwet_ac1(words, categories=known, **more)),
    }
