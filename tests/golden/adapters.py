# ruff: noqa: PLR0917, S311 - the arguments are the golden inputs; one entry is a published snippet
"""The one mapping table from golden entries to the product: adapters only rename and reshape.

An entry finds its adapter by its function and by the names of its inputs, since two files may call two
things by one name: the adapter's parameters without a default must all be there, and nothing that it
does not take. Two parameters are not inputs: ``rows`` asks for the rows of the expected table when the
questions stand among the answers, and ``folder`` for the folder of data files.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


class Absent(Exception):
    """The data of an entry are not here."""


@dataclass(frozen=True)
class Adapter:
    """One line of the table."""

    call: Callable[..., Any]
    needs: frozenset[str]
    takes: frozenset[str]
    extras: frozenset[str]  # of rows, folder

    def fits(self, inputs: dict[str, Any]) -> bool:
        """Whether an entry with these inputs is meant."""
        return self.needs <= inputs.keys() <= self.takes


TABLE: dict[str, list[Adapter]] = {}
EXTRAS = frozenset({"rows", "folder"})


def golden(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register an adapter that takes the inputs as keyword arguments."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = inspect.signature(function).parameters.values()
        adapter = Adapter(
            call=function,
            needs=frozenset(p.name for p in parameters if p.default is p.empty) - EXTRAS,
            takes=frozenset(p.name for p in parameters) - EXTRAS,
            extras=frozenset(p.name for p in parameters) & EXTRAS,
        )
        for name in names:
            TABLE.setdefault(name, []).append(adapter)
        return function

    return register


def find(function: str, inputs: dict[str, Any]) -> Adapter | None:
    """The adapter for an entry; None when the table has none."""
    return next((adapter for adapter in TABLE.get(function, ()) if adapter.fits(inputs)), None)


def stats(module: str) -> Any:
    return import_module(f"evenhand.stats.{module}")


def pair(interval: Any) -> list[float] | None:
    return None if interval.low is None else [interval.low, interval.high]


# --- proportions


@golden("wilson_interval")
def wilson_interval(k, n, confidence):
    return pair(stats("intervals.proportion").wilson(k, n, level=confidence))


@golden("wilson_bound_one_sided")
def wilson_bound_one_sided(k, n, confidence, side):
    return pair(stats("intervals.proportion").wilson(k, n, level=confidence, side=side))


@golden("clopper_pearson")
def clopper_pearson(k, n, confidence, side):
    return pair(stats("intervals.proportion").clopper_pearson(k, n, level=confidence, side=side))


@golden("min_n_zero_errors")
def min_n_zero_errors(alpha, delta):
    return stats("intervals.proportion").min_n_zero_errors(alpha, delta)


@golden("n_for_wilson_halfwidth")
def n_for_wilson_halfwidth(p, half_width, confidence):
    return stats("intervals.proportion").n_for_wilson_halfwidth(p, half_width, level=confidence)


@golden("icc_anova_binary")
def icc_anova_binary(successes, sizes):
    found = stats("intervals.proportion").icc_anova_binary(successes, sizes)
    return {
        "icc": found.icc,
        "msb": found.msb,
        "msw": found.msw,
        "n0": found.n0,
        "icc_clipped": found.clipped,
    }


@golden("wilson_design_effect")
def wilson_design_effect(successes, sizes, confidence, m, on_undefined_icc):
    found = stats("intervals.proportion").wilson_design_effect(
        successes, sizes, level=confidence, m=m, on_undefined_icc=on_undefined_icc
    )
    return {
        "p": found.point,
        "N": found.n,
        "k": found.clusters,
        "m": found.m,
        "icc": found.icc,
        "icc_undefined": found.icc_undefined,
        "deff": found.deff,
        "n_eff": found.n_eff,
        "interval": pair(found.interval),
    }


# --- bootstrap


@golden("bootstrap_mean_percentile")
def bootstrap_mean_percentile(x, n_resamples, seed, confidence, rng=None):
    found = stats("intervals.bootstrap").mean_percentile(
        x, level=confidence, resamples=n_resamples, seed=seed
    )
    if found.point is None:
        return None
    flags = {"zero_width": "zero_width" in found.interval.flags}
    return {"mean": found.point, "interval": pair(found.interval), **flags}


@golden("bootstrap_mean_exact_distribution")
def bootstrap_mean_exact_distribution(x, confidence):
    found = stats("intervals.bootstrap").mean_exact(x, level=confidence)
    return {"mean": found.point, "interval": pair(found.interval), "n_resamples": found.resamples}


@golden("bootstrap_mean_bca")
def bootstrap_mean_bca(x, n_resamples, seed, confidence):
    found = stats("intervals.bootstrap").mean_bca(x, level=confidence, resamples=n_resamples, seed=seed)
    if found.z0 is None:
        return None
    return {"z0": found.z0, "a": found.a, "alpha": list(found.alpha), "interval": pair(found.interval)}


@golden("bca_acceleration")
def bca_acceleration(x, statistic):
    assert statistic == "mean"
    return stats("intervals.bootstrap").bca_acceleration(x)


def _rates(found):
    return {
        "n_sources": found.sources,
        "n_empty": found.empty,
        "macro": {"estimate": found.macro.point, "interval": pair(found.macro.interval)},
        "pooled": {"estimate": found.pooled.point, "interval": pair(found.pooled.interval)},
    }


@golden("cluster_bootstrap_rate_exact")
def cluster_bootstrap_rate_exact(fp, n, confidence):
    return _rates(stats("intervals.bootstrap").cluster_rate_exact(fp, n, level=confidence))


@golden("cluster_bootstrap_rate_mc")
def cluster_bootstrap_rate_mc(fp, n, n_resamples, seed, confidence):
    return _rates(
        stats("intervals.bootstrap").cluster_rate(fp, n, level=confidence, resamples=n_resamples, seed=seed)
    )


# --- pairs


@golden("paired_summary")
def paired_summary(a, b):
    found = stats("paired.paired").summary(a, b)
    return {
        "n": found.n,
        "mean_diff": found.difference,
        "sd": found.sd,
        "dz": found.d_z,
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
    }


@golden("paired_bootstrap_mean_diff")
def paired_bootstrap_mean_diff(a, b, n_resamples, seed, confidence):
    found = stats("paired.paired").bootstrap_mean_difference(
        a, b, level=confidence, resamples=n_resamples, seed=seed
    )
    return {"mean_diff": found.point, "interval": pair(found.interval)}


@golden("signflip_exact")
def signflip_exact(d):
    found = stats("paired.signflip").signflip(d)
    assert found.exact
    return {"p": found.p, "k": found.k, "count": found.count, "total": found.total}


@golden("signflip_monte_carlo")
def signflip_monte_carlo(d, n_resamples, method):
    assert method == "monte_carlo"
    found = stats("paired.signflip").signflip(d, signs=n_resamples)
    assert not found.exact
    return found.p


@golden("seed2_randomization_snippet")
def seed2_randomization_snippet(b, c, n, trials, seed, rng):
    # the published snippet itself, which needs the standard library's generator: nothing of the product
    from random import Random

    assert rng == "random.Random"
    dice, differences = Random(seed), [1] * b + [-1] * c + [0] * (n - b - c)
    observed = abs(sum(differences))
    extreme = sum(
        abs(sum(d if dice.random() < 0.5 else -d for d in differences)) >= observed for _ in range(trials)
    )
    return (extreme + 1) / (trials + 1)


@golden("holm")
def holm(p, family_size=None):
    return stats("many_systems.multiple").holm(p, family=family_size)


@golden("mcnemar")
def mcnemar(b, c):
    found = stats("paired.paired").mcnemar(b, c)
    return {"p_exact": found.p_exact, "p_mid": found.p_mid}


@golden("newcombe_paired")
def newcombe_paired(both, only_first, only_second, neither, confidence, method):
    found = stats("paired.paired").newcombe(
        both, only_first, only_second, neither, level=confidence, method=method
    )
    if found.difference is None:
        return None
    return {"diff": found.difference, "phi": found.phi, "interval": pair(found.interval)}


# --- power


@golden("sample_size_paired")
def sample_size_paired(dz, power, alpha):
    found = stats("power.paired").sample_size_paired(dz, power=power, alpha=alpha)
    return {"n_t": found.n_t, "n_normal": found.n_normal}


@golden("power_paired_t")
def power_paired_t(dz, n, alpha):
    return stats("power.paired").power_paired_t(dz, n, alpha=alpha)


@golden("mdes_paired_t")
def mdes_paired_t(n, power, alpha):
    return stats("power.paired").mdes_paired_t(n, power=power, alpha=alpha)


@golden("t_from_dz")
def t_from_dz(dz, n):
    found = stats("power.paired").t_from_dz(dz, n)
    return {"t": found.t, "p": found.p}


@golden("noninferiority_t")
def noninferiority_t(d, margin, alpha):
    found = stats("power.paired").noninferiority_t(d, margin, alpha=alpha)
    return {"p": found.p, "lower": found.low, "upper": found.high, "verdict": found.verdict}


@golden("noninferiority_newcombe")
def noninferiority_newcombe(both, only_new, only_old, neither, margin, alpha):
    found = stats("power.paired").noninferiority_newcombe(
        both, only_new, only_old, neither, margin, alpha=alpha
    )
    return {"diff": found.difference, "lower": found.low, "upper": found.high, "verdict": found.verdict}


# --- a score against a label


@golden("roc_auc")
def roc_auc(scores, labels):
    return stats("intervals.ranking").roc_auc(scores, labels)


@golden("auc_delong")
def auc_delong(scores, labels, confidence):
    found = stats("intervals.ranking").auc_delong(scores, labels, level=confidence)
    return {"auc": found.auc, "var": found.variance, "interval": pair(found.interval)}


@golden("auc_source_bootstrap_exact")
def auc_source_bootstrap_exact(source, scores, labels, confidence):
    found = stats("intervals.auc_sources").auc_by_source_exact(scores, labels, source, level=confidence)
    return {
        "auc": found.point,
        "interval": pair(found.interval),
        "n_resamples": found.resamples,
        "n_undefined": found.undefined,
    }


@golden("average_precision_scored")
def average_precision_scored(scores, labels):
    return stats("intervals.ranking").average_precision(scores, labels)


@golden("threshold_table")
def threshold_table(scores, labels, source, grid, min_n, min_sources, confidence):
    rows = stats("intervals.ranking").threshold_table(
        scores, labels, source, grid, min_n=min_n, min_sources=min_sources, level=confidence
    )
    return [
        {
            "threshold": row.threshold,
            "n": row.n,
            "fp": row.wrong,
            "n_sources": row.sources,
            "pooled_rate": row.pooled,
            "macro_rate": row.macro,
            "wilson": pair(row.interval),
            "sparse": row.sparse,
        }
        for row in rows
    ]


# --- agreement


@golden("cohen_kappa")
def cohen_kappa(rater1, rater2):
    found = stats("agreement.raw_agreement").cohen_kappa(rater1, rater2)
    return {
        "kappa": found.kappa,
        "po": found.observed,
        "pe": found.expected,
        "degenerate": found.degenerate,
    }


@golden("kappa_topic_bootstrap_exact")
def kappa_topic_bootstrap_exact(topic, rater1, rater2, confidence):
    found = stats("agreement.raw_agreement").kappa_by_topic_exact(rater1, rater2, topic, level=confidence)
    return {
        "kappa": found.kappa,
        "interval": pair(found.interval),
        "n_resamples": found.resamples,
        "n_undefined": found.undefined,
        "n_one_rater_constant": found.one_rater_constant,
    }


@golden("panel_agreement_3")
def panel_agreement_3(votes):
    found = stats("agreement.raw_agreement").panel(votes)
    return {
        "unanimous": found.unanimous,
        "mean_pairwise": found.mean_pairwise,
        "majority": list(found.majority),
    }


# --- answer or defer


@golden("risk_coverage_curve")
def risk_coverage_curve(confidence_scores, losses):
    points = stats("selective.risk_coverage").risk_coverage(confidence_scores, losses)
    return [{"threshold": p.threshold, "coverage": p.coverage, "risk": p.risk} for p in points]


@golden("aurc_family")
def aurc_family(confidence_scores, losses):
    found = stats("selective.risk_coverage").areas(confidence_scores, losses)
    return {
        "aurc": found.aurc,
        "aurc_oracle": found.oracle,
        "e_aurc": found.e_aurc,
        "augrc": found.augrc,
        "risk_full": found.risk,
    }


@golden("coverage_at_risk")
def coverage_at_risk(confidence_scores, losses, target_risk):
    found = stats("selective.risk_coverage").coverage_at_risk(confidence_scores, losses, target_risk)
    return {"coverage": found.coverage, "threshold": found.threshold, "risk": found.risk}


@golden("decision_metrics")
def decision_metrics(
    answered_correct,
    answered_wrong_answerable,
    answered_should_defer,
    deferred_answerable,
    deferred_correct,
    confidence,
):
    found = stats("selective.risk_coverage").decisions(
        answered_correct=answered_correct,
        answered_wrong=answered_wrong_answerable,
        answered_should_defer=answered_should_defer,
        deferred_answerable=deferred_answerable,
        deferred_correct=deferred_correct,
        level=confidence,
    )

    def rate(one):
        return {
            "k": one.k,
            "n": one.n,
            "rate": one.rate,
            "wilson": pair(one.wilson),
            "clopper_pearson": pair(one.clopper_pearson),
        }

    return {
        "answered_precision": rate(found.answered_precision),
        "answerable_coverage": rate(found.answerable_coverage),
        "false_answer_rate": rate(found.false_answer_rate),
        "decision_accuracy": rate(found.accuracy),
    }


@golden("separability")
def separability(pos, neg, bin_edges):
    found = stats("selective.risk_coverage").separability(pos, neg, bin_edges)
    if found is None:
        return None
    return {"auc": found.auc, "ks": found.ks, "cliffs_delta": found.cliffs_delta, "overlap": found.overlap}


@golden("learn_then_test")
def learn_then_test(thresholds, n_answered, n_errors, alpha, delta, method):
    found = stats("selective.guarantee").learn_then_test(
        thresholds, n_answered, n_errors, alpha=alpha, delta=delta, method=method
    )
    return {
        "p_values": list(found.p_values),
        "rejected": list(found.rejected),
        "selected": found.selected,
    }


@golden("ltt_cp_duality")
def ltt_cp_duality(errors, n, alpha, delta):
    found = stats("selective.guarantee").certificate(errors, n, alpha=alpha, delta=delta)
    return {"p_value": found.p_value, "cp_upper": found.upper, "certified": found.certified}


@golden("hoeffding_bentkus_pvalue")
def hoeffding_bentkus_pvalue(risk, n, alpha):
    return stats("selective.guarantee").hoeffding_bentkus_pvalue(risk, n, alpha)


@golden("conformal_risk_control")
def conformal_risk_control(losses, lambdas, alpha, B):  # noqa: N803 - the golden input is called so
    found = stats("selective.guarantee").conformal_risk_control(losses, lambdas, alpha=alpha, bound=B)
    return {"lam": found.selected, "adjusted": list(found.adjusted)}


# --- looking repeatedly


@golden("confseq_normal_mixture_radius")
def confseq_normal_mixture_radius(t, alpha, t_opt, sigma):
    return stats("intervals.sequential").normal_mixture_radius(t, alpha=alpha, t_opt=t_opt, sigma=sigma)


@golden("confseq_asymptotic_radius")
def confseq_asymptotic_radius(t, sd, rho, alpha):
    return stats("intervals.sequential").asymptotic_radius(t, sd, rho=rho, alpha=alpha)


@golden("confseq_beta_binomial")
def confseq_beta_binomial(successes, failures, alpha, prior_a, prior_b):
    return pair(
        stats("intervals.sequential").beta_binomial(successes, failures, alpha=alpha, a=prior_a, b=prior_b)
    )


@golden("confseq_empirical_bernstein")
def confseq_empirical_bernstein(x, alpha, running_intersection):
    low, high = stats("intervals.sequential").empirical_bernstein(
        x, alpha=alpha, running_intersection=running_intersection
    )
    return {
        "final": [float(low[-1]), float(high[-1])],
        "at_n": [5, len(x)],
        "at_5": [float(low[4]), float(high[4])],
    }


@golden("alpha_spending_bounds")
def alpha_spending_bounds(information, alpha, spending):
    found = stats("intervals.sequential").alpha_spending(information, alpha=alpha, spending=spending)
    return {
        "bounds": list(found.bounds),
        "cumulative_alpha": list(found.cumulative_alpha),
        "nominal_p": list(found.nominal_p),
    }


# --- fusion


def _runs(lists):
    import numpy as np

    from evenhand.model.run import Run

    names = sorted({unit for ranking in lists for unit, _ in ranking})
    code = {unit: i for i, unit in enumerate(names)}
    return [
        Run(
            system=f"r{i}",
            questions=("q",),
            offsets=np.array([0, len(ranking)]),
            unit=np.array([code[unit] for unit, _ in ranking], dtype=np.int32),
            score=np.array([score for _, score in ranking], dtype=float),
            table=names,
        )
        for i, ranking in enumerate(lists)
    ]


def _fuse():
    return import_module("evenhand.retrieve.combine.fuse")


@golden("rrf")
def rrf(runs, k, weights):
    made = _runs([[(unit, -float(rank)) for rank, unit in enumerate(ranking)] for ranking in runs])
    found = list(_fuse().rrf(made, k=k, weights=weights).ranking("q"))
    return {"ranking": [hit.unit for hit in found], "scores": {hit.unit: float(hit.score) for hit in found}}


@golden("score_fusion")
def score_fusion(runs, kind, norm, weights):
    made = _runs([sorted(scores.items(), key=lambda item: -item[1]) for scores in runs])
    found = _fuse().fuse(made, method=kind, norm=norm, weights=weights)
    return {hit.unit: float(hit.score) for hit in found.ranking("q")}


@golden("score_normalisation")
def score_normalisation(scores, kind):
    import numpy as np

    found = _fuse().normalise(np.array(list(scores.values()), dtype=float), kind)
    return dict(zip(scores, found.tolist(), strict=True))


@golden("consensus_gate")
def consensus_gate(runs):
    found = import_module("evenhand.gate.production.rules").consensus(runs)
    return {"decision": found.decision, "top1": found.top}


# --- one question: evenhand.metrics.catalogue.reference has a function of each golden name


SINGLE = (
    "ndcg mrr_at_k recall_at_k precision_at_k success_at_k average_precision_ranked r_precision rbp err "
    "bpref infap judged_at_k condensed_ndcg alpha_ndcg nugget_coverage_at_k chroma_span_scores trec_tie_order"
)
for name in SINGLE.split():
    golden(name)(getattr(import_module("evenhand.metrics.catalogue.reference"), name))
