# ruff: noqa: PLR0917, S311 - the arguments are the golden inputs; one entry is a published snippet
"""The one mapping table from golden functions to the product: adapters only rename and reshape."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

ADAPTERS: dict[str, Callable[[dict[str, Any]], Any]] = {}


def golden(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register an adapter that takes the inputs as keyword arguments."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            ADAPTERS[name] = lambda inputs: function(**inputs)
        return function

    return register


def stats(module: str) -> Any:
    return import_module(f"evenhand.stats.{module}")


def pair(interval: Any) -> list[float] | None:
    return None if interval.low is None else [interval.low, interval.high]


# --- proportions


@golden("wilson_interval")
def wilson_interval(k, n, confidence):
    return pair(stats("proportion").wilson(k, n, level=confidence))


@golden("wilson_bound_one_sided")
def wilson_bound_one_sided(k, n, confidence, side):
    return pair(stats("proportion").wilson(k, n, level=confidence, side=side))


@golden("clopper_pearson")
def clopper_pearson(k, n, confidence, side):
    return pair(stats("proportion").clopper_pearson(k, n, level=confidence, side=side))


@golden("min_n_zero_errors")
def min_n_zero_errors(alpha, delta):
    return stats("proportion").min_n_zero_errors(alpha, delta)


@golden("n_for_wilson_halfwidth")
def n_for_wilson_halfwidth(p, half_width, confidence):
    return stats("proportion").n_for_wilson_halfwidth(p, half_width, level=confidence)


@golden("icc_anova_binary")
def icc_anova_binary(successes, sizes):
    found = stats("proportion").icc_anova_binary(successes, sizes)
    return {
        "icc": found.icc,
        "msb": found.msb,
        "msw": found.msw,
        "n0": found.n0,
        "icc_clipped": found.clipped,
    }


@golden("wilson_design_effect")
def wilson_design_effect(successes, sizes, confidence, m, on_undefined_icc):
    found = stats("proportion").wilson_design_effect(
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
    found = stats("bootstrap").mean_percentile(x, level=confidence, resamples=n_resamples, seed=seed)
    if found.point is None:
        return None
    flags = {"zero_width": "zero_width" in found.interval.flags}
    return {"mean": found.point, "interval": pair(found.interval), **flags}


@golden("bootstrap_mean_exact_distribution")
def bootstrap_mean_exact_distribution(x, confidence):
    found = stats("bootstrap").mean_exact(x, level=confidence)
    return {"mean": found.point, "interval": pair(found.interval), "n_resamples": found.resamples}


@golden("bootstrap_mean_bca")
def bootstrap_mean_bca(x, n_resamples, seed, confidence):
    found = stats("bootstrap").mean_bca(x, level=confidence, resamples=n_resamples, seed=seed)
    if found.z0 is None:
        return None
    return {"z0": found.z0, "a": found.a, "alpha": list(found.alpha), "interval": pair(found.interval)}


@golden("bca_acceleration")
def bca_acceleration(x, statistic):
    assert statistic == "mean"
    return stats("bootstrap").bca_acceleration(x)


def _rates(found):
    return {
        "n_sources": found.sources,
        "n_empty": found.empty,
        "macro": {"estimate": found.macro.point, "interval": pair(found.macro.interval)},
        "pooled": {"estimate": found.pooled.point, "interval": pair(found.pooled.interval)},
    }


@golden("cluster_bootstrap_rate_exact")
def cluster_bootstrap_rate_exact(fp, n, confidence):
    return _rates(stats("bootstrap").cluster_rate_exact(fp, n, level=confidence))


@golden("cluster_bootstrap_rate_mc")
def cluster_bootstrap_rate_mc(fp, n, n_resamples, seed, confidence):
    return _rates(stats("bootstrap").cluster_rate(fp, n, level=confidence, resamples=n_resamples, seed=seed))


# --- pairs


@golden("paired_summary")
def paired_summary(a, b):
    found = stats("paired").summary(a, b)
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
    found = stats("paired").bootstrap_mean_difference(
        a, b, level=confidence, resamples=n_resamples, seed=seed
    )
    return {"mean_diff": found.point, "interval": pair(found.interval)}


@golden("signflip_exact")
def signflip_exact(d):
    found = stats("signflip").signflip(d)
    assert found.exact
    return {"p": found.p, "k": found.k, "count": found.count, "total": found.total}


@golden("signflip_monte_carlo")
def signflip_monte_carlo(d, n_resamples, method):
    assert method == "monte_carlo"
    found = stats("signflip").signflip(d, signs=n_resamples)
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
    return stats("multiple").holm(p, family=family_size)


@golden("mcnemar")
def mcnemar(b, c):
    found = stats("paired").mcnemar(b, c)
    return {"p_exact": found.p_exact, "p_mid": found.p_mid}


@golden("newcombe_paired")
def newcombe_paired(both, only_first, only_second, neither, confidence, method):
    found = stats("paired").newcombe(both, only_first, only_second, neither, level=confidence, method=method)
    if found.difference is None:
        return None
    return {"diff": found.difference, "phi": found.phi, "interval": pair(found.interval)}


# --- power


@golden("sample_size_paired")
def sample_size_paired(dz, power, alpha):
    found = stats("power").sample_size_paired(dz, power=power, alpha=alpha)
    return {"n_t": found.n_t, "n_normal": found.n_normal}


@golden("power_paired_t")
def power_paired_t(dz, n, alpha):
    return stats("power").power_paired_t(dz, n, alpha=alpha)


@golden("mdes_paired_t")
def mdes_paired_t(n, power, alpha):
    return stats("power").mdes_paired_t(n, power=power, alpha=alpha)


@golden("t_from_dz")
def t_from_dz(dz, n):
    found = stats("power").t_from_dz(dz, n)
    return {"t": found.t, "p": found.p}


@golden("noninferiority_t")
def noninferiority_t(d, margin, alpha):
    found = stats("power").noninferiority_t(d, margin, alpha=alpha)
    return {"p": found.p, "lower": found.low, "upper": found.high, "verdict": found.verdict}


@golden("noninferiority_newcombe")
def noninferiority_newcombe(both, only_new, only_old, neither, margin, alpha):
    found = stats("power").noninferiority_newcombe(both, only_new, only_old, neither, margin, alpha=alpha)
    return {"diff": found.difference, "lower": found.low, "upper": found.high, "verdict": found.verdict}
