# ruff: noqa: N803, PLR0917 - the arguments are the golden inputs
"""The lines of the table for agreement, calibration and prediction-powered estimates.

What the product does not offer is taken from a library here, so that the reference file can be read in
whole: Wald and Agresti-Coull intervals, the chi-square McNemar test, Randolph's and Conger's kappa.
"""

from __future__ import annotations

from itertools import combinations

from adapters import Absent, golden, pair, stats

FEW = {"resamples": 20}  # only the points are compared here; the intervals have tests of their own


def asked(value, *steps):
    """A question that stands among the answers, read at the nearest whole *steps*.

    So a row whose question is off by 1% is answered for the question that was meant, and shows.
    """
    return min((round(value / step) * step for step in steps), key=lambda near: abs(near - value))


# --- two raters


@golden("raw_agreement")
def raw_agreement(a, b):
    found = stats("agreement.raw_agreement").raw_agreement(a, b)
    return {"agreement": found.value, "n": found.n, "agree": round(found.value * found.n)}


@golden("cohen_kappa")
def cohen_kappa(a, b):
    found = stats("agreement.kappa").cohen_kappa(a, b)
    return {
        "kappa": found.kappa,
        "raw": found.observed,
        "se": found.se,
        "se_h0": found.se_null,
        "ci95": pair(found.interval),
    }


@golden("weighted_kappa")
def weighted_kappa(a, b, categories):
    names = {"unweighted": "none", "linear": "linear", "quadratic": "quadratic"}
    kappa = stats("agreement.kappa").cohen_kappa
    return {key: kappa(a, b, weights=name, categories=categories).kappa for key, name in names.items()}


@golden("gwet_ac1")
def gwet_ac1(a, b):
    found = stats("agreement.gwet").gwet_ac1(list(zip(a, b, strict=True)), **FEW)
    return {"ac1": found.value, "pe": found.expected, "pa": found.observed}


@golden("gwet_ac2")
def gwet_ac2(a, b, weights):
    pairs = list(zip(a, b, strict=True))
    return {name: stats("agreement.gwet").gwet_ac2(pairs, weights=name, **FEW).value for name in weights}


@golden("mcnemar")
def mcnemar_direction(judge_yes_human_no, judge_no_human_yes, both_yes, both_no):
    b, c = judge_yes_human_no, judge_no_human_yes
    found = stats("intervals.clusters").direction(b, c, b + c + both_yes + both_no)
    answer = {"exact_p": found.p, "net_direction": found.net, "one_sided_p_judge_lenient": found.p_lenient}
    for name, correction in (("chi2_cc", True), ("chi2", False)):
        answer |= {name: None, f"{name}_p": None}
        if b + c:  # statsmodels says inf and p = 0 without a discordant pair
            from statsmodels.stats.contingency_tables import mcnemar

            theirs = mcnemar([[both_yes, b], [c, both_no]], exact=False, correction=correction)
            answer |= {name: float(theirs.statistic), f"{name}_p": float(theirs.pvalue)}
    return answer


# --- panels


def _alpha(ratings, level):
    rows = list(zip(*ratings, strict=True))
    return stats("agreement.krippendorff").krippendorff_alpha(rows, scale=level, **FEW).value


@golden("krippendorff_alpha")
def krippendorff_at(ratings, level):
    return {"alpha": _alpha(ratings, level)}


@golden("krippendorff_alpha")
def krippendorff(ratings):
    return {level: _alpha(ratings, level) for level in ("nominal", "ordinal", "interval", "ratio")}


@golden("fleiss_kappa")
def fleiss_kappa(counts):
    return {"kappa": stats("agreement.gwet").fleiss_kappa_counts(counts, **FEW).value}


def _conger(rows, observed):
    raters = list(zip(*rows, strict=True))
    names = {label for row in rows for label in row}
    shares = [{name: rater.count(name) / len(rater) for name in names} for rater in raters]
    expected = [sum(one[name] * two[name] for name in names) for one, two in combinations(shares, 2)]
    expected = sum(expected) / len(expected)
    return (observed - expected) / (1 - expected)


def _randolph(rows):
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    return float(fleiss_kappa(aggregate_raters(rows)[0], method="randolph"))


@golden("panel_agreement")
def panel_agreement(ratings_item_by_judge):
    rows = ratings_item_by_judge
    found = stats("agreement.raw_agreement").panel(rows, **FEW)
    return {
        "pairwise": {f"{one.first}-{one.second}": one.agreement for one in found.pairs},
        "mean_pairwise": found.mean_pairwise,
        "unanimity": found.unanimous,
        "fleiss_kappa": stats("agreement.gwet").fleiss_kappa(rows, **FEW).value,
        "randolph_kappa": _randolph(rows),
        "alpha_nominal": stats("agreement.krippendorff").krippendorff_alpha(rows, **FEW).value,
        "ac1": stats("agreement.gwet").gwet_ac1(rows, **FEW).value,
        "conger": _conger(rows, found.mean_pairwise),
        "majority": list(found.majority),
    }


@golden("panel_agreement_missing")
def panel_agreement_missing(ratings_item_by_judge):
    rows = ratings_item_by_judge
    found = stats("agreement.raw_agreement").panel(rows, **FEW)
    return {
        "alpha_nominal": stats("agreement.krippendorff").krippendorff_alpha(rows, **FEW).value,
        "ac1": stats("agreement.gwet").gwet_ac1(rows, **FEW).value,
        "fleiss_irrcac": stats("agreement.gwet").fleiss_kappa(rows, missing="available", **FEW).value,
        "mean_pairwise_over_available": found.mean_pairwise,
        "pairs": {f"{one.first}-{one.second}": {"n": one.n, "agree": one.agree} for one in found.pairs},
    }


@golden("majority_of_three")
def majority_of_three(rows, policy=None):
    def answer(votes):
        votes = [None if vote is None else asked(vote, 1) for vote in votes]
        found = stats("agreement.votes").majority_of_three(votes)
        return {"votes": votes, "decision": found.decision, "status": found.status}

    return {"table": [answer(row["votes"]) for row in rows]}


@golden("aggregate_contribution")
def aggregate_contribution(rows, policy=None):
    def answer(votes):
        votes = [None if vote is None else asked(vote, 1) for vote in votes]
        found = stats("agreement.votes").median_of_three(votes)
        return {"votes": votes, "median": found.median, "mode": found.mode}

    return {"table": [answer(row["votes"]) for row in rows]}


@golden("majority_accuracy_independent")
def majority_accuracy_independent(p):
    return {"majority": [stats("agreement.votes").majority_accuracy(one) for one in p]}


# --- shares and planning


@golden("binomial_ci")
def binomial_ci(k, n, confidence=0.95):
    from statsmodels.stats.proportion import proportion_confint

    proportion = stats("intervals.proportion")
    other = {
        key: [float(end) for end in proportion_confint(k, n, 1 - confidence, method)]
        for key, method in (("agresti_coull", "agresti_coull"), ("wald", "normal"))
    }
    return {
        "wilson": pair(proportion.wilson(k, n, level=confidence)),
        "clopper_pearson": pair(proportion.clopper_pearson(k, n, level=confidence)),
        **other,
    }


@golden("plan_calibration_n")
def plan_calibration_n(rows, confidence, rule=None):
    def answer(row):
        p, half = asked(row["expected_agreement"], 0.01, 0.025), asked(row["half_width"], 0.0025)
        n = stats("intervals.proportion").n_for_wilson_halfwidth(p, half, level=confidence)
        return {"expected_agreement": p, "half_width": half, "n_min": n}

    return {"table": [answer(row) for row in rows]}


@golden("plan_gate_n")
def plan_gate_n(rows, threshold, confidence, rule=None):
    def answer(row):
        observed = asked(row["observed"], 0.01, 0.025)
        n = stats("power.proportion").n_for_wilson_lower(observed, threshold, level=confidence)
        return {"observed": observed, "threshold": threshold, "n_min": n}

    return {"table": [answer(row) for row in rows]}


@golden("gate_min_agreements")
def gate_min_agreements(rows, threshold, confidence):
    def answer(row):
        n = asked(row["n"], 1)
        k = stats("power.proportion").min_successes_for_wilson_lower(n, threshold, level=confidence)
        return {"n": n, "k_min": k, "observed_min": None if k is None else k / n}

    return {"table": [answer(row) for row in rows]}


# --- clusters


@golden("cluster_bootstrap")
def cluster_bootstrap(clusters, method=None):
    values = [value for members in clusters.values() for value in members]
    names = [name for name, members in clusters.items() for _ in members]
    found = stats("intervals.clusters").cluster_mean_exact(values, names)
    return {
        "point": found.point,
        "n_resamples": found.resamples,
        "mean": found.mean,
        "sd_pop": found.sd,
        "percentile_ci95": pair(found.interval),
        "sorted_unique": list(found.values),
    }


@golden("cluster_se_mean")
def cluster_se_mean(y, cluster):
    found = stats("intervals.clusters").cluster_mean(y, cluster)
    return {
        "mean": found.mean,
        "se_cluster_nocorr": found.se_uncorrected,
        "se_cluster_corr": found.se,
        "se_iid": found.se_independent,
        "design_effect": found.design_effect,
    }


@golden("cluster_bootstrap_stats")
def cluster_bootstrap_stats(y, cluster, cluster_indices):
    return {"stats": stats("intervals.clusters").cluster_means_of_draws(y, cluster, cluster_indices)}


# --- prediction-powered


def _point(found):
    return {"point": found.point, "ci": pair(found.interval)}


@golden("ppi_mean")
def ppi_mean(Y, Yhat, Yhat_unlabeled, alpha=0.05, conventions=None):
    one, tuned, none = (
        stats("prediction_powered.mean").ppi_mean(Y, Yhat, Yhat_unlabeled, lam=lam, level=1 - alpha)
        for lam in (1.0, None, 0.0)
    )
    return {
        "ppi_lambda1": _point(one),
        "ppi_pp_lambda_hat": _point(tuned),
        "lambda0": _point(none),
        "lambda_hat": tuned.lam,
        "classical": _point(none),
        "imputed_only": {"point": tuned.judge},
        "ess_ppi_pp": tuned.effective_n,
        "ess_gain_pp": tuned.gain,
        "ess_ppi_lambda1": one.effective_n,
    }


@golden("ppi_mean")
def ppi_mean_at(Y, Yhat, Yhat_unlabeled, lam, w=None, alpha=0.05):
    return _point(
        stats("prediction_powered.mean").ppi_mean(
            Y, Yhat, Yhat_unlabeled, lam=lam, weights=w, level=1 - alpha
        )
    )


@golden("ppi_mean_pval")
def ppi_mean_pval(Y, Yhat, Yhat_unlabeled, null, lam):
    found = stats("prediction_powered.mean").ppi_mean(Y, Yhat, Yhat_unlabeled, lam=lam)
    pvalue = stats("prediction_powered.mean").ppi_pvalue
    return {key: pvalue(found, null, alternative=key) for key in ("two-sided", "larger", "smaller")}


def _glide(found, *, alone=False):
    # glide cuts its effective sample size to a whole number, and gives none for people alone
    return {
        "point": found.point,
        "se": found.se,
        "ci95": pair(found.interval),
        "ess": None if alone else int(found.effective_n),
        "n_true": found.n,
    }


def _split(y_true, proxy):
    both = [i for i, label in enumerate(y_true) if label is not None]
    rest = [i for i, label in enumerate(y_true) if label is None]
    return [y_true[i] for i in both], [proxy[i] for i in both], [proxy[i] for i in rest]


def _plain(y_true, proxy, lam=None):
    return stats("prediction_powered.mean").ppi_mean(*_split(y_true, proxy), lam=lam, convention="glide")


@golden("stratified_ppi_mean")
def stratified_ppi_mean(y_true, y_proxy, stratum):
    tuned, one = (
        stats("prediction_powered.designs").ppi_stratified(
            y_true, y_proxy, stratum, lam=lam, convention="glide"
        )
        for lam in (None, 1.0)
    )
    return {
        "power_tuned": _glide(tuned),
        "lambda1": _glide(one),
        "unstratified": _glide(_plain(y_true, y_proxy)),
        "classical": _glide(_plain(y_true, y_proxy, 0.0), alone=True),
    }


@golden("clustered_ppi_mean")
def clustered_ppi_mean(y_true, y_proxy, cluster):
    tuned, one, none = (
        stats("prediction_powered.samples").ppi_clustered(
            y_true, y_proxy, cluster, lam=lam, convention="glide"
        )
        for lam in (None, 1.0, 0.0)
    )
    return {
        "power_tuned": _glide(tuned),
        "lambda1": _glide(one),
        "iid_ppi": _glide(_plain(y_true, y_proxy)),
        "classical_cluster": _glide(none, alone=True),
    }


@golden("multi_ppi_mean")
def multi_ppi_mean(y_true, y_proxies):
    judges = list(zip(*y_proxies, strict=True))
    majority = [stats("agreement.votes").majority_of_three(votes).decision for votes in y_proxies]
    return {
        "power_tuned": _glide(
            stats("prediction_powered.designs").ppi_several_judges(y_true, y_proxies, convention="glide")
        ),
        "single_best": _glide(min((_plain(y_true, judge) for judge in judges), key=lambda one: one.se)),
        "majority": _glide(_plain(y_true, majority)),
        "classical": _glide(_plain(y_true, majority, 0.0), alone=True),
    }


# --- sensitivity and specificity


@golden("rogan_gladen")
def rogan_gladen(p_judge, specificity, sensitivity, n_test, m_negative, m_positive, alpha=0.05):
    found = _rogan(p_judge, specificity, sensitivity, n_test, m_negative, m_positive, level=1 - alpha)
    return {"unclipped": found.unclipped, "point": found.point, "ci": pair(found.interval)}


@golden("rogan_gladen_delta")
def rogan_gladen_delta(p_judge, specificity, sensitivity, n_test, m_negative, m_positive):
    found = _rogan(p_judge, specificity, sensitivity, n_test, m_negative, m_positive)
    return {"theta": found.unclipped, "se": found.se}


def _rogan(p, sp, sn, n, m0, m1, **options):
    return stats("prediction_powered.rogan_gladen").rogan_gladen(
        p, sensitivity=sn, specificity=sp, n=n, negatives=m0, positives=m1, **options
    )


@golden("allocate_calibration")
def allocate_calibration(cases):
    allocate = stats("prediction_powered.rogan_gladen").allocate_calibration
    return {
        "results": [
            list(
                allocate(
                    case["m"],
                    case["p"],
                    specificity=case["q0"],
                    sensitivity=case["q1"],
                    pilot=case["m_pilot"],
                )
            )
            for case in cases
        ]
    }


# --- simulations over labels that may not be passed on


@golden("statistical_acceptance")
def statistical_acceptance(data, reps=None, seed=None):
    raise Absent("the labels of Alaofi et al. are not among the data files")


@golden("gullibility_rate")
def gullibility_rate(data, true_label=None, metric=None):
    raise Absent("the labels of Alaofi et al. are not among the data files")
