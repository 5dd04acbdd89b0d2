"""The parts of a calibration: panel against people, people against people, the panel in itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evenhand.judge.calibration.columns import bare_words
from evenhand.labelling.desk.agreement_text import (
    coefficient_json,
    few_words,
    interval_json,
    kappa_json,
    rounded,
    share_json,
    through_agreement,
)
from evenhand.stats.agreement.gwet import fleiss_kappa, gwet_ac1
from evenhand.stats.agreement.judge_accuracy import Judged, judge_against_human
from evenhand.stats.agreement.judge_accuracy_weighted import (
    chance_agreement,
    effective_share,
    weighted_judge_against_human,
)
from evenhand.stats.agreement.krippendorff import krippendorff_alpha
from evenhand.stats.agreement.raw_agreement import cohen_kappa, panel, share_of
from evenhand.stats.intervals.clusters import Direction, direction_by_cluster
from evenhand.stats.intervals.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenhand.model.label import Label
    from evenhand.model.plan.calibration_sample import Case

__all__ = [
    "against",
    "between_people",
    "by_stratum",
    "direction_json",
    "of_panel",
    "panel_interval",
    "singles",
    "weighed",
]

BOUNDS = ("low", "high", "method", "flags", "clusters")
Value = Callable[[float], float]


def against(
    said: Sequence[int],
    truth: Sequence[int],
    clusters: Sequence[str],
    chance: Sequence[float] | None,
    options: Mapping[str, Any],
) -> tuple[Judged, dict[str, Any]]:
    """The panel's yes and no against people's: the numbers, and as JSON with both kinds of interval.

    Each has its interval for items that were drawn one by one (``low``, ``high``), and ``by_question`` the
    one that resamples questions, where some have several items. *chance*: of each item, where not all were
    the same; the numbers are then weighted to the whole population.
    """

    def look(groups: Sequence[str] | None) -> Judged:
        if chance is None:
            return judge_against_human(said, truth, clusters=groups, **options)
        return weighted_judge_against_human(said, truth, chance, clusters=groups, **options)

    alone = look(None)
    grouped = look(clusters) if len(set(clusters)) < len(clusters) else None
    pick: dict[str, Callable[[Judged], Any]] = {
        "agreement": lambda one: share_json(one.agreement),
        "no_skill": lambda one: share_json(one.no_skill),
        "kappa": lambda one: over_chance_json(one, kappa_json(one.kappa), of="kappa"),
        "ac1": lambda one: over_chance_json(one, coefficient_json(one.ac1), of="ac1"),
        "positive": lambda one: coefficient_json(one.sides.positive),
        "negative": lambda one: coefficient_json(one.sides.negative),
        "sensitivity": lambda one: share_json(one.sensitivity),
        "specificity": lambda one: share_json(one.specificity),
        "precision": lambda one: share_json(one.precision),
        "sample_panel_rate": lambda one: share_json(one.judge_rate),
        "sample_human_rate": lambda one: share_json(one.human_rate),
    }
    made: dict[str, Any] = {}
    for name, of in pick.items():
        row = of(alone)
        made[name] = {**row, "by_question": None}
        if grouped is not None:
            other = of(grouped)
            made[name]["by_question"] = {key: other[key] for key in (*BOUNDS, "no_interval") if key in other}
    return alone, made


def over_chance_json(one: Judged, made: dict[str, Any], *, of: Literal["kappa", "ac1"]) -> dict[str, Any]:
    """Kappa or AC1 as plain JSON; where nobody disagreed, with the bound that the raw agreement has."""
    judge, human = one.judge_rate.value, one.human_rate.value
    chance = None if judge is None or human is None else chance_agreement(judge, human, of=of)
    return through_agreement(made, share_json(one.agreement), chance)


def direction_json(
    said: Sequence[int], truth: Sequence[int], of: Sequence[tuple[str, str]], found: Direction, seed: int
) -> dict[str, Any]:
    """On which side they differ, tested over items and over clusters. *of*: question and cluster by item."""
    clusters = [cluster for _, cluster in of]
    made: dict[str, Any] = {
        "lenient": found.lenient,
        "strict": found.strict,
        "n": found.n,
        "net": rounded(found.net),
        "bias": rounded(found.bias),
        "p": rounded(found.p),
        "p_by_cluster": None,
        "questions": len({question for question, _ in of}),
        "clusters": len(set(clusters)),
        **({"reason": found.reason} if found.reason else {}),
    }
    if 1 < len(set(clusters)) < len(clusters):
        names = {name: i for i, name in enumerate(dict.fromkeys(clusters))}
        sides = np.zeros((len(names), 2))
        for a, b, name in zip(said, truth, clusters, strict=True):
            sides[names[name]] += (a > b, b > a)
        made["p_by_cluster"] = rounded(direction_by_cluster(sides[:, 0], sides[:, 1], seed=seed).p)
    return made


def by_stratum(
    cases: Sequence[Case], strata: Sequence[str], drawn: Sequence[bool], value: Value, *, level: float
) -> list[dict[str, Any]]:
    """For each stratum: items, labels, agreement, and the rates of panel and people in it."""
    made = []
    for name in dict.fromkeys(sorted(strata, key=_rank)):
        here = [i for i, stratum in enumerate(strata) if stratum == name]
        both = [
            (value(cases[i].panel or 0.0), value(cases[i].human or 0.0))
            for i in here
            if drawn[i] and cases[i].panel is not None and cases[i].human is not None
        ]
        human = [value(cases[i].human or 0.0) for i in here if drawn[i] and cases[i].human is not None]
        decided = [value(cases[i].panel or 0.0) for i in here if cases[i].panel is not None]
        k = sum(a == b for a, b in both)
        made.append(
            {
                "stratum": name,
                "items": len(here),
                "labelled": len(human),
                "agreement": {
                    "value": rounded(k / len(both)) if both else None,
                    **interval_json(wilson(k, len(both), level=level)),
                    "n": len(both),
                },
                "panel_rate": rounded(sum(decided) / len(decided)) if decided else None,
                "human_rate": {
                    "value": rounded(sum(human) / len(human)) if human else None,
                    **interval_json(wilson(sum(human), len(human), level=level)),
                    "n": len(human),
                },
            }
        )
    return made


def _rank(name: str) -> tuple[int, str]:
    order = ("unanimous", "split", "undecided")
    first = name.partition("+")[0]
    return (order.index(first) if first in order else len(order), name)


def weighed(
    hits: Sequence[bool], chances: Sequence[float] | None, *, bare: Sequence[str] = (), level: float
) -> dict[str, Any]:
    """A share of labelled items as plain JSON: by Wilson, or weighted by the *chances* of a label.

    None where strata have no label at all (*bare*): what is known of the others is not known of the whole.
    """
    if bare:
        return {"value": None, **interval_json(wilson(0, 0, level=level)), "reason": bare_words(bare)}
    if chances is not None:
        found = effective_share([float(hit) for hit in hits], chances, level=level)
        return {"value": rounded(found.value), **interval_json(found.interval)}
    k, n = sum(hits), len(hits)
    return {"value": rounded(k / n) if n else None, **interval_json(wilson(k, n, level=level))}


def singles(
    cases: Sequence[Case],
    drawn: Sequence[bool],
    judges: Sequence[str],
    value: Value,
    *,
    chances: Sequence[float] | None = None,
    bare: Sequence[str] = (),
    level: float,
) -> list[dict[str, Any]]:
    """Each judge of the panel alone against people, on the drawn items that both labelled.

    *chances*: of a label, of each case, where not all had the same: the shares are then weighted to the whole
    population, as the panel's are; *bare*: strata without a label, of which nothing is known.
    """
    made = []
    for j, name in enumerate(judges):
        both = [
            (value(vote), value(case.human), i)
            for i, (case, chosen) in enumerate(zip(cases, drawn, strict=True))
            if chosen
            and case.human is not None
            and len(case.votes) > j
            and (vote := case.votes[j]) is not None
        ]
        own = None if chances is None else [chances[i] for _, _, i in both]
        alike = weighed([a == b for a, b, _ in both], own, bare=bare, level=level)
        rate = weighed([a == 1 for a, _, _ in both], own, bare=bare, level=level)
        made.append(
            {"judge": name, "agreement": alike.pop("value"), **alike, "n": len(both), "rate": rate["value"]}
        )
    return made


def between_people(
    labels: Iterable[Label], items: Mapping[str, str], cut: float, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What two people agree on, yes or no: no judge can be asked for more. Unknown with one person.

    All pairs of people on the items that both graded, on the judged *items*: the cluster of each. Rulings
    are left out.
    """
    from evenhand.labelling.desk.agreement import latest

    by_item: dict[str, dict[str, Label]] = {}
    for label in latest(label for label in labels if label.by == "human")[0]:
        if label.grade is not None and label.item in items:
            by_item.setdefault(label.item, {})[label.judge] = label
    names = sorted({name for of_one in by_item.values() for name in of_one})
    twice = {item: of_one for item, of_one in by_item.items() if len(of_one) > 1}
    if not twice:
        return {
            "people": len(names),
            "n": 0,
            "agreement": None,
            "kappa": None,
            "reason": "no item was labelled by two people: how far people agree with each other is unknown",
        }
    rows = [
        [float(of[name].grade or 0.0) >= cut if name in of else None for name in names]
        for of in twice.values()
    ]
    clusters = [items[item] for item in twice]
    pairwise = panel(rows, clusters=clusters, **options).pairwise
    made: dict[str, Any] = {
        "people": len(names),
        "n": len(twice),
        "agreement": share_json(pairwise),
        "alpha": coefficient_json(krippendorff_alpha(rows, clusters=clusters, **options)),
        "kappa": None,
    }
    if len(names) == 2:
        first, second = [row[0] for row in rows], [row[1] for row in rows]
        made["kappa"] = kappa_json(cohen_kappa(first, second, clusters=clusters, **options))
    return made


def panel_interval(cases: Sequence[Case], value: Value, options: Mapping[str, Any]) -> dict[str, Any]:
    """The interval of the rate among the items that the panel decided; items of one cluster go together."""
    decided = [(value(case.panel), case.cluster) for case in cases if case.panel is not None]
    clusters = [cluster for _, cluster in decided]
    found = share_of(
        np.array([rate > 0 for rate, _ in decided], dtype=bool),
        clusters=clusters if len(set(clusters)) < len(clusters) else None,
        **options,
    )
    made = share_json(found)
    return {key: made[key] for key in (*BOUNDS, "no_interval") if key in made}


def of_panel(cases: Sequence[Case], value: Value, options: Mapping[str, Any]) -> dict[str, Any]:
    """The panel in itself: how complete, how unanimous, how often two of it agree, beyond chance too.

    ``few`` says so in words where these are over few clusters.

    Complete is a vote that holds a verdict, or says that it cannot tell: only failed calls are missing.
    """
    level = options["level"]
    votes = [[None if vote is None else value(vote) for vote in case.votes] for case in cases]
    asked = sum(map(len, votes))
    abstained = sum(case.abstained for case in cases)
    valid = sum(vote is not None for row in votes for vote in row) + abstained
    undecided = sum(case.panel is None for case in cases)
    made: dict[str, Any] = {
        "completeness": {
            "value": rounded(valid / asked) if asked else None,
            **interval_json(wilson(valid, asked, level=level)),
            "n": asked,
            "k": valid,
            "abstained": abstained,
        },
        "undecided": {
            "value": rounded(undecided / len(cases)) if cases else None,
            **interval_json(wilson(undecided, len(cases), level=level)),
            "n": len(cases),
            "k": undecided,
        },
        "unanimity": None,
        "pairwise": None,
        "fleiss": None,
        "alpha": None,
        "ac1": None,
        "few": "",
    }
    if votes and min(map(len, votes)) == max(map(len, votes)) > 1:
        more = {"clusters": [case.cluster for case in cases], **options}
        found = panel(votes, **more)
        made["unanimity"] = share_json(found.unanimity)
        made["pairwise"] = share_json(found.pairwise)
        made["fleiss"] = coefficient_json(fleiss_kappa(votes, **more))
        made["alpha"] = {
            "scale": "nominal",
            **coefficient_json(krippendorff_alpha(votes, scale="nominal", categories=(0.0, 1.0), **more)),
        }
        made["ac1"] = coefficient_json(gwet_ac1(votes, categories=(0.0, 1.0), **more))
        made["few"] = few_words(*(made[name] for name in ("unanimity", "pairwise", "fleiss", "alpha", "ac1")))
        made["pairs"] = [[p.first, p.second, p.n, rounded(p.agreement)] for p in found.pairs]
    return made
