"""What an audit found, in plain sentences: what a figure supports, what it does not, what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.metrics.comparison.verdict import pvalue, signed
from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.metrics.planning.audit import Audit
    from evenhand.metrics.planning.published_figures import Figure

__all__ = ["tell"]


def tell(
    a: Audit,
    figures: Sequence[Figure],
    *,
    at_least: float | None,
    same: bool,
    paired: bool | None,
    counted: bool = False,
) -> None:
    """Fill the four lists of sentences of *a* from its numbers; *counted*: how many were tried is told."""
    _notes(a, figures)
    _single(a, figures, at_least=at_least)
    if a.difference is not None:
        _two(a, figures, paired=paired, same=same)
    elif len(figures) == 2:
        a.does_not_support.append("that either is better: a figure that cannot be right is no measurement.")
    _limits(a, figures)
    _help(a, figures, same=same, paired=paired, counted=counted)


def _notes(a: Audit, figures: Sequence[Figure]) -> None:
    for f in figures:
        if f.wrong:
            a.notes.append(f"{f.printed} cannot be right: {f.wrong}.")
        if f.k_low is not None and f.k_low != f.k_high:
            a.notes.append(f"{f.printed} of {f.n} is {f.k_low} to {f.k_high} questions: all are allowed for.")
        if f.cut:
            a.notes.append(f"No rounding gives {f.printed}: its last digits were cut off.")
        if f.kind == "mean" and f.n < 2 and not f.wrong:
            a.notes.append(f"{f.printed} is the value of one question: there is no interval.")
        elif f.widest and not f.wrong:
            a.notes.append(
                f"No spread is given for {f.printed}: the widest that such a mean of values in 0..1 can "
                f"have ({f.sd or 0:.3f}) is taken. With its standard deviation (--sd) more can be said."
            )
        if f.kind == "mean" and f.sd == 0:
            a.notes.append(
                f"A spread of 0 says that all {f.n} {noun(f.n, 'question')} {verb(f.n, 'has', 'have')} the "
                f"value {f.value:g}: an interval "
                "without width is no certainty, and nothing can be planned with it."
            )
    tests, n = a.compared["tests"], a.floor["n"]
    floor, each = a.floor["least_p_adjusted"], a.compared["alpha"]
    over = f" after Holm over {tests} tests" if tests > 1 else ""
    if floor > each:
        a.notes.append(
            f"With {n} question{'s' * (n > 1)} no outcome whatever is significant{over}: the smallest p that "
            f"a paired test can give is {pvalue(floor)[2:]}."
        )
    else:
        a.notes.append(
            f"The p-value floor: no exact paired test of {n} {noun(n, 'question')} gives less than "
            f"{floor:.2g}{over}, "
            f"and none is significant unless {a.floor['fewest_wins']} or more of them differ."
        )


def _single(a: Audit, figures: Sequence[Figure], *, at_least: float | None) -> None:
    for f, row in zip(figures, a.figures, strict=True):
        if row["low"] is None or f.wrong or f.sd == 0:
            continue
        what = "a rate" if f.kind == "share" else "a mean"
        bounds = f"[{row['low']:.3f}, {row['high']:.3f}]"
        these = "this one" if f.n == 1 else f"these {f.n}"
        a.supports.append(
            f"{f.printed}: {what} somewhere in {bounds} on questions drawn like {these} "
            f"({row['level']:.0%}, {row['method']})."
        )
        if at_least is None:
            continue
        bound = f"the one-sided {row['level']:.0%} bound"
        if row["lower"] is not None and row["lower"] >= at_least:
            a.supports.append(f"{f.printed}: at least {at_least:g}; {bound} is {row['lower']:.3f}.")
        else:
            more = (
                f" It is below: {bound} from above is {row['upper']:.3f}."
                if row["upper"] is not None and row["upper"] < at_least
                else ""
            )
            a.does_not_support.append(
                f"{f.printed}: that it reaches {at_least:g}; {bound} is {row['lower']:.3f}.{more}"
            )


def _two(a: Audit, figures: Sequence[Figure], *, paired: bool | None, same: bool) -> None:
    high, low = figures if figures[0].value >= figures[1].value else figures[::-1]
    gap, d, alpha = abs(a.difference["value"]), a.difference, a.compared["alpha"]  # type: ignore[index]
    claim = f"that {high.printed} is better than {low.printed} (a difference of {signed(gap)[1:]})"
    tests = a.compared["tests"]
    over = f", times {tests} by Holm" if tests > 1 else ""
    assert d is not None  # noqa: S101 - given by the caller
    apart = d["unpaired"]
    if gap == 0:
        a.does_not_support.append("that either is better: the figures are the same.")
        return
    if not same:
        _judge(a, claim, apart["p_adjusted"], f"{apart['test']} {_p(apart['p'])}{over}", alpha)
        return
    if "closest" in d:
        best, worst, losses = d["closest"], d["furthest"], d["most_losses"]
        between = f"McNemar {_p(best['p'])}"
        if _p(best["p"]) != _p(worst["p"]):
            between += f" at best and {_p(worst['p'])} at worst"
        between += over
        gap_k, most = abs(best["only_first"] - best["only_second"]), min(
            worst["only_first"], worst["only_second"]
        )  # fmt: skip
        if not d["possible"]:
            a.does_not_support.append(
                f"{claim}: however the outcomes are paired, these counts cannot be significant ({between})."
            )
        elif losses is None:
            a.does_not_support.append(
                f"{claim}, as it stands: it depends on the counts behind the rounding, and on the pairing "
                f"({between})."
            )
        elif losses >= most:
            a.supports.append(f"{claim[5:]}, however the outcomes are paired ({between}).")
        else:
            a.does_not_support.append(
                f"{claim}, as it stands: it depends on the pairing ({between}). It holds if at most {losses} "
                f"of the questions were answered by the lower system alone, of {most} that could be; the "
                f"higher then wins {gap_k + losses}."
            )
    else:
        r = d.get("correlation_needed")
        p = f"unpaired {apart['test']} {_p(apart['p'])}{over}"
        if r is None:
            a.does_not_support.append(f"{claim}: without spread there is no test.")
        elif r > 1:
            a.does_not_support.append(
                f"{claim}: even two systems that rise and fall together could not show it here ({p})."
            )
        elif r <= -1:
            a.supports.append(f"{claim[5:]}, however the two go together over the questions ({p}).")
        elif r <= 0:
            a.supports.append(
                f"{claim[5:]}, unless the two systems oppose each other over the questions (correlation "
                f"below {signed(r, 2)}; {p})."
            )
        else:
            a.does_not_support.append(
                f"{claim}, as it stands: it holds if their values over the questions correlate by {r:.2f} or "
                f"more ({p})."
            )
    if paired is None:
        a.notes.append(
            f"Both figures are taken to be of the same {high.n} {noun(high.n, 'question')}. If they are not, "
            f"{apart['test']} gives {_p(apart['p'])}{over}."
        )


def _judge(a: Audit, claim: str, p: float | None, how: str, alpha: float) -> None:
    if p is not None and p <= alpha:
        a.supports.append(f"{claim[5:]} ({how}).")
    else:
        a.does_not_support.append(f"{claim} ({how}).")


def _p(p: float | None) -> str:
    return "p not known" if p is None else pvalue(p)


def _limits(a: Audit, figures: Sequence[Figure]) -> None:
    """What the number of questions, of systems and of clusters puts out of reach."""
    one, row = figures[0], a.figures[0]
    tests, n, wins = a.compared["tests"], a.floor["n"], a.floor["fewest_wins"]
    over = f" among {tests} tests" if tests > 1 else ""
    rest = a.detectable
    if a.floor["least_p_adjusted"] <= a.compared["alpha"]:
        if one.kind == "share":
            told = (
                f"any difference of fewer than {wins} of {n} {noun(n, 'question')} ({wins / n:.3f}){over}: "
                "even if "
                "all of them went one way, no exact paired test would see it."
            )
            least, most = rest["nested"], rest["independent"]
            if most is not None:
                told += (
                    f" To be found {rest['power']:.0%} of the time it must be {least:.3f} (the other never "
                    "wins alone)"
                )
                told += f" to {most:.3f} (the two err independently)." if most - least > 5e-4 else "."
            a.does_not_support.append(told)
        elif rest["d_z"] is not None and rest["correlation_0"]:
            a.does_not_support.append(
                f"small differences{over}: {n} {noun(n, 'question')} find one of "
                f"{rest['correlation_half']:.3f} (the two "
                f"systems correlate by 0.5) or {rest['correlation_0']:.3f} (not at all) "
                f"{rest['power']:.0%} of the time."
            )
    systems = a.compared["systems"]
    if systems > len(figures) or systems > 2:
        low, high = row["best_of"]
        if low is not None:
            a.does_not_support.append(
                f"taking the best of {systems} at its face value: the highest of {systems} is also the "
                f"luckiest. For all {systems} to hold at once the interval of {one.printed} is "
                f"[{low:.3f}, {high:.3f}]."
            )
    if row["clustered"] is not None:
        by = row["clustered"]
        a.does_not_support.append(
            f"treating {one.n} {noun(one.n, 'question')} from {by['clusters']} "
            f"{noun(by['clusters'], 'source')} as {one.n} independent ones: if those "
            f"of a source stand or fall together, the interval is [{by['low']:.3f}, {by['high']:.3f}]."
        )
    a.does_not_support.append(
        "anything about other corpora, other kinds of question, or labels that are wrong."
    )


def _help(a: Audit, figures: Sequence[Figure], *, same: bool, paired: bool | None, counted: bool) -> None:
    if len(figures) == 2 and same:
        cells = (
            "the two counts of questions that only one system answers (McNemar, Newcombe)"
            if figures[0].kind == "share"
            else "the standard deviation of the paired differences"
        )
        a.would_help.append(f"{cells}, or the values of both on each question: then it is no longer a guess.")
    elif len(figures) == 2:
        a.would_help.append("both systems on the same questions: pairing removes what questions differ by.")
    if paired is None and same and len(figures) == 2:
        a.would_help.append("whether both were measured on the same questions.")
    for f in figures:
        if f.wrong and f.kind == "share":
            near = min(
                (int(f.value * f.n), min(f.n, int(f.value * f.n) + 1)), key=lambda k: abs(k / f.n - f.value)
            )
            a.would_help.append(
                f"the count behind {f.printed}, or another number of questions: if it is {near} of {f.n}, "
                f"audit {near}/{f.n}."
            )
    if any(f.widest for f in figures):
        a.would_help.append("the standard deviation over questions, or an interval.")
    if not counted:
        a.would_help.append("how many systems and settings were tried before these were printed.")
