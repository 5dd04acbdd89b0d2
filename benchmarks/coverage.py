"""How often the intervals of the product hold the truth: simulation with a fixed seed, 95% intervals.

A full run writes docs/explanation/coverage.md; the figures that reports quote are in evenhand.stats.intervals.coverage.
"""

from __future__ import annotations

from benchmarks import coverage_agreement, coverage_gates, coverage_labels, coverage_sequences
from benchmarks.bench import ROOT, Bench, Row
from benchmarks.coverage_lines import FULL, NS, QUICK, Line
from benchmarks.coverage_means import apart, clustered_means, correlations, means
from benchmarks.coverage_page import page
from benchmarks.coverage_shares import apart as shares_apart
from benchmarks.coverage_shares import clusters, pairs, shares

__all__ = ["main", "simulate"]

PAGE = ROOT / "docs" / "explanation" / "coverage.md"


def simulate(*, quick: bool) -> list[Line]:
    """Every line of the page, in its order."""
    ns, size = ((12, 40), QUICK) if quick else (NS, FULL)
    return [
        *means(ns, size),
        *shares(ns),
        *pairs(ns, size),
        *shares_apart(ns, size),
        *apart(ns, size),
        *clusters(ns, size),
        *clustered_means(ns, size),
        *correlations(ns, size),
        *coverage_agreement.kappas(ns, size),
        *coverage_agreement.three_raters(ns, size),
        *coverage_agreement.yes_or_no(ns, size),
        *coverage_agreement.grades(ns, size),
        *coverage_labels.beside_a_judge(ns, size),
        *coverage_labels.other_designs(ns, size),
        *coverage_labels.unequal_chances(ns, size),
        *coverage_labels.areas_under(ns, size),
        *coverage_gates.areas(ns, size),
        *coverage_gates.promises(ns, size),
        *coverage_gates.noninferiority(ns, size),
        *coverage_sequences.sequences(ns, size),
        *coverage_sequences.looks(ns, size),
    ]


def main(quick: bool) -> Bench:
    """Simulate, write the page (not when *quick*), and name the worst figure of each line."""
    found = simulate(quick=quick)
    if not quick:
        PAGE.write_text(page(found), encoding="utf-8")
    worst: dict[tuple[str, str], tuple[float, int, str]] = {}
    for line in found:
        choose = min if line.most is None else max
        for n, x in () if line.plain else line.at.items():
            key = (line.part, line.interval)
            worst[key] = choose(worst.get(key, (x, n, line.setting)), (x, n, line.setting))
    rows = tuple(
        Row(what=f"{interval} ({part})", found=f"{x:.1%} at n = {n} ({setting})")
        for (part, interval), (x, n, setting) in worst.items()
    )
    return Bench(
        title="Coverage of 95% intervals",
        says="The lowest share of simulated studies whose interval held the truth, or the highest share whose "
        "decision was wrong; all of it is in [the page](../docs/explanation/coverage.md).",
        rows=rows,
    )
