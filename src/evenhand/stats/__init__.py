"""Every estimator of the product, as small typed functions over arrays.

Each says its formula, what it assumes, where it is undefined, who published it and which library it
calls or agrees with. Undefined is ``None`` with a reason; no NaN leaves a function. The modules:

- `proportion`: Wilson, Clopper-Pearson, clusters of yes/no items, planning
- `resample`: one draw of indices for all columns · `bootstrap`: percentile, BCa, clusters, exact
- `paired`: differences of two systems, sign flips, McNemar, Newcombe · `multiple`: Holm
- `power`: noncentral t, detectable effect, non-inferiority
- `ranking`: a score against a label · `agreement`: raters · `selective`, `guarantee`: answer or defer
- `sequential`: looking repeatedly · `seeds`: streams of random numbers
"""
