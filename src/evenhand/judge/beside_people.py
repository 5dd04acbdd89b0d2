"""A panel and each of its judges beside people, on the items that people graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.judge.results import grade_of
from evenhand.judge.told import kappa_json, share_json
from evenhand.stats.agreement import cohen_kappa, no_skill_agreement, raw_agreement
from evenhand.stats.raters import RESAMPLES, SEED

if TYPE_CHECKING:
    from evenhand.judge.brief import Brief
    from evenhand.judge.panel import Decision
    from evenhand.model.label import Label

__all__ = ["against_people", "grades_of_people"]


def grades_of_people(labels: Sequence[Label], brief: Brief) -> dict[str, float]:
    """By item: what people say under the panel's sheet (a ruling before their lower median).

    Labels under the sheet beside count for yes and no as well: its highest level is enough alone.
    """
    by_item: dict[str, list[Label]] = {}
    for label in labels:
        if label.by != "panel":
            by_item.setdefault(label.item, []).append(label)
    found: dict[str, float] = {}
    for item, of_one in by_item.items():
        stands = grade_of([label for label in of_one if label.sheet in ("", brief.sheet.seal)])
        if stands is None and brief.beside is not None:
            beside = grade_of([label for label in of_one if label.sheet == brief.beside.seal])
            top = brief.beside.levels[-1].grade
            stands = None if beside is None else (float(beside[0] == top), beside[1])
        if stands is not None and stands[0] in {one.grade for one in brief.sheet.levels}:
            found[item] = stands[0]
    return found


def against_people(
    made: Sequence[Decision],
    people: Mapping[str, float],
    brief: Brief,
    *,
    judges: Sequence[str],
    clusters: Mapping[str, str] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any] | None:
    """The panel and each judge beside people on the items people graded; None where there are none.

    ``best`` is the judge that agrees most often: a majority is not better by itself. ``no_skill`` is what
    one reaches who gives the people's commonest grade throughout. Decisions are also told apart by
    unanimous and split.
    """
    both = [one for one in made if one.item in people]
    if not both:
        return None
    groups = [(clusters or {}).get(one.question, one.question) for one in both]
    more: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    truth = [people[one.item] for one in both]
    scale = [level_.grade for level_ in brief.sheet.levels]

    def held(grades: Sequence[float | None], among: Sequence[bool] | None = None) -> dict[str, Any]:
        kept = [i for i in range(len(both)) if among is None or among[i]]
        a, b = [grades[i] for i in kept], [truth[i] for i in kept]
        of = [groups[i] for i in kept]
        options = {**more, "clusters": of if len(set(of)) < len(of) else None}
        return {
            "agreement": share_json(raw_agreement(a, b, **options)),
            "kappa": kappa_json(cohen_kappa(a, b, categories=scale, **options)),
        }

    rows = [one.grades(judges) for one in both]
    decisions = [one.grade for one in both]
    singles = [{"judge": name, **held([row[j] for row in rows])} for j, name in enumerate(judges)]
    able = [one for one in singles if one["agreement"]["value"] is not None]
    apart = len(set(groups)) < len(groups)
    return {
        "items": len(both),
        "questions": len({one.question for one in both}),
        "no_skill": share_json(no_skill_agreement(truth, clusters=groups if apart else None, **more)),
        "panel": held(decisions),
        "judges": singles,
        "best": max(able, key=lambda one: one["agreement"]["value"])["judge"] if able else None,
        "given_unanimous": held(decisions, [one.status == "unanimous" for one in both]),
        "given_split": held(decisions, [one.status == "split" for one in both]),
        "undecided": sum(one.grade is None for one in both),
    }
