"""Every estimator on its edges: nothing to compute, one value, values that do not vary, the very many.

No call may warn (pytest turns warnings into errors), and nothing that comes back may be NaN, infinite or a
number of numpy's: it goes into JSON as it is. A function added to a module below needs a line here.
"""

import dataclasses
import math
from importlib import import_module
from types import FunctionType

import numpy as np
import pytest

MODULES = [
    "agreement",
    "auc_sources",
    "bootstrap",
    "clusters",
    "correlation",
    "expected_cost",
    "folds",
    "guarantee",
    "gwet",
    "judged",
    "kappa",
    "kappa_planning",
    "krippendorff",
    "logistic",
    "mcnemar_power",
    "multiple",
    "overlap",
    "paired",
    "panel_judged",
    "power",
    "ppi",
    "ppi_designs",
    "ppi_planning",
    "ppi_samples",
    "proportion",
    "proportion_planning",
    "ranking",
    "rogan_gladen",
    "selective",
    "selective_intervals",
    "sequential",
    "signflip",
    "two_samples",
    "votes",
]
MODULE = {name: import_module(f"evenhand.stats.{name}") for name in MODULES}
PUBLIC = {
    f"{name}.{entry}"
    for name, module in MODULE.items()
    for entry in module.__all__
    if isinstance(value := getattr(module, entry), FunctionType) and value.__module__ == module.__name__
}
FEW = {"resamples": 30}
COLUMNS = ([], [0.5], [1.0, 1.0, 1.0], [0.0, 0.0], [0.0, 1.0, 0.5, 0.25])
PAIRS = (([], []), ([1], [0]), ([1, 1, 1], [1, 1, 1]), ([1, 1], [0, 0]), ([1, 0, 1, 1], [1, 0, 0, 1]))
BITS = ([], [1], [0, 0, 0], [1, 1], [1, 0, 1, 0, 0])
PANELS = (
    [],
    [(None, None)],
    [(1, 1)],
    [(1, 1), (1, 1), (1, 1)],
    [(1, 0), (0, 1)],
    [(1, 2), (0, 1), (None, 1)],
)
HUMAN = ([], [None, None], [1], [1, None, None], [1, 1, None, None], [1, 0, 1, None, None, 0])
RARE = [0.0] * 60 + [1e-300]


def each(inputs, **options):
    return [((one,), options) for one in inputs]


def two(pairs, **options):
    return [(pair, options) for pair in pairs]


def grouped(inputs, **options):
    return [((one, list(range(len(one)))), options) for one in inputs] + [
        ((one, ["q"] * len(one)), options) for one in inputs
    ]


def with_judge(*, table=False, extra=None, **options):
    calls = []
    for human in HUMAN:
        for judge in ([1] * len(human), [i % 2 for i in range(len(human))]):
            shown = np.reshape([[a, 1 - a] for a in judge], (len(judge), 2)) if table else judge
            calls.append(((human, shown, *([] if extra is None else [extra(len(human))])), options))
    return calls


def powered(**options):
    return [
        ((y, f, rest), options)
        for y, f in (([], []), ([1], [0]), ([1, 1, 1], [1, 1, 1]), ([1, 0, 1], [1, 0, 0]))
        for rest in ([], [1], [0, 0], [1, 0, 1, 1])
    ]


CALLS = {
    "agreement.raw_agreement": two(PAIRS) + two(PAIRS[1:2], clusters=["q"]),
    "agreement.no_skill_agreement": each(BITS),
    "agreement.sides": two(PAIRS, **FEW),
    "agreement.panel": each(PANELS, **FEW),
    "bootstrap.mean": each(COLUMNS),
    "bootstrap.percentile": [((np.array([0.1, 0.2]),), {"level": 0.9})],
    "bootstrap.mean_percentile": each((*COLUMNS, RARE), **FEW),
    "bootstrap.mean_exact": each(COLUMNS),
    "bootstrap.mean_bca": each((*COLUMNS, RARE), **FEW),
    "bootstrap.bca_acceleration": each((*COLUMNS, RARE)),
    "bootstrap.cluster_rate": two(
        (([], []), ([0], [0]), ([1], [2]), ([1, 0], [2, 0]), ([1, 0], [2, 2])), **FEW
    ),
    "bootstrap.cluster_rate_exact": two((([], []), ([0], [0]), ([1], [2]), ([1, 0], [2, 2]))),
    "clusters.cluster_mean": grouped(COLUMNS),
    "clusters.cluster_mean_bootstrap": grouped(COLUMNS, **FEW),
    "clusters.cluster_mean_exact": grouped(COLUMNS),
    "clusters.cluster_means_of_draws": [(([1, 0], ["q", "r"], [[0, 1]]), {})],
    "clusters.direction": [((b, c, n), {}) for b, c, n in ((0, 0, 0), (0, 0, 9), (1, 0, 1), (5000, 0, 5000))],
    "clusters.direction_by_cluster": two((([], []), ([1], [1]), ([3, 0], [0, 0]))),
    "clusters.icc_anova": grouped(COLUMNS) + two((([0.0, 1.0, 1.0, 1.0], [1, 1, 2, 2]),)),
    "correlation.pearson": two(PAIRS),
    "correlation.phi_interval": [
        ((phi, p, q, n), {})
        for phi in (0.0, 0.7, -0.3, 1.0)
        for p, q in ((0.0, 0.5), (0.5, 0.5), (0.9, 0.8))
        for n in (0, 3.5, 40, 10**6)
    ],
    "correlation.spearman": two(PAIRS),
    "expected_cost.cheapest": [
        ((costs, second), {"prevalence": q, **FEW})
        for costs, second in (
            (np.zeros((2, 0)), []),
            ([[1.0], [0.0]], [True]),
            ([[1.0, 0.0], [1.0, 0.0]], [True, False]),
            ([[1.0, 1.0, 2.0, 0.0]], [False] * 4),
        )
        for q in (None, 0.0, 0.5, 1.0)
    ],
    "expected_cost.cheapest_between": [
        (([0.0, 1.0], [1.0, 0.0], 0), {}),
        (([1.0, 0.0], [0.0, 0.0], 0), {}),
        (([0.0], [0.0], 0), {"high": None}),
    ],
    "folds.folds_by_cluster": [(([0, 1, 1, 0], None), {"folds": 2, "seed": 1})],
    "guarantee.binomial_pvalue": [((0, 0, 0.1), {}), ((0, 10**5, 0.5), {}), ((3, 3, 0.1), {})],
    "guarantee.certificate": [
        ((e, n), {"alpha": 0.1, "delta": 0.05}) for e, n in ((0, 0), (0, 10**5), (9, 9))
    ],
    "guarantee.conformal_risk_control": [
        ((np.zeros((n, 2)), [0.0, 1.0]), {"alpha": 0.1}) for n in (0, 1, 50)
    ],
    "guarantee.hoeffding_bentkus_pvalue": [((0.0, 0, 0.1), {}), ((0.0, 10**6, 0.9), {}), ((1.0, 5, 0.1), {})],
    "guarantee.learn_then_test": [
        ((*rows,), {"alpha": 0.1, "delta": 0.05, "method": method})
        for rows in (([], [], []), ([0.5], [0], [0]), ([0.9, 0.5], [40, 90], [0, 3]))
        for method in ("bonferroni", "fixed_sequence")
    ],
    "guarantee.learn_then_test_losses": [
        (([0.9, 0.5], [0, 90], [0.0, 0.02]), {"alpha": 0.1, "delta": 0.05}),
        (([], [], []), {"alpha": 0.1, "delta": 0.05}),
    ],
    "guarantee.min_n_certified": [((r,), {"alpha": 0.1, "delta": 0.05}) for r in (0.0, 0.05, 0.1, 1.0)],
    "gwet.gwet_ac1": each(PANELS, **FEW),
    "gwet.gwet_ac2": each(PANELS, **FEW) + each(PANELS, weights="linear", **FEW),
    "gwet.fleiss_kappa": each(PANELS, **FEW) + each(PANELS, missing="available", **FEW),
    "gwet.fleiss_kappa_counts": each((np.zeros((0, 2)), [[0, 0]], [[3, 0]], [[2, 1], [3, 0]]), **FEW),
    "judged.judge_against_human": two(PAIRS, **FEW),
    "kappa.cohen_kappa": [
        (pair, {"weights": weights, "clusters": clusters, **FEW})
        for pair in PAIRS
        for weights in ("none", "quadratic")
        for clusters in (None, list(range(len(pair[0]))))
    ],
    "kappa.kappa_by_topic": [((*pair, range(len(pair[0]))), FEW) for pair in PAIRS],
    "kappa.kappa_by_topic_exact": [((*pair, range(len(pair[0]))), {}) for pair in PAIRS],
    "krippendorff.krippendorff_alpha": [
        ((rows,), {"scale": scale, **FEW})
        for rows in PANELS
        for scale in ("nominal", "ordinal", "interval", "ratio")
    ],
    "kappa_planning.kappa_at_agreement": [
        ((table, share), {})
        for table in (
            [[3, 0], [0, 2]],
            [[5, 0], [0, 0]],
            [[1, 2], [3, 4]],
            [[0, 0], [0, 0]],
            [[0, 2], [3, 0]],
        )
        for share in (None, 0.0, 0.6, 1.0)
    ],
    "kappa_planning.kappa_halfwidth": two(((0.6, 0.3, 0), (0.6, 0.3, 50), (1.0, 0.5, 5))),
    "kappa_planning.kappa_variance": two(((0.6, 0.3), (1.0, 0.5), (-1.0, 0.5))),
    "kappa_planning.n_for_kappa_halfwidth": two(((0.6, 0.3, 0.1), (1.0, 0.5, 0.1))),
    "kappa_planning.n_for_kappa_variance": two(((0.0, 0.1), (0.8, 0.001))),
    "mcnemar_power.discordant_shares": two(((0.0, 0.0), (1.0, 1.0), (0.8, 0.7))),
    "mcnemar_power.mcnemar_power": [
        ((b, c, n), {}) for b, c in ((0, 0), (1, 0), (0.2, 0.1)) for n in (0, 1, 10**6)
    ],
    "mcnemar_power.mcnemar_sample_size": two(((0.0, 0.0), (1.0, 0.0), (0.2, 0.1), (0.3, 0.29999999))),
    "multiple.holm": each(([], [None], [0.0, 1.0, None])),
    "paired.bootstrap_mean_difference": two(PAIRS, **FEW),
    "paired.mcnemar": two(((0, 0), (1, 0), (3, 3), (5000, 0))),
    "paired.newcombe": [
        (table, {"method": method})
        for table in ((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (5, 0, 0, 5), (0, 5, 5, 0), (9, 2, 1, 4))
        for method in (8, 9, 10)
    ],
    "paired.summary": two(PAIRS),
    "power.mdes_paired_t": each((1, 2, 3, 10**6)),
    "power.noninferiority_bootstrap": [((column, 0.1), FEW) for column in COLUMNS],
    "power.noninferiority_newcombe": [
        ((*table, 0.1), {}) for table in ((0, 0, 0, 0), (5, 0, 0, 5), (9, 2, 1, 4))
    ],
    "power.noninferiority_t": [((column, 0.1), {}) for column in (*COLUMNS, [9e9, 9e9 + 1])],
    "power.power_paired_t": [((d, n), {}) for d in (0.0, 0.3, 50.0) for n in (0, 1, 2, 10**6)],
    "power.sample_size_paired": each((0.0, 1e-9, 0.36, 1e3)),
    "power.t_from_dz": [((0.36, 1), {}), ((0.36, 40), {}), ((50.0, 400), {})],
    "ppi.ppi_mean": powered() + powered(convention="glide") + powered(lam=1.0, bounds=(0, 1)),
    "ppi.ppi_share": powered(),
    "ppi.ppi_difference": [((human, human, [1] * len(human), [0] * len(human)), {}) for human in HUMAN],
    "ppi.ppi_pvalue": [
        ((MODULE["ppi"].ppi_mean(*arguments), 0.9), {})
        for arguments, _ in powered()
        if len(arguments[0]) != 1
    ],
    "ppi_designs.ppi_stratified": with_judge(extra=lambda n: ["a"] * n)
    + with_judge(extra=lambda n: list(range(n))),
    "ppi_designs.ppi_several_judges": with_judge(table=True),
    "ppi_planning.ppi_break_even": two(PAIRS),
    "ppi_planning.ppi_gain": each((0.0, 0.5, 1.0, -1.0)),
    "ppi_planning.ppi_labels_needed": [
        ((p, rho, 0.05), {"items": items})
        for p in (0.0, 0.4)
        for rho in (0.0, 0.7, 1.0)
        for items in (None, 5, 900)
    ],
    "ppi_samples.ppi_clustered": [
        ((human, [1] * len(human), list(range(len(human)))), {"form": form})
        for human in HUMAN
        for form in ("means", "ratio")
    ],
    "ppi_samples.ppi_inclusion": with_judge(extra=lambda n: [0.5] * n),
    "proportion.clopper_pearson": two(((0, 0), (0, 5), (5, 5), (2, 10**6))),
    "proportion.icc_anova_binary": two(
        (([], []), ([1], [2]), ([1, 1], [1, 1]), ([2, 2], [2, 2]), ([1, 0], [2, 3]))
    ),
    "proportion.min_n_zero_errors": two(((0.1, 0.05), (1e-6, 0.999))),
    "proportion.n_for_wilson_halfwidth": two(((0.0, 0.1), (1.0, 0.001), (0.5, 0.4))),
    "proportion.wilson": two(((0, 0), (0, 5), (5, 5), (2, 10**6), (0.5, 0.7))),
    "proportion.wilson_design_effect": two((([], []), ([1], [2]), ([2, 2], [2, 2]), ([1, 0], [2, 3]))),
    "proportion_planning.min_successes_for_wilson_lower": two(((1, 0.99), (9, 0.0), (9, 0.5))),
    "proportion_planning.n_for_wilson_lower": two(((0.5, 0.5), (1.0, 0.0), (1.0, 1.0), (0.8, 0.7999999999))),
    "proportion_planning.times_design_effect": [((9,), {"per_cluster": 1, "icc": 0})],
    "auc_sources.auc_by_source": [((*pair, range(len(pair[0]))), FEW) for pair in PAIRS],
    "auc_sources.auc_by_source_exact": [((*pair, range(len(pair[0]))), {}) for pair in PAIRS],
    "ranking.auc_delong": two(PAIRS),
    "ranking.average_precision": two(PAIRS),
    "ranking.roc_auc": two(PAIRS),
    "ranking.threshold_table": [
        ((*pair, range(len(pair[0])), [0.0, 2.0]), {"resamples": resamples})
        for pair in PAIRS
        for resamples in (0, 30)
    ],
    "rogan_gladen.allocate_calibration": [
        ((10, rate), {"sensitivity": 1.0, "specificity": 0.5, "pilot": pilot})
        for rate in (0.0, 1.0)
        for pilot in (0, 5)
    ],
    "rogan_gladen.rogan_gladen": [
        ((rate,), {"sensitivity": sn, "specificity": 0.5, "n": n, "negatives": 1, "positives": 1})
        for rate in (0.0, 1.0)
        for sn in (0.5, 0.500000001, 1.0)
        for n in (0, 1, 10**6)
    ],
    "selective.areas": two(PAIRS),
    "selective_intervals.areas_bootstrap": two(PAIRS, **FEW),
    "selective.coverage_at_risk": [((*pair, 0.0), {}) for pair in PAIRS],
    "selective.decisions": [
        (
            (),
            dict.fromkeys(
                (
                    "answered_correct",
                    "answered_wrong",
                    "answered_should_defer",
                    "deferred_answerable",
                    "deferred_correct",
                ),
                count,
            ),
        )
        for count in (0, 3)
    ],
    "selective.risk_coverage": two(PAIRS),
    "selective.separability": [((p, q, [0.0, 0.5, 1.0]), {}) for p, q in PAIRS],
    "logistic.logistic_fit": [
        ((x, [0, 1]), {"penalty": p}) for x in ([[0.0], [1.0]], [[1.0], [1.0]]) for p in (1e-6, 1e6)
    ],
    "overlap.jaccard": two(PAIRS),
    "overlap.rank_biased_overlap": two((([], []), ([], [1]), ([1], [1]), ([1, 2, 3], [4]))),
    "two_samples.ks_pvalue": two(PAIRS) + two((([0.0] * 600, [1.0] * 600),)),
    "power.sample_sizes_paired": each((np.array([]), np.array([0.0, 0.5, -1e-9]))),
    "sequential.alpha_spending": [(([1.0],), {}), (([0.001, 1.0],), {"spending": "pocock"})],
    "sequential.asymptotic_radius": two(((0, 0.5), (1, 0.0), (10**6, 0.5))),
    "sequential.beta_binomial": two(((0, 0), (0, 9), (9, 0), (10**5, 10**5))),
    "sequential.empirical_bernstein": each(([], [0.5], [1.0] * 30, [0.0] * 30)),
    "sequential.normal_mixture_radius": each((0, 1, 10**6)),
    "signflip.signflip": each(([], [0.0], [1.0], [0.0, 0.0], [0.1] * 40)),
    "votes.decided": each(([], [None] * 3, [1], [1, None, None], [1, 0], [1, 0, 2], [9.0])),
    "votes.majority_accuracy": each((0.0, 1.0)),
    "votes.majority_of_three": each(([None] * 3, [1, None, None], [1, 0, 2])),
    "votes.plurality": each(([None] * 3, ["a", None], ["a", "b"], ["a", "b", "a"])),
    "panel_judged.panel_against_human": [
        ((votes, human), FEW)
        for votes, human in (
            ([], []),
            ([[None] * 3], [1]),
            ([[1, 1, 1]], [None]),
            ([[1, 1, 1], [1, 0, 1], [0, None, 1]], [1, 0, 0]),
        )
    ],
    "votes.median_of_three": each(([None] * 3, [1, None, None], [1, 0, 2])),
}
# taken apart or called by others with arrays that are their own
INNER = {"paired.differences", "paired.of_differences", "signflip.signflips"}


def odd(value, at="result"):
    """Where a result holds what may not leave a function."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return [line for name, entry in fields.items() for line in odd(entry, f"{at}.{name}")]
    if isinstance(value, np.ndarray):
        return [] if np.isfinite(value).all() else [f"{at} holds NaN or inf"]
    if isinstance(value, list | tuple):
        return [line for i, entry in enumerate(value) for line in odd(entry, f"{at}[{i}]")]
    if type(value) is float:
        return [] if math.isfinite(value) else [f"{at} is {value}"]
    return [] if type(value) in (int, bool, str, type(None)) else [f"{at} is a {type(value).__name__}"]


def reasons(value, at="result"):
    """Estimates without a point or interval that do not say why."""
    if not dataclasses.is_dataclass(value):
        return []
    names = {field.name for field in dataclasses.fields(value)}
    found: list[str] = []
    if {"low", "high", "reason"} <= names and value.low is None and value.high is None and not value.reason:
        found.append(f"{at} has no bounds and no reason")
    points = names & {"value", "kappa", "point", "icc", "r"} if "reason" in names else ()
    missing = [name for name in points if getattr(value, name) is None and not value.reason]
    found += [f"{at}.{name} is missing without a reason" for name in missing]
    return found + [line for name in names for line in reasons(getattr(value, name), f"{at}.{name}")]


def test_every_public_function_is_called_on_its_edges():
    assert set(CALLS) | INNER == PUBLIC


@pytest.mark.parametrize("name", sorted(CALLS))
def test_nothing_undefined_leaves_a_function_and_the_reason_is_given(name):
    module, function = name.split(".")
    for arguments, options in CALLS[name]:
        found = getattr(MODULE[module], function)(*arguments, **options)
        assert odd(found) == [], (arguments, options)
        assert reasons(found) == [], (arguments, options, found)
