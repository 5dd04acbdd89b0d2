"""The agreement of checks and people in sentences, warnings, and numbers that criteria can name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.labelling.desk.agreement_text import number_words
from evenhand.stats.agreement.raters import FEW_CLUSTERS
from evenhand.text.plural import noun, verb

__all__ = ["numbers", "sentences", "warnings"]

COEFFICIENTS = ("raw", "kappa", "ac1", "sensitivity", "specificity")
NAMES = {"raw": "agreement"}


def numbers(made: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Name → point, low, high, level, n, k, method, reason.

    ``people_faithful``: the rate at which people would say yes, of all items, from blind ratings;
    ``people_FIELD`` of the others: their share of yes among what they rated. ``CHECK_agreement`` (and
    ``_kappa``, ``_ac1``, ``_sensitivity``, ``_specificity``) of a check beside people on faithful;
    ``people_agreement``: the first pair of people on faithful.
    """
    level = made["level"]
    found: dict[str, dict[str, Any]] = {}
    for one in made["fields"]:
        blind = one["field"] == "faithful"
        best = one["given"] if not blind else one["blind"]["headline"] if one["blind"] else None
        if best is not None:
            seen = f", checks on screen in {one['after_checks']}" if not blind and one["after_checks"] else ""
            found[f"people_{one['field']}"] = {
                **{name: best[name] for name in ("point", "low", "high", "level", "n", "reason")},
                "method": best["method"] + seen,
                "k": None,
            }
    for row in made["checks"]:
        if row["field"] == "faithful":
            stem = row["check"].replace("-", "_")
            found |= {f"{stem}_{NAMES.get(name, name)}": _number(row[name], level) for name in COEFFICIENTS}
    for row in made["people"]:
        if row["field"] == "faithful" and "people_agreement" not in found:
            two = f", {' and '.join(row['raters'])}"  # the first pair
            for name, one in (("agreement", row["raw"]), ("kappa", row["kappa"])):
                number = _number(one, level)
                found[f"people_{name}"] = {**number, "method": number["method"] + two}
    return found


def _number(one: Mapping[str, Any], level: float) -> dict[str, Any]:
    degenerate = one.get("degenerate", False)
    return {
        "point": None if degenerate else one["value"],
        "low": None if degenerate else one["low"],
        "high": None if degenerate else one["high"],
        "level": level,
        "n": one["n"],
        "k": None,
        "method": one["method"],
        "reason": one.get("reason") or one.get("no_interval") or (one["method"] if degenerate else None),
    }


def sentences(made: Mapping[str, Any]) -> list[str]:
    """What is found, a sentence each."""
    said = []
    for one in made["fields"]:
        if one["field"] == "faithful" and one["blind"] is not None:
            best = one["blind"]["headline"]
            said.append(
                f"People rated {made['rated']} of {made['items']} {noun(made['items'], 'item')} blind; of "
                "all of them they would "
                f"call {_rate_words(best)} faithful ({best['name']}"
                + ("; where several rated one, their share of yes counts)." if made["people"] else ").")
            )
        elif one["field"] == "accept":
            said.append(f"Of what they rated they would accept {_rate_words(one['given'])}.")
    if not made["rated"]:
        said.insert(0, "No item was rated blind: nothing is known of how far the checks can be trusted.")
        return said
    said += [_check_words(row) for row in made["checks"] if row["field"] == "faithful" and row["n"]]
    said += [
        f"{' and '.join(row['raters'])} agree on {row['field']} in "
        f"{number_words(row['raw'], share=True)} of {row['n']} {noun(row['n'], 'item')}; kappa "
        f"{number_words(row['kappa'])}, "
        f"AC1 {number_words(row['ac1'])}."
        for row in made["people"]
    ]
    said += [
        f"{row['rater']}, a model, agrees with people on faithful in {number_words(row['raw'], share=True)} "
        f"of {row['n']} {noun(row['n'], 'rating')}; kappa {number_words(row['kappa'])}. Its ratings count "
        "for nothing else."
        for row in made["models"]
    ]
    return said


def _check_words(row: Mapping[str, Any]) -> str:
    return (
        f"{row['check']} agrees with people on faithful in {number_words(row['raw'], share=True)} of "
        f"{row['n']} {noun(row['n'], 'rating')} (always saying the commoner would: "
        f"{number_words(row['no_skill'], share=True)}); kappa {number_words(row['kappa'])}, AC1 "
        f"{number_words(row['ac1'])}; it finds {number_words(row['sensitivity'], share=True)} of what people "
        f"call unfaithful and passes {number_words(row['specificity'], share=True)} of the rest."
    )


def _rate_words(best: Mapping[str, Any]) -> str:
    if best["point"] is None:
        return "an unknown share"
    if best["low"] is None:
        return f"{best['point']:.0%}"
    return f"{best['point']:.0%} [{best['low']:.0%}, {best['high']:.0%}]"


def warnings(made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What lessens the numbers, each with a count."""
    found = []
    early = made["unblind"].get("faithful", 0)
    if early:
        found.append(
            _warning(
                "checks-shown-before-rating",
                early,
                f"{early} {noun(early, 'rating')} of faithful were given with the checks on screen, and "
                "are not compared",
            )
        )
    if made["unknown"]:
        found.append(
            _warning(
                "ratings-of-unknown-items",
                made["unknown"],
                f"{made['unknown']} {noun(made['unknown'], 'rating')} {verb(made['unknown'], 'is', 'are')} "
                "of items that are not here: was something generated anew?",
            )
        )
    if made["rated"] and not made["people"]:
        found.append(
            _warning(
                "one-rater", 1, "no item was rated blind by two people: how far people agree is not known"
            )
        )
    topics = max((row["topics"] for row in made["checks"]), default=0)
    if 0 < topics < FEW_CLUSTERS:
        found.append(
            _warning(
                "few-topics",
                topics,
                f"ratings are of {topics} {noun(topics, 'topic')}: intervals of fewer than {FEW_CLUSTERS} "
                "are too narrow",
            )
        )
    constant = [row["check"] for row in made["checks"] if row["n"] and row["kappa"]["degenerate"]]
    if constant:
        names = ", ".join(dict.fromkeys(constant))
        found.append(
            _warning(
                "degenerate-kappa", len(constant), f"no kappa, one side said the same throughout: {names}"
            )
        )
    return found


def _warning(kind: str, count: int, text: str) -> dict[str, Any]:
    return {"kind": kind, "count": count, "text": text}
