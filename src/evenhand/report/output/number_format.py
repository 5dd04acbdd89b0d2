"""How numbers are written, the same in the terminal, on the page and in the charts' labels."""

from __future__ import annotations

from evenhand.text.plural import noun

__all__ = [
    "DASH",
    "chance",
    "count",
    "counted",
    "interval",
    "many",
    "number",
    "pvalue",
    "share",
    "share_interval",
    "signed",
    "signed_interval",
]

DASH = "–"
MINUS = "\u2212"
NOTHING = 1e-12  # what is left of nothing after sums of floats; as TIE in the statistics


def number(value: float | None, *, digits: int = 3) -> str:
    """A plain number, ``0.778``; a dash when there is none."""
    if value is None:
        return DASH
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def signed(value: float | None, *, digits: int = 3) -> str:
    """A difference, always with its sign: ``+0.041``, ``−0.032``; exactly nothing is ``0.000``."""
    if value is None:
        return DASH
    if abs(value) <= NOTHING:
        return f"{0:.{digits}f}"
    return f"{value:+.{digits}f}".replace("-", MINUS)


def interval(low: float | None, high: float | None, *, digits: int = 3) -> str:
    """An interval, ``[0.722, 0.829]``; nothing when there is none."""
    if low is None or high is None:
        return ""
    return f"[{number(low, digits=digits)}, {number(high, digits=digits)}]"


def signed_interval(low: float | None, high: float | None, *, digits: int = 3) -> str:
    """The interval of a difference, ``[−0.094, +0.026]``; nothing when there is none."""
    if low is None or high is None:
        return ""
    return f"[{signed(low, digits=digits)}, {signed(high, digits=digits)}]"


def share(value: float | None, *, digits: int = 0) -> str:
    """A share in per cent. All and nothing are written only for all and nothing: else ``>99%``, ``<1%``."""
    if value is None:
        return DASH
    step = 10.0**-digits
    percent = 100 * value
    if 0 < percent < step / 2:
        return f"<{step:.{digits}f}%"
    if 100 - step / 2 < percent < 100:
        return f">{100 - step:.{digits}f}%"
    return f"{percent:.{digits}f}%"


def share_interval(low: float | None, high: float | None, *, digits: int = 0) -> str:
    """The interval of a share, in its unit: ``[19%, 59%]``; nothing when there is none."""
    if low is None or high is None:
        return ""
    return f"[{share(low, digits=digits)}, {share(high, digits=digits)}]"


def chance(value: float | None) -> str:
    """A share of resamples in per cent; as it is one of many draws, never all and never nothing."""
    if value is None:
        return DASH
    return "<1%" if value < 0.005 else ">99%" if value > 0.995 else f"{100 * value:.0f}%"


def pvalue(value: float | None) -> str:
    """A p-value: ``0.31``, ``0.0084``, ``<0.0001``."""
    if value is None:
        return DASH
    if value < 0.0001:
        return "<0.0001"
    if value < 0.001:
        return f"{value:.4f}"
    return f"{value:.3f}"


def count(value: float | None) -> str:
    """A whole number with thousands set off: ``1,310``."""
    return DASH if value is None else f"{round(value):,}"


def many(value: float | None, what: str) -> str:
    """A whole number of things: ``1 question``, ``1,310 questions``."""
    return f"{count(value)} {noun(0 if value is None else round(value), what)}"


def counted(text: str, times: int) -> str:
    """A warning with how often it holds in front, unless the text says the number itself."""
    if times <= 1 or str(times) in text.replace(",", "").split():
        return text
    return f"{count(times)} × {text}"
