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
    "agreement.raw_agreement",
    "intervals.auc_sources",
    "intervals.bootstrap",
    "intervals.clusters",
    "intervals.correlation",
    "selective.expected_cost",
    "selective.folds",
    "selective.guarantee",
    "agreement.gwet",
    "agreement.judge_accuracy",
    "agreement.kappa",
    "power.kappa",
    "agreement.krippendorff",
    "selective.logistic",
    "power.mcnemar",
    "many_systems.multiple",
    "rank_overlap",
    "paired.paired",
    "agreement.panel_accuracy",
    "power.paired",
    "prediction_powered.mean",
    "prediction_powered.designs",
    "power.prediction_powered",
    "prediction_powered.samples",
    "intervals.proportion",
    "power.proportion",
    "intervals.ranking",
    "prediction_powered.rogan_gladen",
    "selective.risk_coverage",
    "selective.intervals",
    "intervals.sequential",
    "paired.signflip",
    "paired.two_samples",
    "agreement.votes",
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
    "agreement.raw_agreement.raw_agreement": two(PAIRS) + two(PAIRS[1:2], clusters=["q"]),
    "agreement.raw_agreement.no_skill_agreement": each(BITS),
    "agreement.raw_agreement.sides": two(PAIRS, **FEW),
    "agreement.raw_agreement.panel": each(PANELS, **FEW),
    "intervals.bootstrap.mean": each(COLUMNS),
    "intervals.bootstrap.percentile": [((np.array([0.1, 0.2]),), {"level": 0.9})],
    "intervals.bootstrap.mean_percentile": each((*COLUMNS, RARE), **FEW),
    "intervals.bootstrap.mean_exact": each(COLUMNS),
    "intervals.bootstrap.mean_bca": each((*COLUMNS, RARE), **FEW),
    "intervals.bootstrap.bca_acceleration": each((*COLUMNS, RARE)),
    "intervals.bootstrap.cluster_rate": two(
        (([], []), ([0], [0]), ([1], [2]), ([1, 0], [2, 0]), ([1, 0], [2, 2])), **FEW
    ),
    "intervals.bootstrap.cluster_rate_exact": two((([], []), ([0], [0]), ([1], [2]), ([1, 0], [2, 2]))),
    "intervals.clusters.cluster_mean": grouped(COLUMNS),
    "intervals.clusters.cluster_mean_bootstrap": grouped(COLUMNS, **FEW),
    "intervals.clusters.cluster_mean_exact": grouped(COLUMNS),
    "intervals.clusters.cluster_means_of_draws": [(([1, 0], ["q", "r"], [[0, 1]]), {})],
    "intervals.clusters.direction": [
        ((b, c, n), {}) for b, c, n in ((0, 0, 0), (0, 0, 9), (1, 0, 1), (5000, 0, 5000))
    ],
    "intervals.clusters.direction_by_cluster": two((([], []), ([1], [1]), ([3, 0], [0, 0]))),
    "intervals.clusters.icc_anova": grouped(COLUMNS) + two((([0.0, 1.0, 1.0, 1.0], [1, 1, 2, 2]),)),
    "intervals.correlation.pearson": two(PAIRS),
    "intervals.correlation.phi_interval": [
        ((phi, p, q, n), {})
        for phi in (0.0, 0.7, -0.3, 1.0)
        for p, q in ((0.0, 0.5), (0.5, 0.5), (0.9, 0.8))
        for n in (0, 3.5, 40, 10**6)
    ],
    "intervals.correlation.spearman": two(PAIRS),
    "selective.expected_cost.cheapest": [
        ((costs, second), {"prevalence": q, **FEW})
        for costs, second in (
            (np.zeros((2, 0)), []),
            ([[1.0], [0.0]], [True]),
            ([[1.0, 0.0], [1.0, 0.0]], [True, False]),
            ([[1.0, 1.0, 2.0, 0.0]], [False] * 4),
        )
        for q in (None, 0.0, 0.5, 1.0)
    ],
    "selective.expected_cost.cheapest_between": [
        (([0.0, 1.0], [1.0, 0.0], 0), {}),
        (([1.0, 0.0], [0.0, 0.0], 0), {}),
        (([0.0], [0.0], 0), {"high": None}),
    ],
    "selective.folds.folds_by_cluster": [(([0, 1, 1, 0], None), {"folds": 2, "seed": 1})],
    "selective.guarantee.binomial_pvalue": [((0, 0, 0.1), {}), ((0, 10**5, 0.5), {}), ((3, 3, 0.1), {})],
    "selective.guarantee.certificate": [
        ((e, n), {"alpha": 0.1, "delta": 0.05}) for e, n in ((0, 0), (0, 10**5), (9, 9))
    ],
    "selective.guarantee.conformal_risk_control": [
        ((np.zeros((n, 2)), [0.0, 1.0]), {"alpha": 0.1}) for n in (0, 1, 50)
    ],
    "selective.guarantee.hoeffding_bentkus_pvalue": [
        ((0.0, 0, 0.1), {}),
        ((0.0, 10**6, 0.9), {}),
        ((1.0, 5, 0.1), {}),
    ],
    "selective.guarantee.learn_then_test": [
        ((*rows,), {"alpha": 0.1, "delta": 0.05, "method": method})
        for rows in (([], [], []), ([0.5], [0], [0]), ([0.9, 0.5], [40, 90], [0, 3]))
        for method in ("bonferroni", "fixed_sequence")
    ],
    "selective.guarantee.learn_then_test_losses": [
        (([0.9, 0.5], [0, 90], [0.0, 0.02]), {"alpha": 0.1, "delta": 0.05}),
        (([], [], []), {"alpha": 0.1, "delta": 0.05}),
    ],
    "selective.guarantee.min_n_certified": [
        ((r,), {"alpha": 0.1, "delta": 0.05}) for r in (0.0, 0.05, 0.1, 1.0)
    ],
    "agreement.gwet.gwet_ac1": each(PANELS, **FEW),
    "agreement.gwet.gwet_ac2": each(PANELS, **FEW) + each(PANELS, weights="linear", **FEW),
    "agreement.gwet.fleiss_kappa": each(PANELS, **FEW) + each(PANELS, missing="available", **FEW),
    "agreement.gwet.fleiss_kappa_counts": each(
        (np.zeros((0, 2)), [[0, 0]], [[3, 0]], [[2, 1], [3, 0]]), **FEW
    ),
    "agreement.judge_accuracy.judge_against_human": two(PAIRS, **FEW),
    "agreement.kappa.cohen_kappa": [
        (pair, {"weights": weights, "clusters": clusters, **FEW})
        for pair in PAIRS
        for weights in ("none", "quadratic")
        for clusters in (None, list(range(len(pair[0]))))
    ],
    "agreement.kappa.kappa_by_topic": [((*pair, range(len(pair[0]))), FEW) for pair in PAIRS],
    "agreement.kappa.kappa_by_topic_exact": [((*pair, range(len(pair[0]))), {}) for pair in PAIRS],
    "agreement.krippendorff.krippendorff_alpha": [
        ((rows,), {"scale": scale, **FEW})
        for rows in PANELS
        for scale in ("nominal", "ordinal", "interval", "ratio")
    ],
    "power.kappa.kappa_at_agreement": [
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
    "power.kappa.kappa_halfwidth": two(((0.6, 0.3, 0), (0.6, 0.3, 50), (1.0, 0.5, 5))),
    "power.kappa.kappa_variance": two(((0.6, 0.3), (1.0, 0.5), (-1.0, 0.5))),
    "power.kappa.n_for_kappa_halfwidth": two(((0.6, 0.3, 0.1), (1.0, 0.5, 0.1))),
    "power.kappa.n_for_kappa_variance": two(((0.0, 0.1), (0.8, 0.001))),
    "power.mcnemar.discordant_shares": two(((0.0, 0.0), (1.0, 1.0), (0.8, 0.7))),
    "power.mcnemar.mcnemar_power": [
        ((b, c, n), {}) for b, c in ((0, 0), (1, 0), (0.2, 0.1)) for n in (0, 1, 10**6)
    ],
    "power.mcnemar.mcnemar_sample_size": two(((0.0, 0.0), (1.0, 0.0), (0.2, 0.1), (0.3, 0.29999999))),
    "many_systems.multiple.holm": each(([], [None], [0.0, 1.0, None])),
    "paired.paired.bootstrap_mean_difference": two(PAIRS, **FEW),
    "paired.paired.mcnemar": two(((0, 0), (1, 0), (3, 3), (5000, 0))),
    "paired.paired.newcombe": [
        (table, {"method": method})
        for table in ((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (5, 0, 0, 5), (0, 5, 5, 0), (9, 2, 1, 4))
        for method in (8, 9, 10)
    ],
    "paired.paired.summary": two(PAIRS),
    "power.paired.mdes_paired_t": each((1, 2, 3, 10**6)),
    "power.paired.noninferiority_bootstrap": [((column, 0.1), FEW) for column in COLUMNS],
    "power.paired.noninferiority_newcombe": [
        ((*table, 0.1), {}) for table in ((0, 0, 0, 0), (5, 0, 0, 5), (9, 2, 1, 4))
    ],
    "power.paired.noninferiority_t": [((column, 0.1), {}) for column in (*COLUMNS, [9e9, 9e9 + 1])],
    "power.paired.power_paired_t": [((d, n), {}) for d in (0.0, 0.3, 50.0) for n in (0, 1, 2, 10**6)],
    "power.paired.sample_size_paired": each((0.0, 1e-9, 0.36, 1e3)),
    "power.paired.t_from_dz": [((0.36, 1), {}), ((0.36, 40), {}), ((50.0, 400), {})],
    "prediction_powered.mean.ppi_mean": powered()
    + powered(convention="glide")
    + powered(lam=1.0, bounds=(0, 1)),
    "prediction_powered.mean.ppi_share": powered(),
    "prediction_powered.mean.ppi_difference": [
        ((human, human, [1] * len(human), [0] * len(human)), {}) for human in HUMAN
    ],
    "prediction_powered.mean.ppi_pvalue": [
        ((MODULE["prediction_powered.mean"].ppi_mean(*arguments), 0.9), {})
        for arguments, _ in powered()
        if len(arguments[0]) != 1
    ],
    "prediction_powered.designs.ppi_stratified": with_judge(extra=lambda n: ["a"] * n)
    + with_judge(extra=lambda n: list(range(n))),
    "prediction_powered.designs.ppi_several_judges": with_judge(table=True),
    "power.prediction_powered.ppi_break_even": two(PAIRS),
    "power.prediction_powered.ppi_gain": each((0.0, 0.5, 1.0, -1.0)),
    "power.prediction_powered.ppi_labels_needed": [
        ((p, rho, 0.05), {"items": items})
        for p in (0.0, 0.4)
        for rho in (0.0, 0.7, 1.0)
        for items in (None, 5, 900)
    ],
    "prediction_powered.samples.ppi_clustered": [
        ((human, [1] * len(human), list(range(len(human)))), {"form": form})
        for human in HUMAN
        for form in ("means", "ratio")
    ],
    "prediction_powered.samples.ppi_inclusion": with_judge(extra=lambda n: [0.5] * n),
    "intervals.proportion.clopper_pearson": two(((0, 0), (0, 5), (5, 5), (2, 10**6))),
    "intervals.proportion.icc_anova_binary": two(
        (([], []), ([1], [2]), ([1, 1], [1, 1]), ([2, 2], [2, 2]), ([1, 0], [2, 3]))
    ),
    "intervals.proportion.min_n_zero_errors": two(((0.1, 0.05), (1e-6, 0.999))),
    "intervals.proportion.n_for_wilson_halfwidth": two(((0.0, 0.1), (1.0, 0.001), (0.5, 0.4))),
    "intervals.proportion.wilson": two(((0, 0), (0, 5), (5, 5), (2, 10**6), (0.5, 0.7))),
    "intervals.proportion.wilson_design_effect": two(
        (([], []), ([1], [2]), ([2, 2], [2, 2]), ([1, 0], [2, 3]))
    ),
    "power.proportion.min_successes_for_wilson_lower": two(((1, 0.99), (9, 0.0), (9, 0.5))),
    "power.proportion.n_for_wilson_lower": two(((0.5, 0.5), (1.0, 0.0), (1.0, 1.0), (0.8, 0.7999999999))),
    "power.proportion.times_design_effect": [((9,), {"per_cluster": 1, "icc": 0})],
    "intervals.auc_sources.auc_by_source": [((*pair, range(len(pair[0]))), FEW) for pair in PAIRS],
    "intervals.auc_sources.auc_by_source_exact": [((*pair, range(len(pair[0]))), {}) for pair in PAIRS],
    "intervals.ranking.auc_delong": two(PAIRS),
    "intervals.ranking.average_precision": two(PAIRS),
    "intervals.ranking.roc_auc": two(PAIRS),
    "intervals.ranking.threshold_table": [
        ((*pair, range(len(pair[0])), [0.0, 2.0]), {"resamples": resamples})
        for pair in PAIRS
        for resamples in (0, 30)
    ],
    "prediction_powered.rogan_gladen.allocate_calibration": [
        ((10, rate), {"sensitivity": 1.0, "specificity": 0.5, "pilot": pilot})
        for rate in (0.0, 1.0)
        for pilot in (0, 5)
    ],
    "prediction_powered.rogan_gladen.rogan_gladen": [
        ((rate,), {"sensitivity": sn, "specificity": 0.5, "n": n, "negatives": 1, "positives": 1})
        for rate in (0.0, 1.0)
        for sn in (0.5, 0.500000001, 1.0)
        for n in (0, 1, 10**6)
    ],
    "selective.risk_coverage.areas": two(PAIRS),
    "selective.intervals.areas_bootstrap": two(PAIRS, **FEW),
    "selective.risk_coverage.coverage_at_risk": [((*pair, 0.0), {}) for pair in PAIRS],
    "selective.risk_coverage.decisions": [
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
    "selective.risk_coverage.risk_coverage": two(PAIRS),
    "selective.risk_coverage.separability": [((p, q, [0.0, 0.5, 1.0]), {}) for p, q in PAIRS],
    "selective.logistic.logistic_fit": [
        ((x, [0, 1]), {"penalty": p}) for x in ([[0.0], [1.0]], [[1.0], [1.0]]) for p in (1e-6, 1e6)
    ],
    "rank_overlap.jaccard": two(PAIRS),
    "rank_overlap.rank_biased_overlap": two((([], []), ([], [1]), ([1], [1]), ([1, 2, 3], [4]))),
    "paired.two_samples.ks_pvalue": two(PAIRS) + two((([0.0] * 600, [1.0] * 600),)),
    "power.paired.sample_sizes_paired": each((np.array([]), np.array([0.0, 0.5, -1e-9]))),
    "intervals.sequential.alpha_spending": [(([1.0],), {}), (([0.001, 1.0],), {"spending": "pocock"})],
    "intervals.sequential.asymptotic_radius": two(((0, 0.5), (1, 0.0), (10**6, 0.5))),
    "intervals.sequential.beta_binomial": two(((0, 0), (0, 9), (9, 0), (10**5, 10**5))),
    "intervals.sequential.empirical_bernstein": each(([], [0.5], [1.0] * 30, [0.0] * 30)),
    "intervals.sequential.normal_mixture_radius": each((0, 1, 10**6)),
    "paired.signflip.signflip": each(([], [0.0], [1.0], [0.0, 0.0], [0.1] * 40)),
    "agreement.votes.decided": each(([], [None] * 3, [1], [1, None, None], [1, 0], [1, 0, 2], [9.0])),
    "agreement.votes.majority_accuracy": each((0.0, 1.0)),
    "agreement.votes.majority_of_three": each(([None] * 3, [1, None, None], [1, 0, 2])),
    "agreement.votes.plurality": each(([None] * 3, ["a", None], ["a", "b"], ["a", "b", "a"])),
    "agreement.panel_accuracy.panel_against_human": [
        ((votes, human), FEW)
        for votes, human in (
            ([], []),
            ([[None] * 3], [1]),
            ([[1, 1, 1]], [None]),
            ([[1, 1, 1], [1, 0, 1], [0, None, 1]], [1, 0, 0]),
        )
    ],
    "agreement.votes.median_of_three": each(([None] * 3, [1, None, None], [1, 0, 2])),
}
# taken apart or called by others with arrays that are their own
INNER = {"paired.paired.differences", "paired.paired.of_differences", "paired.signflip.signflips"}


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
    module, function = name.rsplit(".", 1)
    for arguments, options in CALLS[name]:
        found = getattr(MODULE[module], function)(*arguments, **options)
        assert odd(found) == [], (arguments, options)
        assert reasons(found) == [], (arguments, options, found)
