"""What is warned of in the votes of a panel, and rates in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.judge.told import number_words

if TYPE_CHECKING:
    from evenhand.judge.standing import Standing
    from evenhand.model.vote import Vote

__all__ = ["ANOTHER", "rate_words", "warnings_of"]

ANOTHER = "answered_by"  # in a vote: the model that says it replied, where it is of another family
NONE = ("out-of-scale", "unparsable", "refused")


def warnings_of(
    standing: Standing, rows: Sequence[Mapping[str, Any]], faults: Sequence[Vote]
) -> list[dict[str, Any]]:
    """What silently biases: votes that do not count, calls that failed, quotes that were made up."""
    others = Counter((one.judge, str(one.told[ANOTHER])) for one in standing.votes if ANOTHER in one.told)
    counted = (
        ("other sheet", standing.other_sheet, "votes were given under another sheet, and do not count"),
        ("other prompt", standing.other_prompt, "votes were given to another wording, and do not count"),
        ("other judge", standing.other_judge, "votes are of other models or judges, and do not count"),
        (
            "failed calls",
            len(faults),
            f"calls failed on their way{_why(faults)}: they are no verdicts, and the bounds show it",
        ),
        (
            "no verdict",
            sum(row["outcomes"].get(kind, 0) for row in rows for kind in NONE),
            "replies hold no verdict of the scale (unreadable, refused, out of scale)",
        ),
        (
            "cut off",
            sum(row["outcomes"].get("cut-off", 0) for row in rows),
            "replies were cut off at the limit of tokens and hold no verdict: raise [panel] max_tokens",
        ),
        (
            "quotes lost",
            sum(row["lost"] for row in rows),
            "quotes do not occur in the text they are said to be of",
        ),
        (
            "at odds",
            sum(row["at_odds"] for row in rows),
            "verdicts contradict the contribution given beside them",
        ),
        ("another model", sum(others.values()), _others(others)),
    )
    return [{"kind": kind, "count": count, "text": text} for kind, count, text in counted if count]


def _others(others: Counter[tuple[str, str]]) -> str:
    """What is said of replies that came from elsewhere, with the first few names."""
    first = [f"{judge} was asked and {model[:60]} answered" for judge, model in sorted(others)[:3]]
    return f"replies are of a model of another family than the one that was asked: {'; '.join(first)}"


def _why(faults: Sequence[Vote]) -> str:
    """The commonest reason, without the judge's name; the endpoint's own words, so cut short."""
    reasons = Counter(one.why.rpartition(" does not answer: ")[2] for one in faults if one.why)
    if not reasons:
        return ""
    why, n = min(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return f" ({why[:120]}{'' if n == len(faults) else f': {n} of them'})"


def rate_words(rate: Mapping[str, Any]) -> str:
    """``44% [31%, 58%] of 90``, and the bounds where some have no grade."""
    shown = {
        "value": rate["point"],
        **{k: rate.get(k) for k in ("low", "high")},
        "reason": rate.get("reason"),
    }
    words = f"{number_words(shown, share=True)} of {rate['n']:,}"
    if rate["point"] is None:
        words = f"not known ({rate.get('reason', 'no item has a grade')})"
    if rate["n"] < rate["of"] and rate["bound_low"] is not None:
        words += f"; {rate['bound_low']:.0%} to {rate['bound_high']:.0%} of all {rate['of']:,}"
    return words
