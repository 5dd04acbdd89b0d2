"""Sentences on how far the judges of a panel agree, with each other and with people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.judge.told import number_words
from evenhand.model.amount import noun

__all__ = ["cohesion_words"]


def cohesion_words(found: Mapping[str, Any], people: Mapping[str, Any] | None = None) -> list[str]:
    """Sentences on the cohesion of a panel, and on its best judge where people labelled."""
    said = []
    if "unanimity" in found and not found["pairwise"]["n"]:
        said.append("no item was graded by two judges: how far they agree is unknown")
    elif "unanimity" in found:
        said.append(
            f"all judges say the same on {number_words(found['unanimity'], share=True)} of the "
            f"{found['unanimity']['n']} {noun(found['unanimity']['n'], 'item')} that all graded; two of "
            "them agree on "
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
        f"{people['panel']['agreement']['n']} {noun(people['panel']['agreement']['n'], 'item')}{told}; "
        "always the people's commonest grade would be "
        f"{number_words(people['no_skill'], share=True)}"
    )
    return said
