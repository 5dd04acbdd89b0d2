"""A panel and each of its judges beside people, on the items that people graded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.labelling.desk.agreement_text import kappa_json, share_json
from evenhand.labelling.desk.labels import grade_of
from evenhand.stats.agreement.raters import RESAMPLES, SEED
from evenhand.stats.agreement.raw_agreement import cohen_kappa, no_skill_agreement, raw_agreement

if TYPE_CHECKING:
    from evenhand.judge.panel.majority import Decision
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.model.label import Label

__all__ = ["against_people", "best_of", "grades_of_people", "on_sheet", "sheets_apart"]


def grades_of_people(labels: Sequence[Label], brief: Brief) -> dict[str, float]:
    """By item: what people say under the panel's sheet (a ruling before their lower median).

    Of what one person said of an item the last counts. Labels under the sheet beside count for yes and no as
    well, its highest level being enough alone, unless somebody has answered under the panel's own sheet, were
    it that they cannot tell.
    """
    own, beside = sheets_apart(labels, brief)
    scale = {one.grade for one in brief.sheet.levels}
    found: dict[str, float] = {}
    for item in dict.fromkeys([*own, *beside]):
        stands = grade_of(own.get(item, []))
        if brief.beside is not None and all(label.kind == "skip" for label in own.get(item, [])):
            other = grade_of(beside.get(item, []))
            top = brief.beside.levels[-1].grade
            stands = None if other is None else (float(other[0] == top), other[1])
        if stands is not None and stands[0] in scale:
            found[item] = stands[0]
    return found


def on_sheet(labels: Iterable[Label], brief: Brief) -> list[Label]:
    """People's labels on the panel's own scale, by whom they are: those of another sheet are left out.

    Where nobody graded an item under the panel's sheet, those under the one beside it stand, its highest
    level as yes.
    """
    own, beside = sheets_apart(labels, brief)
    top = brief.beside.levels[-1].grade if brief.beside is not None else None
    made = []
    for item in dict.fromkeys([*own, *beside]):
        if any(label.kind != "skip" for label in own.get(item, ())) or item not in beside:
            made += own[item]
        else:
            made += [
                one if one.grade is None else replace(one, grade=float(one.grade == top))
                for one in beside[item]
            ]
    return made


def sheets_apart(
    labels: Iterable[Label], brief: Brief
) -> tuple[dict[str, list[Label]], dict[str, list[Label]]]:
    """People's labels by item: under the panel's sheet (or none), and under the one beside it."""
    own: dict[str, list[Label]] = {}
    beside: dict[str, list[Label]] = {}
    for label in labels:
        if label.by == "panel":
            continue
        if label.sheet in ("", brief.sheet.seal):
            own.setdefault(label.item, []).append(label)
        elif brief.beside is not None and label.sheet == brief.beside.seal:
            beside.setdefault(label.item, []).append(label)
    return own, beside


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
    apart = len(set(groups)) < len(groups)
    return {
        "items": len(both),
        "questions": len({one.question for one in both}),
        "clusters": len(set(groups)),
        "no_skill": share_json(no_skill_agreement(truth, clusters=groups if apart else None, **more)),
        "panel": held(decisions),
        "judges": singles,
        "best": best_of([(one["judge"], one["agreement"]["value"]) for one in singles]),
        "given_unanimous": held(decisions, [one.status == "unanimous" for one in both]),
        "given_split": held(decisions, [one.status == "split" for one in both]),
        "undecided": sum(one.grade is None for one in both),
    }


def best_of(judges: Iterable[tuple[str, float | None]]) -> str | None:
    """The judge of the highest agreement; of several that are level the first in the study's order."""
    able = [(name, value) for name, value in judges if value is not None]
    return max(able, key=lambda one: one[1])[0] if able else None
