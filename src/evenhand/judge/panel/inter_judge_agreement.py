"""How far the judges of a panel agree, with each other and with people: no proof that they are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from evenhand.labelling.desk.agreement_text import coefficient_json, kappa_json, rounded, share_json
from evenhand.stats.agreement.gwet import fleiss_kappa, gwet_ac1
from evenhand.stats.agreement.krippendorff import krippendorff_alpha
from evenhand.stats.agreement.raters import RESAMPLES, SEED
from evenhand.stats.agreement.raw_agreement import cohen_kappa, no_skill_agreement, panel, raw_agreement

if TYPE_CHECKING:
    from evenhand.judge.panel.majority import Decision
    from evenhand.judge.panel.prompt_spec import Brief

__all__ = ["cohesion"]


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
    rows = [one.grades(names) for one in made]
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
