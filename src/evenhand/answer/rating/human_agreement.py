"""How far checks, people and models agree on generated items; only blind ratings are compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from evenhand.answer.rating.corrected_rate import people_alone, people_rate
from evenhand.answer.rating.paired_labels import beside
from evenhand.answer.rating.ratings import is_blind, last_of_each
from evenhand.answer.rating.text import numbers, sentences, warnings
from evenhand.model.answer import RATED, Finding, Generation, Rating
from evenhand.stats.agreement.raters import RESAMPLES, SEED

__all__ = ["ALL", "FIELD_OF", "agreement"]

ALL = "all-support"  # passes when every check that is held against faithful does
FIELD_OF: Mapping[str, str] = {  # what people say that a check comes nearest to
    **dict.fromkeys(
        ("cites-retrieved", "citations-resolve", "numbers-grounded", "content-words"), "faithful"
    ),
    **dict.fromkeys(("quotations-verbatim", "key-grounded", "claims-borne-out"), "faithful"),
    **dict.fromkeys(("options-distinct", "distractors-on-topic", "distractors-like-length"), "distractors"),
    **dict.fromkeys(("key-valid", "abstention"), "correct"),
    **dict.fromkeys(("no-repeat", "language-match"), "useful"),
}
SAID: Mapping[bool | None, str | None] = {True: "yes", False: "no", None: None}


def agreement(
    generations: Iterable[Generation],
    findings: Iterable[Finding],
    ratings: Iterable[Rating],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    """Plain JSON for a report.

    ``checks``: each check beside people on ``faithful``, and on the field it comes nearest to where that is
    another, with the rate at which people would say yes; `ALL` takes the checks of support together.
    ``fields``: what people said of each field, blind or not (``given``), and from blind ratings alone the
    rate at which they would say yes on all items (``blind``). ``people``: each pair of people.
    ``models``: models that rated, reported by their agreement alone. Ratings given after the checks were
    shown enter nothing and are counted, by field in ``unblind``. Intervals resample topics.
    """
    topic_of = {item.id: one.topic for one in generations for item in one.items}
    every = last_of_each(ratings)
    known = [one for one in every if one.item in topic_of]
    people = [one for one in known if one.by == "human"]
    models = [one for one in known if one.by == "model"]
    passed = _passed(findings, topic_of)
    said = {name: _blind(people, name) for name in RATED}
    more: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}

    def held(first: Mapping[str, str | None], field: str, names: tuple[str, str]) -> dict[str, Any]:
        pairs = [(first[item], other, topic_of[item]) for item, other in said[field] if item in first]
        columns = [list(column) for column in zip(*pairs, strict=True)] if pairs else [[], [], []]
        return beside(columns[0], columns[1], columns[2], names=names, **more)

    checks = []
    for check, found in passed.items():
        words = {item: SAID[yes] for item, yes in found.items()}
        nearest = FIELD_OF.get(check, "faithful")
        for field in dict.fromkeys(("faithful", nearest)):
            if field != "faithful" and not said[field]:
                continue
            row = held(words, field, (check, "people"))
            if field == nearest:
                row["rate"] = _rate(found, said[field], topic_of, level)
            checks.append({"check": check, "field": field, **row})
    support = passed.get(ALL, {})
    made: dict[str, Any] = {
        "schema": "evenhand.answer-agreement/1",
        "level": level,
        "seed": seed,
        "resamples": resamples,
        "items": len(topic_of),
        "rated": len({item for item, _ in said["faithful"]}),
        "raters": _raters(known),
        "unknown": len(every) - len(known),
        "unblind": {
            name: n
            for name in RATED
            if (n := sum(name in one.given and not is_blind(one, name) for one in people))
        },
        "checks": checks,
        "fields": [
            {
                **_said(people, name, topic_of, level),
                "blind": _rate({i: support.get(i) for i in topic_of}, said[name], topic_of, level)
                if said[name]
                else None,
            }
            for name in RATED
            if any(name in one.given for one in people)
        ],
        "people": list(_people(people, topic_of, more)),
        "models": [
            {"rater": rater, **held(_of(models, rater), "faithful", (rater, "people"))}
            for rater in dict.fromkeys(one.rater for one in models)
        ],
    }
    made["numbers"] = numbers(made)
    made["sentences"] = sentences(made)
    made["warnings"] = warnings(made)
    return made


def _passed(findings: Iterable[Finding], topic_of: Mapping[str, str]) -> dict[str, dict[str, bool | None]]:
    """Check → item → whether it passed, in the order of the checks; those of support also together."""
    found: dict[str, dict[str, bool | None]] = {}
    for one in findings:
        if one.item in topic_of:
            found.setdefault(one.check, {})[one.item] = one.passed
    support: dict[str, list[bool | None]] = defaultdict(list)
    for check, own in found.items():
        if FIELD_OF.get(check) == "faithful":
            for item, yes in own.items():
                support[item].append(yes)
    together = {
        item: False if False in all_ else True if True in all_ else None for item, all_ in support.items()
    }
    return {**found, **({ALL: together} if len(found) > 1 and together else {})}


def _blind(people: Iterable[Rating], field: str) -> list[tuple[str, str | None]]:
    """(item, yes, no or None) of each blind rating of a field."""
    return [
        (one.item, one.given[field] if one.given[field] in ("yes", "no") else None)
        for one in people
        if field in one.given and is_blind(one, field)
    ]


def _said(people: Sequence[Rating], field: str, topic_of: Mapping[str, str], level: float) -> dict[str, Any]:
    """What people said of a field, blind or not; cannot-tell is counted and no part of the share."""
    given = [one for one in people if field in one.given]
    counts = Counter(one.given[field] for one in given)
    firm = [one for one in given if one.given[field] != "cannot-tell"]
    alone = people_alone(
        [float(one.given[field] == "yes") for one in firm], [topic_of[one.item] for one in firm], level=level
    )
    return {
        "field": field,
        "yes": counts["yes"],
        "no": counts["no"],
        "cannot_tell": counts["cannot-tell"],
        "after_checks": sum(not is_blind(one, field) for one in given),
        "given": alone,
    }


def _of(ratings: Iterable[Rating], rater: str, field: str = "faithful") -> dict[str, str | None]:
    return dict(_blind([one for one in ratings if one.rater == rater], field))


def _rate(
    found: Mapping[str, bool | None],
    said: Sequence[tuple[str, str | None]],
    topic_of: Mapping[str, str],
    level: float,
) -> dict[str, Any]:
    """The rate at which people would say yes on the items of *found*, a check's outcome on each."""
    given: dict[str, list[float]] = defaultdict(list)
    for item, word in said:
        if word is not None:
            given[item].append(float(word == "yes"))
    items = sorted(found)
    human = [sum(given[item]) / len(given[item]) if given.get(item) else None for item in items]
    check = [0.5 if found[item] is None else float(bool(found[item])) for item in items]
    return people_rate(human, check, [topic_of[item] for item in items], level=level)


def _people(
    people: Sequence[Rating], topic_of: Mapping[str, str], more: Mapping[str, Any]
) -> Iterable[dict[str, Any]]:
    names = list(dict.fromkeys(one.rater for one in people))
    for one, other in combinations(names, 2):
        for field in RATED:
            a, b = _of(people, one, field), _of(people, other, field)
            both = sorted(a.keys() & b.keys())
            if both:
                of = [topic_of[item] for item in both]
                found = beside([a[i] for i in both], [b[i] for i in both], of, names=(one, other), **more)
                for name in ("sensitivity", "specificity"):  # neither of the two is the truth
                    del found[name]
                yield {"raters": [one, other], "field": field, **found}


def _raters(ratings: Sequence[Rating]) -> list[dict[str, Any]]:
    counts = Counter((one.rater, one.by) for one in ratings)
    blind = Counter((one.rater, one.by) for one in ratings if "faithful" in one.given and is_blind(one))
    return [
        {"rater": rater, "by": by, "ratings": n, "blind": blind[rater, by]}
        for (rater, by), n in counts.items()
    ]
