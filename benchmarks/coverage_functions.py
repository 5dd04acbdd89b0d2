"""Which function of evenhand.stats is which row of the coverage page. A test keeps it complete."""

from __future__ import annotations

__all__ = ["FUNCTIONS"]

WILSON, OVER_CLUSTERS = "Wilson", "cluster bootstrap, pooled"
RESAMPLED = ("raw agreement of two, over items", "raw agreement of two, over topics")
KAPPAS = ("kappa, large-sample", "kappa, bootstrap over topics of 5")
AC1 = ("Gwet's AC1, over items", "Gwet's AC1, over topics")
SIDES = tuple(f"agreement on {side}, over {of}" for side in ("yes (F1)", "no") for of in ("items", "topics"))
RATES = ("cluster bootstrap, macro", OVER_CLUSTERS)

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "agreement.raw_agreement.no_skill_agreement": (
        "always the commonest answer, over items",
        "always the commonest answer, over topics",
    ),
    "agreement.raw_agreement.panel": (
        "all three agree, over items",
        "all three agree, over topics",
        "mean pairwise agreement, over items",
        "mean pairwise agreement, over topics",
    ),
    "agreement.raw_agreement.raw_agreement": RESAMPLED,
    "agreement.raw_agreement.sides": SIDES,
    "intervals.auc_sources.auc_by_source": ("AUC, over sources",),
    "intervals.auc_sources.auc_by_source_exact": ("AUC, over sources",),
    "power.audit.means_apart": ("Welch's t",),
    "power.audit.shares_apart": ("Newcombe, independent shares",),
    "power.audit.t_interval": ("Student's t",),
    "intervals.bootstrap.cluster_rate": RATES,
    "intervals.bootstrap.cluster_rate_exact": RATES,
    "intervals.cluster_rates.cluster_rates": RATES,
    "intervals.bootstrap.mean_bca": ("BCa bootstrap",),
    "intervals.bootstrap.mean_exact": ("percentile bootstrap",),
    "intervals.bootstrap.mean_percentile": ("percentile bootstrap",),
    "intervals.clusters.cluster_mean": ("linearised over clusters, t",),
    "intervals.clusters.cluster_mean_bootstrap": ("bootstrap over clusters", OVER_CLUSTERS),
    "intervals.clusters.cluster_mean_exact": ("bootstrap over clusters", OVER_CLUSTERS),
    "intervals.correlation.pearson": ("Pearson, Fisher z",),
    "intervals.correlation.phi_interval": ("phi, large sample on Fisher's scale",),
    "intervals.correlation.spearman": ("Spearman, Bonett & Wright",),
    "selective.expected_cost.cheapest": ("percentile bootstrap", "bootstrap over clusters"),
    "selective.guarantee.certificate": ("Clopper-Pearson, one-sided upper",),
    "selective.guarantee.conformal_risk_control": ("conformal risk control: mean risk",),
    "selective.guarantee.learn_then_test": ("Learn-then-Test, Bonferroni", "Learn-then-Test, fixed sequence"),
    "selective.guarantee.learn_then_test_losses": ("Learn-then-Test, fixed sequence, graded losses",),
    "agreement.gwet.fleiss_kappa": ("Fleiss' kappa, over items", "Fleiss' kappa, over topics"),
    "agreement.gwet.fleiss_kappa_counts": ("Fleiss' kappa, over items", "Fleiss' kappa, over topics"),
    "agreement.gwet.gwet_ac1": AC1,
    "agreement.gwet.gwet_ac2": (
        "Gwet's AC2, ordinal weights, over items",
        "Gwet's AC2, ordinal weights, over topics",
    ),
    "agreement.judge_accuracy.judge_against_human": (WILSON, *RESAMPLED, *KAPPAS, *AC1, *SIDES),
    "agreement.judge_accuracy_weighted.effective_share": ("share of yes, Wilson on Kish's n",),
    "agreement.judge_accuracy_weighted.weighted_judge_against_human": (
        "share of yes, Wilson on Kish's n",
        "kappa, weighted, over items",
        "Gwet's AC1, weighted, over items",
    ),
    "agreement.kappa.cohen_kappa": (
        *KAPPAS,
        "kappa of two, quadratic weights, over items",
        "kappa of two, quadratic weights, over topics",
    ),
    "agreement.kappa.kappa_by_topic": KAPPAS[1:],
    "agreement.kappa.kappa_by_topic_exact": KAPPAS[1:],
    "agreement.krippendorff.krippendorff_alpha": tuple(
        f"Krippendorff's alpha{scale}, over {of}"
        for scale in ("", ", interval scale")
        for of in ("items", "topics")
    ),
    "paired.paired.bootstrap_mean_difference": ("percentile bootstrap",),
    "paired.paired.newcombe": tuple(f"Newcombe method {method}" for method in (8, 9, 10)),
    "agreement.panel_accuracy.panel_against_human": (WILSON, *RESAMPLED),
    "power.paired.noninferiority_bootstrap": (
        "paired bootstrap: wrongly passed",
        "paired bootstrap: wrongly failed",
    ),
    "power.paired.noninferiority_newcombe": ("Newcombe: wrongly passed", "Newcombe: wrongly failed"),
    "power.paired.noninferiority_t": ("paired t: wrongly passed", "paired t: wrongly failed"),
    "prediction_powered.mean.ppi_difference": ("PPI++, difference of two systems",),
    "prediction_powered.mean.ppi_mean": ("PPI++",),
    "prediction_powered.mean.ppi_share": ("PPI++, share of yes",),
    "prediction_powered.designs.ppi_several_judges": (
        "PPI++ with three judges",
        "PPI++ with three judges, clusters ignored",
    ),
    "prediction_powered.designs.ppi_stratified": ("PPI++ in two strata",),
    "prediction_powered.samples.ppi_clustered": ("PPI++ by clusters",),
    "prediction_powered.samples.ppi_inclusion": ("PPI++ with known chances",),
    "intervals.proportion.clopper_pearson": (
        "Clopper-Pearson",
        "Clopper-Pearson, one-sided lower",
        "Clopper-Pearson, one-sided upper",
    ),
    "intervals.proportion.wilson": (WILSON, "Wilson, one-sided lower", "Wilson, one-sided upper"),
    "intervals.proportion.wilson_design_effect": (
        "Wilson with design effect, mean size",
        "Wilson with design effect, weighted size",
    ),
    "intervals.ranking.auc_delong": ("AUC, DeLong", "AUC, DeLong, sources ignored"),
    "intervals.ranking.threshold_table": (WILSON, RATES[0]),
    "prediction_powered.rogan_gladen.rogan_gladen": ("Rogan-Gladen, adjusted",),
    "selective.risk_coverage.coverage_at_risk": ("coverage at risk, no promise",),
    "selective.risk_coverage.decisions": (WILSON, "Clopper-Pearson"),
    "selective.intervals.areas_bootstrap": tuple(
        f"{area}, over {of}" for area in ("AURC", "E-AURC", "AUGRC") for of in ("questions", "clusters")
    ),
    "intervals.sequential.alpha_spending": ("O'Brien-Fleming spending, z: a difference claimed",),
    "intervals.sequential.asymptotic_radius": ("asymptotic, from 20 questions on",),
    "intervals.sequential.beta_binomial": ("beta-binomial",),
    "intervals.sequential.empirical_bernstein": ("empirical Bernstein",),
    "intervals.sequential.normal_mixture_radius": ("normal mixture",),
}
