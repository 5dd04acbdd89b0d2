"""Figures as printed (``17/20``, ``85%``, ``0.71``): what can be read from them, and nothing more."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from evenhand.errors import InputError
from evenhand.metrics.catalogue.names import parse
from evenhand.metrics.comparison.resamples import how
from evenhand.metrics.planning.steps import impossible
from evenhand.stats.power.audit import counts_behind, largest_sd

__all__ = ["Figure", "read_figure"]

MEND = "write 17/20, 85% with -n 200, or 0.71 with -n 200 and --sd 0.3"
_COUNT = re.compile(r"(\d+)\s*(?:/|of)\s*(\d+)")
_NUMBER = re.compile(r"(-?\d+(?:\.(\d+))?)\s*(%?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published figure over n questions.

    A share has the whole number *k* nearest to what was printed and the range ``k_low`` to ``k_high`` that
    is printed alike; a mean its spread, the one given or (``widest``) the largest that it allows. A figure
    that is ``wrong`` has no count, and nothing can be computed from it.
    """

    printed: str
    kind: str  # share | mean
    value: float
    n: int
    k: int | None = None
    k_low: int | None = None
    k_high: int | None = None
    sd: float | None = None
    widest: bool = False
    wrong: str = ""  # why the figure cannot be what it says
    cut: bool = False  # no rounding gives it: its digits were cut off


def read_figure(
    text: str,
    *,
    n: int | None = None,
    sd: float | None = None,
    metric: str | None = None,
    relevant: int | None = None,
) -> Figure:
    """The figure that *text* prints, over *n* questions; *sd* or the name of a *metric* says what it is.

    *relevant*: how many relevant units each question has, where all have as many: recall goes in steps then.
    Errors name what was found. A share that no whole number of *n* gives, or a spread that no values in
    0..1 can have, is no error: it is kept and ``wrong`` says so.
    """
    text = text.strip()
    if n is not None and n < 1:
        raise InputError(f"-n is {n}", mend="give the number of questions, 1 or more")
    if sd is not None and not 0 <= sd < float("inf"):
        raise InputError(f"--sd is {sd:g}", mend="give the standard deviation over questions, 0 or more")
    kind = None if metric is None else how(str(parse(metric)))
    if kind == "total":
        raise InputError(f"{metric} is a count, not a mean or a share", mend="name a mean such as nDCG@10")
    if found := _COUNT.fullmatch(text):
        return _counted(text, int(found[1]), int(found[2]), n=n, sd=sd, kind=kind)
    found = _NUMBER.fullmatch(text)
    if found is None:
        comma = " (a decimal comma? write a point)" if "," in text else ""
        raise InputError(f"the figure {text!r} is not understood{comma}", mend=MEND)
    if n is None:
        raise InputError(f"the figure {text} says nothing without its number of questions", mend=MEND)
    percent = bool(found[3])
    scale = 100.0 if percent else 1.0
    value, half = float(found[1]) / scale, 0.5 * 10.0 ** -len(found[2] or "") / scale
    if (percent or kind == "share" or sd is None) and not 0 <= value <= 1:
        raise InputError(
            f"the figure {text} is not within 0..1" if not percent else f"the figure {text} is not a share",
            mend="give a share or a mean on a scale of 0 to 1; on another scale give --sd as well",
        )
    if kind == "share" or (kind is None and percent and sd is None):
        return _share(text, value, n, half)
    made = _mean(text, value, n, sd)
    if metric is None or made.wrong:
        return made
    wrong, cut = impossible(parse(metric), text, value, half=half, n=n, relevant=relevant)
    return replace(made, wrong=wrong, cut=cut)


def _counted(text: str, k: int, of: int, *, n: int | None, sd: float | None, kind: str | None) -> Figure:
    if of < 1 or k > of:
        raise InputError(
            f"the figure {text} is no share", mend="write k/n with 0 <= k <= n and n of at least 1"
        )
    if n is not None and n != of:
        raise InputError(f"the figure {text} has {of} questions and -n says {n}", mend="leave -n out")
    if sd is not None or kind == "mean":
        raise InputError(
            f"the figure {text} counts questions, and a count has no spread of its own",
            mend="leave --sd out, or write the mean as a decimal number",
        )
    return Figure(printed=text, kind="share", value=k / of, n=of, k=k, k_low=k, k_high=k)


def _share(text: str, value: float, n: int, half: float) -> Figure:
    rounded = counts_behind(value, n, half)
    behind = rounded or counts_behind(value, n, half, truncated=True)
    k = min(n, max(0, round(value * n)))
    if behind is None:
        below = int(value * n)
        near = " and ".join(f"{j}/{n} = {j / n:.1%}" for j in (below, below + 1) if j <= n)
        wrong = f"no whole number of {n} questions is {text}: the nearest are {near}"
        return Figure(printed=text, kind="share", value=value, n=n, wrong=wrong)
    low, high = behind
    return Figure(
        printed=text,
        kind="share",
        value=value,
        n=n,
        k=min(high, max(low, k)),
        k_low=low,
        k_high=high,
        cut=rounded is None,
    )


def _mean(text: str, value: float, n: int, sd: float | None) -> Figure:
    most = largest_sd(value, n)
    if sd is None:
        return Figure(printed=text, kind="mean", value=value, n=n, sd=most, widest=True)
    wrong = ""
    if most is not None and sd > most + 1e-9:
        wrong = (
            f"no {n} values in 0..1 with the mean {value:g} spread by {sd:g} (at most {most:.3f}): "
            "it is on another scale, or not a standard deviation over questions"
        )
    return Figure(printed=text, kind="mean", value=value, n=n, sd=sd, wrong=wrong)
