"""The page docs/explanation/coverage.md, from the lines of the study."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from benchmarks.coverage_functions import FUNCTIONS
from benchmarks.coverage_lines import FULL, NS, Line

__all__ = ["page"]

HEAD = """# How often the intervals hold

Every interval promises to hold the truth in 95 of 100 studies like this one. This page says how often it did, in
{studies:,} simulated studies each ({slow:,} for those computed one at a time; {few} for bootstraps of one study each),
with a fixed seed. A figure is uncertain by about 0.4 points ({slow:,} studies: 1; {few}: 2). Hit rates without clusters
are exact, added up over the binomial. `python -m benchmarks coverage` makes the page again.

**Bold**: below 93%, or a share of wrong decisions above what was promised by more than chance. A study in which every
value is the same prints no interval and is left out: of 12 questions with a recall like that of the strong system below,
28 of 100 studies.
"""

SAYS = {
    "means": "Few questions and a lopsided metric make the bootstrap too narrow: it sees only the spread of the "
    "questions at hand. BCa helps little. Reports warn below 20 questions, and up to 100 where six in ten values are the "
    "same, and quote the figures of this table.",
    "paired differences": "The interval beside a difference. The verdict is by the sign-flip test, which keeps its level "
    "at any n.",
    "hit rates": "Wilson is close to 95% on average over rates and may dip at a single one, one-sided ones more: of the "
    "upper bounds of a rate of 0.95 with 12 questions 88% held. Clopper-Pearson never falls below and is wider than it need "
    "be. Where a promise must hold (a certified threshold), Clopper-Pearson is used.",
    "paired hit rates": "Newcombe's method 10 is what reports print; 8 and 9 are there for comparison with other tools.",
    "different questions": "Two figures that were not measured on the same questions, as in an audit of published ones; n "
    "questions each.",
    "hit rates in clusters": "Questions of one document stand or fall together. Ignoring that is the worst mistake on "
    "this page. The design effect repairs most of it; with 3 clusters (n = 12) or 8 (n = 40) nothing repairs it fully, "
    "since the spread between clusters is itself known from 3 or 8 values. Reports warn below 15 clusters.",
    "means in clusters": "The same for means: reports resample questions, not clusters, count the clusters and show the "
    "design effect.",
    "correlation": "Fisher's interval of Pearson's r is made for normal pairs. Where a few values are far out, as with "
    "times and lengths, it is too narrow at every n and gets no better: use Spearman's.",
    "agreement": "The large-sample interval of kappa is short for a dozen items; so is resampling few topics.",
    "three raters": "Percentile bootstrap of items, or of whole topics; shares of independent items are Wilson's. A dozen "
    "items make every coefficient too narrow, AC2 most. With 8 topics (n = 40) all are, and with 20 (n = 100) still a "
    "little: flags say so below 20 of either, and `evenhand judge agree` quotes the range for 8 topics.",
    "few human labels beside a judge": "n is the number of human labels. All of PPI++ is a large-sample interval, flagged "
    "`approximate` below 100 labels, and with a dozen it is no interval at all; `ppi_share` goes back to Wilson below 30. "
    "Strata divide the few labels there are: six labels of a stratum are often all alike, and its spread is then taken as "
    "0. `ppi_several_judges` has no form for clusters: where labels come in clusters use `ppi_clustered` with one judge. "
    "Rogan-Gladen adds pseudo counts and errs on the wide side, and so do the weighted shares.",
    "a score against a label": "The AUC: sources resampled whole; DeLong's, for independent items. A source moves the score "
    "here but not the label, so that DeLong's is little worse for ignoring it; where labels go by source too, draw sources.",
    "selective risk": "Areas under risk against coverage, where one answer in four is wrong and confidence knows a part of "
    "it. The bootstrap draws questions, or whole clusters. E-AURC is the worst. With 8 "
    "clusters all are short by eight points or more, and where clusters are ignored by fifteen at any n.",
    "certified thresholds": "How often the threshold that was chosen had a true risk above the one allowed: in at most 10% "
    "of studies, at any n. With few questions nothing can be certified; the rows of what was certified say so. Questions "
    "that come in clusters break the promise, since it is for independent ones: calibrate on one question of each. Where "
    "Bonferroni seems to keep it all the same, that is its caution and no promise. A fixed sequence stops at its first "
    "threshold when hardly anything is answered there: begin it where enough is. Coverage at a risk, which takes the best "
    "threshold on the same questions, promises nothing: what it chose was worse than it looked about every other time.",
    "controlled risk": "Conformal risk control promises a mean over calibration sets: of the share of all questions that "
    "are answered and wrong. A single set may do worse. With few clusters the mean is a little "
    "above what was promised.",
    "non-inferiority": "The new system is worse by exactly the margin: to pass it is wrong, and so is to fail it, each in at "
    "most 5% of studies. Rare large losses break it: a study that happens to see none sees no spread, and passes; so do "
    "three in ten studies of 12 questions where one in ten loses a half. Where six in ten are ties it is milder: the t passes "
    "in 11% of studies of 12 questions and 8% of 40. No form knows of clusters: where questions come in them, gate "
    "on the mean of each cluster. Newcombe's holds without clusters. The bootstrap here draws 500 times.",
    "looking after every question": "Here the interval must hold at *every* number of questions up to n. All but the last "
    "are guaranteed and therefore wide; the asymptotic one, which reports draw around a difference, is not guaranteed "
    "below a few dozen questions and starts at 20.",
    "planned looks": "Bounds for a normal z, held against a mean over its estimated error, at a quarter, a half, three "
    "quarters and all of n.",
}

SAME = """Each function of `evenhand.stats` that gives an interval or a promise, and its rows above. Functions that go
through all resamples of a few values are the same intervals without chance.
"""


def page(lines: Sequence[Line]) -> str:
    """The page as Markdown."""
    size = FULL
    out = [HEAD.format(studies=size.studies, slow=size.slow, few=size.few)]
    for part in dict.fromkeys(line.part for line in lines):
        inside = [line for line in lines if line.part == part]
        promised = any(line.most is not None for line in inside)
        out += [f"## {part.capitalize()}\n", f"{_wrapped(SAYS[part])}\n"]
        out += [
            f"| {'decision' if promised else 'interval'} | setting | {'at most | ' if promised else ''}"
            + " | ".join(f"n = {n}" for n in NS)
            + " |",
            "|---|---|" + "---:|" * (len(NS) + promised),
        ]
        for line in inside:
            cells = [_cell(line, line.at.get(n)) for n in NS]
            cells = [*([_most(line)] if promised else []), *cells]
            out.append(f"| {line.interval} | {line.setting} | " + " | ".join(cells) + " |")
        out.append("")
    out += ["## Where each falls short\n"]
    for interval, parts in _short(lines).items():
        out.append(_wrapped(f"- **{interval}**: {'; '.join(parts)}.", "  "))
    out += ["", "## Which function is which row\n", SAME, "| function | rows |", "|---|---|"]
    for function, rows in FUNCTIONS.items():
        link = f"[`{function.split('.')[1]}`][evenhand.stats.{function}]"
        out.append(f"| {link} | {'; '.join(rows)} |")
    return "\n".join(out) + "\n"


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 120, subsequent_indent=indent, break_on_hyphens=False)


def _most(line: Line) -> str:
    return "–" if line.most is None else f"{line.most:.0%}"


def _cell(line: Line, x: float | None) -> str:
    if x is None:
        return "–"
    return f"**{x:.1%}**" if line.broken(x) else f"{x:.1%}"


def _short(lines: Sequence[Line]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for line in lines:
        low = [f"{x:.0%} at n = {n}" for n, x in line.at.items() if line.broken(x)]
        if low:
            promise = "" if line.most is None else f" (at most {line.most:.0%} promised)"
            told.setdefault(f"{line.interval} ({line.part})", []).append(
                f"{line.setting}: {', '.join(low)}{promise}"
            )
    return told
