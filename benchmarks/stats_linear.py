"""Every estimator over columns, at 10^4 and 10^5 items: time may grow tenfold, memory stays within its blocks."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.bench import Bench, Row
from evenhand.stats.agreement import gwet, judge_accuracy, kappa, krippendorff, raw_agreement
from evenhand.stats.intervals import (
    auc_sources,
    bootstrap,
    clusters,
    correlation,
    proportion,
    ranking,
    resample,
    sequential,
)
from evenhand.stats.many_systems import multiple
from evenhand.stats.paired import paired, signflip
from evenhand.stats.power import paired as power
from evenhand.stats.power import prediction_powered
from evenhand.stats.prediction_powered import designs, mean, samples
from evenhand.stats.selective import guarantee, risk_coverage

MOST = 30.0  # times as long for ten times the items: sorting takes 13, caches the rest; quadratic is 100
SHORT = 0.002  # seconds at the larger size below which the clock says nothing of growth
BLOCK = resample.CELLS * 8 / 2**20  # MiB of one block of one array
BLOCKS = 6  # blocks that may be held at once: indices, counts, their float form, sums
DRAWS = {"resamples": 100}


def world(n: int) -> dict[str, Any]:
    """Columns of *n* items in clusters of ten, and three raters of them."""
    dice = np.random.default_rng(20241009)
    x, y = dice.random(n), (dice.random(n) < 0.4).astype(float)
    judge = np.where(dice.random(n) < 0.2, 1 - y, y)
    grades = dice.integers(0, 3, n)
    votes = [
        [int(g if dice.random() < 0.7 else dice.integers(0, 3)) for _ in range(3)] for g in grades.tolist()
    ]
    half = n // 2
    return {
        "x": x,
        "other": x + dice.normal(0, 0.1, n),
        "y": y,
        "judge": judge,
        "bits": y.astype(int).tolist(),
        "said": judge.astype(int).tolist(),
        "votes": votes,
        "cluster": (np.arange(n) // 10).tolist(),
        "coarse": (np.arange(n) % 30).tolist(),
        "half": half,
        "human": [v if i < half else None for i, v in enumerate(y.tolist())],
        "whole": [v if i // 10 % 2 else None for i, v in enumerate(y.tolist())],
        "p": dice.random(n).tolist(),
        "events": dice.integers(0, 5, n),
        "losses": (dice.random((n, 1)) > np.linspace(0, 1, 9)).astype(float),
    }


CALLS: dict[str, Callable[[dict[str, Any]], object]] = {
    "proportion.icc_anova_binary": lambda w: proportion.icc_anova_binary(
        w["events"], np.full(len(w["x"]), 5)
    ),
    "proportion.wilson_design_effect": lambda w: proportion.wilson_design_effect(
        w["events"], np.full(len(w["x"]), 5)
    ),
    "bootstrap.mean": lambda w: bootstrap.mean(w["x"]),
    "bootstrap.mean_percentile": lambda w: bootstrap.mean_percentile(w["x"], **DRAWS),
    "bootstrap.mean_bca": lambda w: bootstrap.mean_bca(w["x"], **DRAWS),
    "bootstrap.cluster_rate": lambda w: bootstrap.cluster_rate(w["events"], np.full(len(w["x"]), 5), **DRAWS),
    "clusters.cluster_mean": lambda w: clusters.cluster_mean(w["x"], w["cluster"]),
    "clusters.cluster_mean_bootstrap": lambda w: clusters.cluster_mean_bootstrap(
        w["x"], w["cluster"], **DRAWS
    ),
    "paired.summary": lambda w: paired.summary(w["x"], w["other"]),
    "paired.bootstrap_mean_difference": lambda w: paired.bootstrap_mean_difference(
        w["x"], w["other"], **DRAWS
    ),
    "signflip.signflip": lambda w: signflip.signflip(w["x"] - w["other"], signs=500),
    "multiple.holm": lambda w: multiple.holm(w["p"]),
    "power.noninferiority_t": lambda w: power.noninferiority_t(w["x"] - w["other"], 0.05),
    "power.noninferiority_bootstrap": lambda w: power.noninferiority_bootstrap(
        w["x"] - w["other"], 0.05, **DRAWS
    ),
    "agreement.raw_agreement": lambda w: raw_agreement.raw_agreement(
        w["bits"], w["said"], clusters=w["cluster"], **DRAWS
    ),
    "agreement.sides": lambda w: raw_agreement.sides(w["bits"], w["said"], **DRAWS),
    "agreement.panel": lambda w: raw_agreement.panel(w["votes"], **DRAWS),
    "kappa.cohen_kappa": lambda w: kappa.cohen_kappa(w["bits"], w["said"], clusters=w["cluster"], **DRAWS),
    "gwet.fleiss_kappa": lambda w: gwet.fleiss_kappa(w["votes"], **DRAWS),
    "gwet.gwet_ac2": lambda w: gwet.gwet_ac2(w["votes"], **DRAWS),
    "krippendorff.krippendorff_alpha": lambda w: krippendorff.krippendorff_alpha(w["votes"], **DRAWS),
    "krippendorff, ordinal": lambda w: krippendorff.krippendorff_alpha(w["votes"], scale="ordinal", **DRAWS),
    "judged.judge_against_human": lambda w: judge_accuracy.judge_against_human(w["said"], w["bits"], **DRAWS),
    "correlation.pearson": lambda w: correlation.pearson(w["x"], w["other"]),
    "correlation.spearman": lambda w: correlation.spearman(w["x"], w["other"]),
    "ppi.ppi_mean": lambda w: mean.ppi_mean(
        w["y"][: w["half"]], w["judge"][: w["half"]], w["judge"][w["half"] :]
    ),
    "ppi_designs.ppi_stratified": lambda w: designs.ppi_stratified(w["human"], w["judge"], w["coarse"]),
    "ppi_designs.ppi_several_judges": lambda w: designs.ppi_several_judges(w["human"], w["votes"]),
    "ppi_samples.ppi_clustered": lambda w: samples.ppi_clustered(w["whole"], w["judge"], w["cluster"]),
    "ppi_samples.ppi_inclusion": lambda w: samples.ppi_inclusion(
        w["human"], w["judge"], np.full(len(w["x"]), 0.5)
    ),
    "ppi_planning.ppi_break_even": lambda w: prediction_powered.ppi_break_even(w["y"], w["judge"]),
    "ranking.roc_auc": lambda w: ranking.roc_auc(w["x"], w["y"]),
    "ranking.auc_delong": lambda w: ranking.auc_delong(w["x"], w["y"]),
    "ranking.average_precision": lambda w: ranking.average_precision(w["x"], w["y"]),
    "ranking.threshold_table": lambda w: ranking.threshold_table(
        w["x"], w["y"], w["cluster"], [0.3, 0.5], **DRAWS
    ),
    "auc_sources.auc_by_source": lambda w: auc_sources.auc_by_source(w["x"], w["y"], w["cluster"], **DRAWS),
    "selective.areas": lambda w: risk_coverage.areas(w["x"], w["y"]),
    "selective.risk_coverage": lambda w: risk_coverage.risk_coverage(w["x"], w["y"]),
    "selective.separability": lambda w: risk_coverage.separability(
        w["x"][w["y"] > 0], w["x"][w["y"] == 0], [0, 0.5, 1]
    ),
    "guarantee.conformal_risk_control": lambda w: guarantee.conformal_risk_control(
        w["losses"], np.linspace(0, 1, 9).tolist(), alpha=0.3
    ),
    "sequential.empirical_bernstein": lambda w: sequential.empirical_bernstein(w["x"]),
}
RESAMPLING: dict[str, Callable[[dict[str, Any], int], object]] = {
    "bootstrap.mean_percentile": lambda w, b: bootstrap.mean_percentile(w["x"], resamples=b),
    "clusters.cluster_mean_bootstrap": lambda w, b: clusters.cluster_mean_bootstrap(
        w["x"], range(len(w["x"])), resamples=b
    ),
    "auc_sources.auc_by_source": lambda w, b: auc_sources.auc_by_source(
        w["x"], w["y"], w["cluster"], resamples=b
    ),
    "signflip.signflip": lambda w, b: signflip.signflip(w["x"] - w["other"], signs=b),
}


def seconds(call: Callable[[], object], times: int) -> float:
    """Processor time of the shortest of a few calls: what else runs on the machine should not count."""
    taken = []
    for _ in range(times + 1):
        begun = time.thread_time()
        call()
        taken.append(time.thread_time() - begun)
    return min(taken)


def peak(call: Callable[[], object]) -> float:
    """MiB that a call holds at its largest, beside what was there before."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return most


def main(quick: bool = False) -> Bench:
    """Measure growth and memory; *quick*: 2,000 against 20,000 items and fewer repeats."""
    small, large = (2_000, 20_000) if quick else (10_000, 100_000)
    one, ten = world(small), world(large)
    rows = []
    for name, call in CALLS.items():
        times = 3 if quick else 4
        first, second = (seconds(lambda w=w: call(w), times) for w in (one, ten))  # noqa: B023
        growth = second / max(first, 1e-9)
        rows.append(
            Row(
                what=f"{name}: {large:,} items",
                found=f"{1000 * second:,.1f} ms, {growth:.1f} times that of {small:,}",
                target=f"at most {MOST:g} times",
                met=growth <= MOST or second < SHORT,
            )
        )
    for name, call_with in RESAMPLING.items():
        full = 2 * resample.CELLS // large + 1  # resamples that fill two blocks
        few, many = (peak(lambda b=b: call_with(ten, b)) for b in (full, 5 * full))  # noqa: B023
        limit = BLOCKS * max(BLOCK, large * 8 / 2**20) + 16
        rows.append(
            Row(
                what=f"{name}: memory at its largest, {large:,} items, {5 * full} resamples",
                found=f"{many:,.0f} MiB ({few:,.0f} with {full})",
                target=f"at most {limit:,.0f} MiB, {BLOCKS} blocks",
                met=many <= limit and many <= few + BLOCK / 2,
            )
        )
    return Bench(
        title="Statistics on many items",
        says="Each estimator over columns, at two sizes in one process; processor time of the shortest of a few calls.",
        rows=tuple(rows),
        notes=(f"resampling with {DRAWS['resamples']} resamples, sign flips with 500 sign vectors",),
    )
