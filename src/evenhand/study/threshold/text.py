"""A threshold study in words: what its numbers say, what it does not claim, what is warned of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.report.output.number_format import interval, number
from evenhand.study.threshold.headline import headline_words
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.model.plan.sections import ThresholdPlan
    from evenhand.model.plan.study import Plan
    from evenhand.study.threshold.arms import Arm

__all__ = ["BY_EYE", "not_claimed", "sentences", "warnings"]

BY_EYE = "Groups are compared by whether their intervals overlap, never by p-values: they are too small."


def sentences(made: Mapping[str, Any], row: Mapping[str, Any], area: Mapping[str, Any]) -> list[str]:
    """The headline, the corpus, what the values let through, the area, the groups."""
    return [
        *headline_words(made["headline"], row),
        made["corpus"]["sentence"],
        *_relaxed(made),
        *_through(made),
        _area(area),
        *_groups(made["overlaps"]),
    ]


def _relaxed(made: Mapping[str, Any]) -> Iterator[str]:
    found = made["relaxation"]
    if found is None:
        return
    added = ", ".join(f"{one:g}" for one in found["added"])
    parts = [f"values added: {added}"] if added else []
    if found["moved"] is not None:
        parts.append(f"primary moved from {made['planned_primary']:g} to {found['moved']:g}")
    yield (
        f"The grid was relaxed ({'; '.join(parts)}), because {found['reason'].rstrip('.')}. Every planned "
        "value is kept in every table."
    )


def _through(made: Mapping[str, Any]) -> Iterator[str]:
    main = next(arm for arm in made["arms"] if arm["main"])
    if main["top1"] is None:
        yield "Nothing was retrieved."
        return
    told = [
        f"{one['questions']:,} of {many(main['questions'], 'question')} retrieve "
        f"anything at {one['threshold']:g}"
        for one in main["reached"]
        if one["threshold"] in {made["primary"], made["planned_primary"]}
    ]
    yield (
        f"The best similarity of a question has the median {number(main['top1'][3])} and at most "
        f"{number(main['top1'][-1])}; {'; '.join(told)}."
    )


def _area(area: Mapping[str, Any]) -> str:
    if area["auc"] is None:
        return (
            f"Similarity against sufficiency: not defined, since {area['reason']}. No threshold can be "
            "recommended from one class."
        )
    near = area["by_source"]
    told = f"Similarity against sufficiency within what passes: AUC {number(area['auc'])}"
    if near["low"] is None:
        return f"{told}; no interval ({near['reason']})."
    beside = interval(area["delong"]["low"], area["delong"]["high"])
    told += f" {interval(near['low'], near['high'])}, sources resampled (DeLong: {beside or 'none'})"
    if area["says"]:
        side = "more" if area["auc"] > 0.5 else "less"
        return f"{told}: among passed units a higher similarity means {side} often an answer."
    return f"{told}: that the similarity says anything among passed units is not shown."


def _groups(found: Sequence[Mapping[str, Any]]) -> list[str]:
    if not found:
        return []
    apart = [one for one in found if not one["overlap"]]
    names = "; ".join(f"{one['a']} and {one['b']}{' (sparse)' if one['sparse'] else ''}" for one in apart[:6])
    more = f" and {len(apart) - 6} more" if len(apart) > 6 else ""
    told = (
        f"Of {len(found)} {noun(len(found), 'pair')} of roles or of types the intervals of {len(apart)} do "
        "not overlap: "
        f"{names}{more}."
        if apart
        else f"Of {len(found)} {noun(len(found), 'pair')} of roles or of types the intervals of all overlap."
    )
    return [told, BY_EYE]


def not_claimed(asked: ThresholdPlan, plan: Plan, arms: Sequence[Arm]) -> list[str]:
    """What the study says nothing about, by its plan."""
    system = next(one for one in plan.systems if one.name == asked.system)
    embedder = system.settings.get("embedder", "minilm") if system.what == "dense" else system.what
    told = [
        "the quality of the ranking: only whether what passes can answer",
        "anything about answers generated from the units, or about rerankers",
        f"other embedders than {embedder}: where the bands fall belongs to the model",
        "a random sample of documents: chosen documents bring the rate nearer to an upper bound",
    ]
    if asked.scope == "source":
        told.append("that the right document would be found: each question looks in its source alone")
    if asked.sufficiency == "panel":
        told.append("that panel or people are right: sufficiency is a judgement on which both differ")
    parts = [f"{arm.name} ({arm.called or ', '.join(arm.documents)})" for arm in arms if arm.parted]
    if parts:
        told.append(f"that a part of the corpus stands for all of it: {'; '.join(parts)}")
    return told


def warnings(made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What silently biases a rate, each with its count."""
    found: list[tuple[str, int, str]] = []
    for arm in made["arms"]:
        if arm["not_asked"] and arm["main"]:
            why = "have no source document in the corpus" if made["scope"] == "source" else "are left out"
            found.append(("not asked", arm["not_asked"], f"questions {why}, and are not asked"))
    main = next(arm["name"] for arm in made["arms"] if arm["main"])
    thin = sum(bool(row["sparse"]) for row in made["rates"] if row["arm"] == main and row["by"] == "all")
    if thin:
        found.append(("sparse", thin, "values of the grid have too little to lean on; they are marked"))
    lost = next(row["undecided"] for row in made["rates"] if row["arm"] == main and row["by"] == "all")
    if lost:
        found.append(
            ("without a verdict", lost, "pairs have no verdict: rates are of the others, bounds of all")
        )
    if made["types"]["untyped"]:
        found.append(("untyped", made["types"]["untyped"], "questions have no type"))
    if made["types"]["unlisted"]:
        names = ", ".join(made["types"]["unlisted"])
        found.append(("types", len(made["types"]["unlisted"]), f"types are not in the plan's list: {names}"))
    for name, two in made["corpus"]["roles_unlike"].items():
        text = f"documents of role {name}, and {two['planned']} were planned"
        found.append(("roles", two["found"], text))
    return [{"kind": f"threshold: {kind}", "count": n, "text": text} for kind, n, text in found]
