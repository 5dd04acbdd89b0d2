"""How far the judges of a panel agree, with each other and with people: no proof that they are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from evenhand.judge.results import grade_of
from evenhand.judge.told import coefficient_json, kappa_json, number_words, rounded, share_json
from evenhand.stats.agreement import cohen_kappa, no_skill_agreement, panel, raw_agreement
from evenhand.stats.gwet import fleiss_kappa, gwet_ac1
from evenhand.stats.krippendorff import krippendorff_alpha
from evenhand.stats.raters import RESAMPLES, SEED

if TYPE_CHECKING:
    from evenhand.judge.brief import Brief
    from evenhand.judge.panel import Decision
    from evenhand.model.label import Label

__all__ = ["against_people", "cohesion", "cohesion_words", "grades_of_people"]


def cohesion(
    made: Sequence[Decision],
    brief: Brief,
    *,
    judges: Sequence[str],
    clusters: Mapping[str, str] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    """Unanimity, pairwise agreement, Fleiss' kappa, Krippendorff's alpha and AC1, as plain JSON.

    Items of one question (or of one of *clusters*, by question id) are resampled together. Alpha is ordinal
    for grades, else nominal. A pair is compared on the items that both graded. ``no_skill`` is what a judge
    reaches who gives the panel's commonest decision throughout: agreement near it says nothing.
    """
    names, scale = list(judges), [level_.grade for level_ in brief.sheet.levels]
    rows = [_row(one, names) for one in made]
    groups = [(clusters or {}).get(one.question, one.question) for one in made]
    more: dict[str, Any] = {
        "clusters": groups if len(set(groups)) < len(groups) else None,
        "level": level,
        "resamples": resamples,
        "seed": seed,
    }
    found: dict[str, Any] = {
        "judges": names,
        "items": len(made),
        "questions": len({one.question for one in made}),
        "clusters": len(set(groups)),
        "split": sum(one.status == "split" for one in made),
        "undecided": sum(one.status == "undecided" for one in made),
        "level": level,
        "resamples": resamples,
        "seed": seed,
        "no_skill": share_json(no_skill_agreement([one.grade for one in made], **more)),
    }
    if len(names) < 2 or not rows:
        return found | {"reason": "one judge has nobody to agree with" if rows else "no items"}
    whole = panel(rows, **more)
    kind: Literal["ordinal", "nominal"] = "ordinal" if brief.decide == "median" else "nominal"
    return found | {
        "unanimity": share_json(whole.unanimity),
        "pairwise": share_json(whole.pairwise),
        "pooled_pairwise": rounded(whole.pooled_pairwise),
        "fleiss": coefficient_json(fleiss_kappa(rows, **more)),
        "alpha": {
            "scale": kind,
            **coefficient_json(krippendorff_alpha(rows, scale=kind, categories=scale, **more)),
        },
        "ac1": coefficient_json(gwet_ac1(rows, categories=scale, **more)),
        "pairs": [
            _pair((names[i], names[j]), [row[i] for row in rows], [row[j] for row in rows], scale, more)
            for i, j in combinations(range(len(names)), 2)
        ],
    }


def _row(one: Decision, names: Sequence[str]) -> list[float | None]:
    given = {vote.judge: vote.grade for vote in one.votes}
    return [given.get(name) for name in names]


def _pair(
    judges: tuple[str, str],
    a: Sequence[float | None],
    b: Sequence[float | None],
    scale: Sequence[float],
    more: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "judges": list(judges),
        "n": sum(x is not None and y is not None for x, y in zip(a, b, strict=True)),
        "agreement": share_json(raw_agreement(a, b, **more)),
        "kappa": kappa_json(cohen_kappa(a, b, categories=scale, **more)),
    }


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

    rows = [_row(one, judges) for one in both]
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


def cohesion_words(found: Mapping[str, Any], people: Mapping[str, Any] | None = None) -> list[str]:
    """Sentences on the cohesion of a panel, and on its best judge where people labelled."""
    said = []
    if "unanimity" in found:
        said.append(
            f"all judges say the same on {number_words(found['unanimity'], share=True)} of the "
            f"{found['unanimity']['n']} items that all graded; two of them agree on "
            f"{number_words(found['pairwise'], share=True)}, and one who always gave the commonest decision "
            f"would be right about {number_words(found['no_skill'], share=True)} of decisions"
        )
        said.append(
            f"Fleiss' kappa {number_words(found['fleiss'])}, alpha ({found['alpha']['scale']}) "
            f"{number_words(found['alpha'])}, AC1 {number_words(found['ac1'])}: agreement among models is no "
            "proof that they are right"
        )
    if people is None:
        said.append("no person has graded any of these items: how far people would agree is unknown")
        return said
    best = next((one for one in people["judges"] if one["judge"] == people["best"]), None)
    told = (
        f"; the best single judge, {best['judge']}, with {number_words(best['agreement'], share=True)}"
        if best is not None
        else ""
    )
    said.append(
        f"people and panel agree on {number_words(people['panel']['agreement'], share=True)} of "
        f"{people['panel']['agreement']['n']} items{told}; always the people's commonest grade would be "
        f"{number_words(people['no_skill'], share=True)}"
    )
    return said
