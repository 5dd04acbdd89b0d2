"""Sentences on how far the judges of a panel agree, with each other and with people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.labelling.desk.agreement_text import few_words, number_words
from evenhand.text.plural import many, noun

__all__ = ["cohesion_words"]


WITHIN = ("unanimity", "pairwise", "no_skill", "fleiss", "alpha", "ac1")


def cohesion_words(
    found: Mapping[str, Any], people: Mapping[str, Any] | None = None, *rates: Mapping[str, Any]
) -> list[str]:
    """Sentences on the cohesion of a panel, and on its best judge where people labelled.

    The last says so where these intervals, or those of *rates* told beside them, are over few clusters.
    """
    few = few_words(*_told(found, people), *rates)
    return [*_words(found, people), *([few] if few else [])]


def _told(found: Mapping[str, Any], people: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Every number of the sentences and of the lines of pairs."""
    numbers = [found[name] for name in WITHIN if name in found]
    numbers += [pair[name] for pair in found.get("pairs", ()) for name in ("agreement", "kappa")]
    if people is not None:
        numbers += [one["agreement"] for one in (people["panel"], *people["judges"])]
        numbers.append(people["no_skill"])
    return numbers


def _words(found: Mapping[str, Any], people: Mapping[str, Any] | None) -> list[str]:
    said = []
    if "unanimity" in found and not found["pairwise"]["n"]:
        said.append("no item was graded by two judges: how far they agree is unknown")
    elif "unanimity" in found:
        said.append(
            f"{_unanimous(found['unanimity'])}; two of them agree on "
            f"{number_words(found['pairwise'], share=True)}, and {_commonest(found['no_skill'])}"
        )
        said.append(
            f"Fleiss' kappa {number_words(found['fleiss'])}, alpha ({found['alpha']['scale']}) "
            f"{number_words(found['alpha'])}, AC1 {number_words(found['ac1'])}: agreement among models is no "
            "proof that they are right"
        )
    if people is None:
        said.append("no person has graded any of these items: how far people would agree is unknown")
        return said
    if people["panel"]["agreement"]["value"] is None:
        said.append("people graded no item that the panel decided: how far they agree is unknown")
        return said
    best = next((one for one in people["judges"] if one["judge"] == people["best"]), None)
    told = (
        f"; the best single judge, {best['judge']}, with {number_words(best['agreement'], share=True)}"
        if best is not None
        else ""
    )
    said.append(
        f"people and panel agree on {number_words(people['panel']['agreement'], share=True)} of "
        f"{people['panel']['agreement']['n']} {noun(people['panel']['agreement']['n'], 'item')}{told}; "
        "always the people's commonest grade would be "
        f"{number_words(people['no_skill'], share=True)}"
    )
    return said


def _unanimous(found: Mapping[str, Any]) -> str:
    if found["value"] is None:
        return "no item was graded by all judges"
    return (
        f"all judges say the same on {number_words(found, share=True)} of the {many(found['n'], 'item')} "
        "that all graded"
    )


def _commonest(found: Mapping[str, Any]) -> str:
    if found["value"] is None:
        return "no item has a decision, of which one could be the commonest"
    return (
        "one who always gave the commonest decision would be right about "
        f"{number_words(found, share=True)} of decisions"
    )
