"""What is warned of in the votes of a panel, and rates in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.judge.panel.appeals import appeals
from evenhand.labelling.desk.agreement_text import few_words, number_words
from evenhand.llm.providers.families import name_of
from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from evenhand.judge.panel.valid_votes import Standing
    from evenhand.model.label import Shown
    from evenhand.model.vote import Vote

__all__ = [
    "ANOTHER",
    "REPLIED",
    "WITHOUT",
    "appealing",
    "appeals_warning",
    "contrary_votes",
    "rate_words",
    "replied_words",
    "warnings_of",
]

ANOTHER = "answered_by"  # in a vote: the model that says it replied, where it is not the one that was asked
REPLIED = "replied"  # in a vote: the name that the model gave itself, where it gave one
FEW = 5  # items that a warning names
RAISE = "raise max_tokens of [panel] or of the judge"
WITHOUT = "without"  # in a vote: what was asked for and the endpoint does not take
NONE = ("out-of-scale", "unparsable", "refused")


def warnings_of(
    standing: Standing, rows: Sequence[Mapping[str, Any]], faults: Sequence[Vote]
) -> list[dict[str, Any]]:
    """What silently biases: votes that do not count, calls that failed, quotes that were made up."""
    others = Counter((one.judge, str(one.told[ANOTHER])) for one in standing.votes if ANOTHER in one.told)
    mute = [row["judge"] for row in rows if set(row["outcomes"]) - {"missing"} == {"cannot-tell"}]
    silent = ", ".join(name[:60] for name in mute)
    warm = sorted({one.judge for one in standing.votes if "temperature" in one.told.get(WITHOUT, ())})
    named = ", ".join(name[:60] for name in warm)
    mixed = [row for row in rows if len({name_of(name) for name in row.get("replied", ())}) > 1]
    counted: tuple[tuple[str, int, str, str], ...] = (
        (
            "other sheet",
            standing.other_sheet,
            "a vote was given under another sheet, and does not count",
            "votes were given under another sheet, and do not count",
        ),
        (
            "other prompt",
            standing.other_prompt,
            "a vote was given to another wording, and does not count",
            "votes were given to another wording, and do not count",
        ),
        (
            "other judge",
            standing.other_judge,
            "a vote is of another model or judge, and does not count",
            "votes are of other models or judges, and do not count",
        ),
        (
            "failed calls",
            len(faults),
            f"a call failed on its way{_why(faults)}: it is no verdict, and the bounds show it",
            f"calls failed on their way{_why(faults)}: they are no verdicts, and the bounds show it",
        ),
        (
            "no verdict",
            sum(row["outcomes"].get(kind, 0) for row in rows for kind in NONE),
            "a reply holds no verdict of the scale (unreadable, refused, out of scale)",
            "replies hold no verdict of the scale (unreadable, refused, out of scale)",
        ),
        (
            "cut off",
            sum(row["outcomes"].get("cut-off", 0) for row in rows),
            f"a reply was cut off at the limit of tokens, without a verdict: {RAISE}; it is asked anew",
            f"replies were cut off at the limit of tokens, without a verdict: {RAISE}; they are asked anew",
        ),
        (
            "no vote",
            len(mute),
            f"a judge says cannot-tell of everything: it is no vote, and the panel has one fewer: {silent}",
            f"judges say cannot-tell of everything: they are no votes, and the panel has fewer: {silent}",
        ),
        (
            "temperature",
            len(warm),
            f"a judge does not answer at temperature 0, and may say otherwise when asked again: {named}",
            f"judges do not answer at temperature 0, and may say otherwise when asked again: {named}",
        ),
        (
            "quotes lost",
            sum(row["lost"] for row in rows),
            "a quote does not occur in the text it is said to be of",
            "quotes do not occur in the text they are said to be of",
        ),
        (
            "at odds",
            sum(row["at_odds"] for row in rows),
            "a verdict contradicts the contribution given beside it",
            "verdicts contradict the contribution given beside them",
        ),
        (
            "another model",
            sum(others.values()),
            f"a reply is of another model than the one that was asked: {_others(others)}",
            f"replies are of another model than the one that was asked: {_others(others)}",
        ),
    )
    if mixed and not others:
        named = "; ".join(f"{row['judge']}: {replied_words(row)}" for row in mixed)
        text = f"replies of {verb(len(mixed), 'one judge', 'judges')} name several models: {named}"
        counted = (*counted, ("several models", len(mixed), text, text))
    made = [
        {"kind": kind, "count": count, "text": verb(count, one, more)}
        for kind, count, one, more in counted
        if count
    ]
    return [*contrary_votes(standing.contrary), *made]


def appealing(items: Iterable[Shown]) -> list[dict[str, Any]]:
    """Items whose text speaks to whoever judges, and what in it does: for people, whatever was decided."""
    found = ((one, appeals(one.text)) for one in items)
    return [
        {
            "item": one.item,
            "question": one.question,
            "unit": f"{one.doc}#{one.start}-{one.end}",
            "why": list(why),
        }
        for one, why in found
        if why
    ]


def appeals_warning(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What is warned of where texts speak to their judge; none where *found* is empty."""
    if not found:
        return []
    units = list(dict.fromkeys(f"{one['unit'][:80]} ({', '.join(one['why'])})" for one in found))
    more = f" and {len(units) - FEW} more" if len(units) > FEW else ""
    text = (
        f"{verb(len(found), 'a text speaks', 'texts speak')} to whoever judges, which may have decided: read "
        f"{verb(len(found), 'it', 'them')} first: {'; '.join(units[:FEW])}{more}"
    )
    return [{"kind": "texts that speak to judges", "count": len(found), "text": text}]


def contrary_votes(votes: Sequence[Vote]) -> list[dict[str, Any]]:
    """What is warned of where a judge gave two grades to one item; none where *votes* is empty."""
    if not votes:
        return []
    n, one = len(votes), votes[0]
    where = f"{one.judge[:60]} on question {one.question[:60]}, {one.doc[:60]}#{one.start}-{one.end}"
    text = (
        f"{verb(n, 'a vote contradicts', 'votes contradict')} an earlier grade of the same judge and item, "
        f"and {verb(n, 'stands in its place', 'stand in its place')} ({'first ' if n > 1 else ''}{where})"
    )
    return [{"kind": "contrary votes", "count": n, "text": text}]


def replied_words(row: Mapping[str, Any]) -> str:
    """``other-9 (12 votes), gpt-5 (2)``: the names that models gave themselves."""
    found = sorted(row["replied"].items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name[:60]} ({many(n, 'vote') if not i else n})" for i, (name, n) in enumerate(found))


def _others(others: Counter[tuple[str, str]]) -> str:
    """Who was asked and who answered, the first few."""
    first = [f"{judge} was asked and {model[:60]} answered" for judge, model in sorted(others)[:3]]
    return "; ".join(first)


def _why(faults: Sequence[Vote]) -> str:
    """The commonest reason, without the judge's name; the endpoint's own words, so cut short."""
    from evenhand.llm.scheduling.failure_summary import commonest

    n, why = commonest(one.why for one in faults)
    if not n:
        return ""
    return f" ({why[:120]}{'' if n == len(faults) else f': {n} of them'})"


def rate_words(rate: Mapping[str, Any]) -> str:
    """``44% [31%, 58%] of 90``, the clusters where they are few, and the bounds where some have no grade."""
    words = f"{number_words({**rate, 'value': rate['point']}, share=True)} of {rate['n']:,}"
    if few_words(rate):
        words += f" in {many(rate['clusters'], 'cluster')}"
    if rate["point"] is None:
        words = f"not known ({rate.get('reason', 'no item has a grade')})"
    if rate["n"] < rate["of"] and rate["bound_low"] is not None:
        words += f"; {rate['bound_low']:.0%} to {rate['bound_high']:.0%} of all {rate['of']:,}"
    return words
