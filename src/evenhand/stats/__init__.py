"""Every estimator of the product, as small typed functions over arrays.

Each says its formula, what it assumes, where it is undefined, who published it and which library it
calls or agrees with. Undefined is ``None`` with a reason; no NaN leaves a function. The modules:

- `proportion`, `proportion_planning`: Wilson, Clopper-Pearson, clusters of yes/no items, planning
- `resample`: one draw of indices for all columns · `bootstrap`: percentile, BCa, clusters, exact
- `paired`: differences of two systems, sign flips, McNemar, Newcombe · `multiple`: Holm
- `power`, `mcnemar_power`: noncentral t, detectable effect, non-inferiority; hit rates
- `clusters`: means of items in clusters, one-sided disagreement
- `agreement`, `kappa`, `gwet`, `krippendorff`: raters · `votes`: one label from several
- `judged`, `panel_judged`: judges against people · `correlation`: Pearson, Spearman
- `ppi`, `ppi_designs`, `ppi_samples`, `ppi_planning`: few human labels, many of a judge · `rogan_gladen`
- `ranking`, `auc_sources`: a score against a label · `selective`, `guarantee`: answer or defer
- `sequential`: looking repeatedly · `seeds`: streams of random numbers
"""
