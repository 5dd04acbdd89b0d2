"""Verdicts in plain words: who is better, by how much, or that it cannot be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evenhand.model.result import Contrast, Estimate, Standing

__all__ = [
    "about",
    "adjustment",
    "field",
    "interval",
    "listed",
    "lone",
    "pair",
    "percent",
    "pvalue",
    "signed",
]


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign, and a true minus."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def pvalue(p: float, *, alpha: float = 0.05) -> str:
    """``p=0.31``, ``p=0.006``, ``p<0.001``; never rounded across *alpha*."""
    if p < 0.001:
        return "p<0.001"
    digits = 2 if p >= 0.2 else 3
    while digits < 6 and (float(f"{p:.{digits}f}") <= alpha) != (p <= alpha):
        digits += 1
    return f"p={p:.{digits}f}"


def percent(share: float) -> str:
    """A share of resamples; one that rounds to nothing or everything is not called so."""
    return "<1%" if share < 0.01 else ">99%" if share > 0.99 else f"{share:.0%}"


def about(number: float) -> str:
    """A count to three significant digits: 1,312 becomes 1,310."""
    number = int(number)
    power = max(0, len(str(number)) - 3)
    return f"{round(number, -power):,}"


def interval(low: float | None, high: float | None) -> str:
    """`` [+0.012, +0.070]``, or nothing."""
    return "" if low is None or high is None else f" [{signed(low)}, {signed(high)}]"


def _alpha(c: Contrast) -> float:
    return round(1 - c.level, 12)


def _tested(c: Contrast) -> str:
    p = c.p if c.p_adjusted is None else c.p_adjusted
    if p is None:
        return f"n={c.n}"
    name = c.test.split(",")[0]
    text = f"n={c.n}; {name} {pvalue(p, alpha=_alpha(c))}"
    if c.p_adjusted is not None and c.family is not None:
        return text + (f" after Holm over {c.family} tests" if c.family > 1 else "")
    return text + (", exploratory, not adjusted" if c.exploratory else ", not adjusted")


def needed(c: Contrast) -> str:
    """How many questions would settle a gap of the size seen."""
    found: Mapping[str, Any] = c.needed
    if not found:
        return ""
    if found.get("n") is None:
        return "no realistic number of questions (over 100,000) would settle a gap this small"
    text = f"about {about(found['n'])} questions"
    if found.get("low") is not None:
        high = "over 100,000" if found.get("high") is None else about(found["high"])
        text += f" ({about(found['low'])} to {high}, from the spread seen)"
    return text + f" would settle a gap this size at {found['power']:.0%} power"


def _floor(c: Contrast) -> str:
    """The smallest p that the questions that differ could have given, when that is above alpha."""
    differ = c.wins + c.losses
    least = 1.0 if differ == 0 else 2.0 / 2.0 ** min(differ, 60)
    least = min(1.0, least * (c.family or 1))
    if c.p is None or differ == 0 or least <= _alpha(c):
        return ""
    they = "one question differs" if differ == 1 else f"{differ} questions differ"
    return f" Only {they}: no outcome could have given less than {pvalue(least)}."


def adjustment(c: Contrast) -> str:
    """What adjustment took away, in words; empty when it took nothing."""
    alpha = _alpha(c)
    if c.p is None or c.p_adjusted is None or not c.p <= alpha < c.p_adjusted:
        return ""
    return (
        f"Alone, {pvalue(c.p, alpha=alpha)} would pass at {alpha:g}; after Holm over {c.family} tests it is "
        f"{pvalue(c.p_adjusted, alpha=alpha)[2:]}: not significant by the declared rule."
    )


def pair(c: Contrast) -> str:
    """One sentence on one pair."""
    a, b, metric = c.a, c.b, c.metric
    if c.difference is None:
        return f"{a} and {b} cannot be compared on {metric}: {c.reason}."
    if c.verdict == "identical":
        where = "the one question" if c.n == 1 else f"all {c.n} questions"
        return f"{a} and {b} are identical on {metric} for {where}."
    if c.verdict in ("better", "worse"):
        gap, low, high = c.difference, c.low, c.high
        if c.verdict == "worse":
            a, b, gap = b, a, -gap
            low, high = (None, None) if low is None or high is None else (-high, -low)
        bounds = "" if low is None or high is None else f" [{signed(low)}, {signed(high)}]".replace("+", "")
        size = signed(gap).replace("+", "")
        return f"{a} is better than {b} on {metric} by {size}{bounds} ({_tested(c)})."
    text = f"cannot tell {a} and {b} apart on {metric}: difference {signed(c.difference)}"
    text += f"{interval(c.low, c.high)} ({_tested(c)})"
    more = needed(c)
    text = text + (f"; {more}." if more else ".") + _floor(c)
    lost = adjustment(c)
    return f"{text} {lost}" if lost else text


def lone(estimate: Estimate) -> str:
    """A field of one."""
    return f"{estimate.system}: {estimate.metric} {estimate}. There is no other system to compare it with."


def listed(names: Sequence[str], most: int = 6) -> str:
    """``a, b and c``; past *most*, how many more."""
    shown = list(names[:most])
    if len(names) > most:
        return ", ".join(shown) + f" and {len(names) - most} more"
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" and {shown[-1]}"


def _all(out: Sequence[str], untested: Sequence[str]) -> str:
    return listed(out) if untested or len(out) == 1 else "every other system"


def field(
    standing: Standing, point: float, *, twins: Sequence[str] = (), untested: Sequence[str] = ()
) -> str:
    """One sentence on the whole field.

    *point* is the leader's value, *twins* have the leader's values on every question, *untested* were in
    no declared pair with it.
    """
    leader, best = standing.leader, standing.best
    order = {name: -share for name, share in best.items()}
    rivals = sorted((s for s in standing.in_play if s not in (leader, *twins)), key=order.__getitem__)
    out = sorted((s for s in best if s not in (*standing.in_play, *untested)), key=order.__getitem__)
    who = listed([leader, *twins]) + (" share the lead" if twins else " leads")
    text = f"{who} on {standing.metric} ({point:.3f}, n={standing.n}"
    text += f"; best in {percent(best[leader])} of resamples)"
    if rivals:
        rest = listed([f"{name} ({percent(best[name])})" for name in rivals])
        verb = "is" if len(rivals) == 1 else "are"
        text += f", but {rest} {verb} still in play: these questions cannot tell"
        text += f" {'it' if len(rivals) == 1 else 'them'} from {leader}."
        if out:
            text += f" Ruled out: {listed(out)}."
    elif out:
        text += f" and is better than {_all(out, untested)}."
    else:
        text += "."
    if untested:
        text += f" Not tested against it, by the declared pairs: {listed(untested)}."
    top = max(best.values())
    ahead = [name for name, share in best.items() if share == top]
    if best[leader] < top and leader not in ahead:
        text += f" Yet {ahead[0]} is best in more resamples ({percent(top)}): the lead is not firm."
    return text
