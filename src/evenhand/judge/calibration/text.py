"""A calibration in words: what the rate is, what it rests on, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.judge.calibration.columns import thin_words
from evenhand.judge.calibration.corrected_rate import ALONE
from evenhand.judge.calibration.panel_vs_people import best_of
from evenhand.judge.calibration.rate_bounds import LIGHT
from evenhand.judge.calibration.raters import CONTESTED, raters_words
from evenhand.judge.calibration.trust_verdict import OPEN
from evenhand.labelling.desk.agreement_text import few_words, number_words
from evenhand.text.plural import many, noun, verb

HELD = "91 to 93 of 100"  # docs/explanation/coverage-labels.md: uniform samples, n = 50

__all__ = ["calibration_words", "next_words", "rate_of", "share_words"]


def rate_of(row: Mapping[str, Any], *, share: bool = True) -> str:
    """``44% [36%, 52%] (PPI++, stratified)``."""
    value = {"value": row["point"], "low": row["low"], "high": row["high"], "reason": row["reason"]}
    value["no_interval"] = row["reason"] or "too few"
    return number_words(value, share=share)


def _ends(row: Mapping[str, Any]) -> str:
    return "–" if None in (row["low"], row["high"]) else f"{row['low']:.0%} to {row['high']:.0%}"


def share_words(sample: Mapping[str, Any]) -> str:
    """``100 (7.6%) of the judged items have a person's label``."""
    share = sample["share"]
    part = f" ({share:.1%})" if share is not None else ""
    return f"{sample['labelled']:,}{part} of the judged items have a person's label"


def calibration_words(made: Mapping[str, Any], *, withheld: bool) -> list[str]:
    """Sentences on rate and agreement; a withheld rate is told as no more than one of the estimates."""
    sample, rate, panel = made["sample"], made["rate"], made["panel_rate"]
    told = []
    if rate is not None and rate["point"] is not None:
        known = "it would be" if withheld else "the rate is"
        begin = (
            f"By the people's sample alone {known}"
            if rate["name"] == ALONE
            else f"Corrected by the people's sample {known}"
        )
        by = "" if rate["name"] == ALONE else f" by {rate['name']}"
        gain = (
            f", worth {rate['effective_n']:.0f} labels without the panel"
            if (rate["gain"] or 0) > 1.005
            else ""
        )
        own = (
            f"the panel alone says {number_words(panel, share=True)} of {many(panel['n'], 'item')}"
            if panel["value"] is not None
            else "the panel has decided nothing"
        )
        if panel["missing"] and panel["value"] is not None:
            bounds = f"{panel['least']:.0%} to {panel['most']:.0%}"
            own += f" ({bounds} with its {many(panel['missing'], 'undecided item')})"
        told.append(f"{begin} {rate_of(rate)}{by}, from {many(rate['n'], 'label')}{gain}; {own}.")
        if "approximate" in rate["flags"]:
            told.append(
                f"With fewer than 100 labels that interval is a little narrow: at 50, on published labels, "
                f"{HELD} held."
            )
        if made["thin"]:
            told.append(
                f"{thin_words(made['thin']).capitalize()}: strata that were drawn with unequal chances are "
                "never put together, so that people's labels stand alone, weighted."
            )
    elif rate is not None and CONTESTED in rate["flags"]:
        told.append(f"There is no one rate: {rate['reason']} (with their intervals {_ends(rate)}).")
    told.append(f"{share_words(sample)}; {LIGHT}.")
    told += raters_words(made["raters"], made["ceiling"])
    counts = made["confusion"]
    if counts["n"]:
        told.append(
            f"Panel and people agree on {number_words(made['agreement'], share=True)} of "
            f"{many(counts['n'], 'item')}; a judge who always says the same would on "
            f"{number_words(made['no_skill'], share=True)}; kappa {number_words(made['kappa'])}, "
            f"AC1 {number_words(made['ac1'])}."
        )
        if made["agreement"]["value"] == 1:
            told.append(
                "No disagreement was seen: that the panel is never wrong is not shown by that, and the "
                "corrected interval is too narrow."
            )
    able = {row["judge"]: row for row in made["singles"] if row["agreement"] is not None}
    best = best_of((name, row["agreement"]) for name, row in able.items())
    if best is not None and len(able) > 1 and counts["n"]:
        first = able[best]
        told.append(
            f"The best judge alone, {first['judge']}, agrees on "
            f"{number_words({**first, 'value': first['agreement']}, share=True)} of "
            f"{many(first['n'], 'item')}."
        )
    ceiling = made["ceiling"]
    if ceiling["n"]:
        told.append(
            f"People agree with each other on {number_words(ceiling['agreement'], share=True)} of "
            f"{ceiling['n']} {noun(ceiling['n'], 'item')}: no judge can be asked for more."
        )
    if few := few_words(panel, ceiling["agreement"]):
        told.append(f"{few[:1].upper()}{few[1:]}.")
    found = made["if_missing"]
    if found is not None and found["least"] is not None:
        told.append(
            f"{many(found['missing'], 'drawn item')} {verb(found['missing'], 'has', 'have')} no grade: were "
            f"{verb(found['missing'], 'it', 'they all')} no, or {verb(found['missing'], '', 'all ')}yes, the "
            "corrected rate "
            f"would be {found['least']:.0%} or {found['most']:.0%}."
        )
    grade = (made.get("grade") or {}).get("corrected")
    if grade and grade["point"] is not None:
        told.append(f"The corrected mean grade is {rate_of(grade, share=False)}.")
    return told


def next_words(made: Mapping[str, Any], trust: Mapping[str, Any]) -> list[str]:
    """What to do next, in the order in which it helps."""
    sample = made["sample"]
    told = []
    if sample["design"] == "none":
        return ["draw a sample for people: evenhand judge calibrate STUDY.toml --draw 100"]
    if sample["waiting"]:
        told.append(
            f"{many(sample['waiting'], 'drawn item')} {verb(sample['waiting'], 'waits', 'wait')} for a "
            "person: evenhand serve, or judge import"
        )
    if made["raters"]["contested"]:
        told.append(
            f"people differ on {many(made['raters']['contested'], 'drawn item')}: one person rules, "
            "evenhand judge adjudicate"
        )
    undecided = made["population"]["undecided"]
    if undecided and made["panel"]["completeness"]["value"] not in (1.0, None):
        told.append(
            f"{many(undecided, 'item')} {verb(undecided, 'has', 'have')} no decision: "
            "evenhand judge panel STUDY.toml says why; --retry-failed "
            "asks again what failed on its way, the rest is for people (--people NAME)"
        )
    rows = [row for row in trust["lines"] if row["state"] == OPEN]
    if any(row["name"] == "gullibility" and row["value"] is None for row in rows):
        told.append("gullibility was not measured: evenhand judge stress STUDY.toml")
    needed = max((row["needed"] or 0 for row in rows), default=0)
    more = needed - sample["labelled"]
    if trust["exit"] == 4 and more > 0 and sample["labelled"] < made["population"]["items"]:
        told.append(
            f"{many(more, 'more label')} would decide it, were the shares to stay: --more N adds split items"
        )
    look = made["outlook"]
    if look["labels_needed"] and look["labels_needed"] > sample["labelled"]:
        told.append(
            f"an interval of ±{100 * look['half_width']:.0f} points takes "
            f"{many(look['labels_needed'], 'label')} "
            f"with this panel, {look['labels_needed_alone']:,} without"
        )
    if not made["ceiling"]["n"]:
        told.append("a second person on some of the items would show how far people agree with each other")
    return told
