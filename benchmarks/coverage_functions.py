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
    "agreement.no_skill_agreement": (
        "always the commonest answer, over items",
        "always the commonest answer, over topics",
    ),
    "agreement.panel": (
        "all three agree, over items",
        "all three agree, over topics",
        "mean pairwise agreement, over items",
        "mean pairwise agreement, over topics",
    ),
    "agreement.raw_agreement": RESAMPLED,
    "agreement.sides": SIDES,
    "auc_sources.auc_by_source": ("AUC, over sources",),
    "auc_sources.auc_by_source_exact": ("AUC, over sources",),
    "audit.means_apart": ("Welch's t",),
    "audit.shares_apart": ("Newcombe, independent shares",),
    "audit.t_interval": ("Student's t",),
    "bootstrap.cluster_rate": RATES,
    "bootstrap.cluster_rate_exact": RATES,
    "cluster_rates.cluster_rates": RATES,
    "bootstrap.mean_bca": ("BCa bootstrap",),
    "bootstrap.mean_exact": ("percentile bootstrap",),
    "bootstrap.mean_percentile": ("percentile bootstrap",),
    "clusters.cluster_mean": ("linearised over clusters, t",),
    "clusters.cluster_mean_bootstrap": ("bootstrap over clusters", OVER_CLUSTERS),
    "clusters.cluster_mean_exact": ("bootstrap over clusters", OVER_CLUSTERS),
    "correlation.pearson": ("Pearson, Fisher z",),
    "correlation.phi_interval": ("phi, large sample on Fisher's scale",),
    "correlation.spearman": ("Spearman, Bonett & Wright",),
    "expected_cost.cheapest": ("percentile bootstrap", "bootstrap over clusters"),
    "guarantee.certificate": ("Clopper-Pearson, one-sided upper",),
    "guarantee.conformal_risk_control": ("conformal risk control: mean risk",),
    "guarantee.learn_then_test": ("Learn-then-Test, Bonferroni", "Learn-then-Test, fixed sequence"),
    "guarantee.learn_then_test_losses": ("Learn-then-Test, fixed sequence, graded losses",),
    "gwet.fleiss_kappa": ("Fleiss' kappa, over items", "Fleiss' kappa, over topics"),
    "gwet.fleiss_kappa_counts": ("Fleiss' kappa, over items", "Fleiss' kappa, over topics"),
    "gwet.gwet_ac1": AC1,
    "gwet.gwet_ac2": ("Gwet's AC2, ordinal weights, over items", "Gwet's AC2, ordinal weights, over topics"),
    "judged.judge_against_human": (WILSON, *RESAMPLED, *KAPPAS, *AC1, *SIDES),
    "judged_weighted.effective_share": ("share of yes, Wilson on Kish's n",),
    "judged_weighted.weighted_judge_against_human": (
        "share of yes, Wilson on Kish's n",
        "kappa, weighted, over items",
        "Gwet's AC1, weighted, over items",
    ),
    "kappa.cohen_kappa": (
        *KAPPAS,
        "kappa of two, quadratic weights, over items",
        "kappa of two, quadratic weights, over topics",
    ),
    "kappa.kappa_by_topic": KAPPAS[1:],
    "kappa.kappa_by_topic_exact": KAPPAS[1:],
    "krippendorff.krippendorff_alpha": tuple(
        f"Krippendorff's alpha{scale}, over {of}"
        for scale in ("", ", interval scale")
        for of in ("items", "topics")
    ),
    "paired.bootstrap_mean_difference": ("percentile bootstrap",),
    "paired.newcombe": tuple(f"Newcombe method {method}" for method in (8, 9, 10)),
    "panel_judged.panel_against_human": (WILSON, *RESAMPLED),
    "power.noninferiority_bootstrap": (
        "paired bootstrap: wrongly passed",
        "paired bootstrap: wrongly failed",
    ),
    "power.noninferiority_newcombe": ("Newcombe: wrongly passed", "Newcombe: wrongly failed"),
    "power.noninferiority_t": ("paired t: wrongly passed", "paired t: wrongly failed"),
    "ppi.ppi_difference": ("PPI++, difference of two systems",),
    "ppi.ppi_mean": ("PPI++",),
    "ppi.ppi_share": ("PPI++, share of yes",),
    "ppi_designs.ppi_several_judges": (
        "PPI++ with three judges",
        "PPI++ with three judges, clusters ignored",
    ),
    "ppi_designs.ppi_stratified": ("PPI++ in two strata",),
    "ppi_samples.ppi_clustered": ("PPI++ by clusters",),
    "ppi_samples.ppi_inclusion": ("PPI++ with known chances",),
    "proportion.clopper_pearson": (
        "Clopper-Pearson",
        "Clopper-Pearson, one-sided lower",
        "Clopper-Pearson, one-sided upper",
    ),
    "proportion.wilson": (WILSON, "Wilson, one-sided lower", "Wilson, one-sided upper"),
    "proportion.wilson_design_effect": (
        "Wilson with design effect, mean size",
        "Wilson with design effect, weighted size",
    ),
    "ranking.auc_delong": ("AUC, DeLong", "AUC, DeLong, sources ignored"),
    "ranking.threshold_table": (WILSON, RATES[0]),
    "rogan_gladen.rogan_gladen": ("Rogan-Gladen, adjusted",),
    "selective.coverage_at_risk": ("coverage at risk, no promise",),
    "selective.decisions": (WILSON, "Clopper-Pearson"),
    "selective_intervals.areas_bootstrap": tuple(
        f"{area}, over {of}" for area in ("AURC", "E-AURC", "AUGRC") for of in ("questions", "clusters")
    ),
    "sequential.alpha_spending": ("O'Brien-Fleming spending, z: a difference claimed",),
    "sequential.asymptotic_radius": ("asymptotic, from 20 questions on",),
    "sequential.beta_binomial": ("beta-binomial",),
    "sequential.empirical_bernstein": ("empirical Bernstein",),
    "sequential.normal_mixture_radius": ("normal mixture",),
}
