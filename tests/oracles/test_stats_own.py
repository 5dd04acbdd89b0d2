"""What no library has, computed a second time from the definition by another road."""

import itertools
import math

import numpy as np
import pytest

from evenhand.stats.intervals import auc_sources, bootstrap, proportion, sequential
from evenhand.stats.paired import paired
from evenhand.stats.selective import guarantee, risk_coverage

optimize = pytest.importorskip("scipy.optimize")
stats = pytest.importorskip("scipy.stats")


def score_limits(k, n, z):
    """Wilson's limits by inverting the score test numerically."""

    def score(p):
        return (k / n - p) / math.sqrt(p * (1 - p) / n)

    tiny = 1e-12
    low = 0.0 if k == 0 else optimize.brentq(lambda p: score(p) - z, tiny, k / n if k < n else 1 - tiny)
    high = 1.0 if k == n else optimize.brentq(lambda p: score(p) + z, k / n if k else tiny, 1 - tiny)
    return low, high


@pytest.mark.parametrize(
    "table", [(24, 12, 2, 2), (59, 6, 16, 80), (20, 12, 2, 16), (5, 1, 9, 3), (7, 0, 3, 0)]
)
def test_newcombes_interval_from_score_limits_and_the_correlation_of_the_table(table):
    a, b, c, _ = table
    n, z = sum(table), stats.norm.ppf(0.975)
    (l1, u1), (l2, u2) = score_limits(a + b, n, z), score_limits(a + c, n, z)
    p1, p2 = (a + b) / n, (a + c) / n
    outcomes = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], table, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        plain = np.nan_to_num(np.corrcoef(outcomes.T)[0, 1])
    found = paired.newcombe(*table, method=8)
    assert found.phi == pytest.approx(plain, abs=1e-12)
    for method in (8, 10):
        found = paired.newcombe(*table, method=method)
        # the square of a side from the law of cosines, phi being the cosine
        sides = [((p1 - l1), (u2 - p2)), ((u1 - p1), (p2 - l2))]
        reach = [
            math.sqrt(np.array([x, -y]) @ np.array([[1, found.phi], [found.phi, 1]]) @ np.array([x, -y]))
            for x, y in sides
        ]
        assert found.interval.low == pytest.approx(found.difference - reach[0], abs=1e-9)
        assert found.interval.high == pytest.approx(found.difference + reach[1], abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_icc_comes_from_scipys_analysis_of_variance(seed):
    dice = np.random.default_rng(seed)
    groups = [(dice.random(int(size)) < dice.random()).astype(float) for size in dice.integers(2, 9, 9)]
    sizes = np.array([len(group) for group in groups])
    f = stats.f_oneway(*groups).statistic
    n0 = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(sizes) - 1)
    found = proportion.icc_anova_binary([group.sum() for group in groups], sizes)
    assert found.icc == pytest.approx((f - 1) / (f + n0 - 1))


def test_the_effective_n_is_that_of_simulated_clusters():
    # clusters of 5 whose items are equal with chance rho: Var(mean) is p(1-p)/n_eff
    dice, means, sizes = np.random.default_rng(2), [], []
    for _ in range(3000):
        shared = dice.random((30, 1)) < 0.5
        alike = np.where(dice.random((30, 5)) < math.sqrt(0.4), shared, dice.random((30, 5)) < 0.5)
        means.append(alike.mean())
        sizes.append(proportion.wilson_design_effect(alike.sum(axis=1), [5] * 30).n_eff)
    assert np.mean(sizes) == pytest.approx(0.25 / np.var(means), rel=0.1)


def test_the_beta_binomial_sequence_is_the_set_where_the_mixture_is_below_1_over_alpha():
    integrate = pytest.importorskip("scipy.integrate")
    s, f = 17, 6
    found = sequential.beta_binomial(s, f)

    def mixture(p):
        def ratio(q):
            like = (q / p) ** s * ((1 - q) / (1 - p)) ** f
            return like * stats.beta.pdf(q, 0.5, 0.5)

        return integrate.quad(ratio, 0, 1, limit=200)[0]

    assert mixture(found.low) == pytest.approx(20, rel=1e-4)
    assert mixture(found.high) == pytest.approx(20, rel=1e-4)
    assert mixture(s / (s + f)) < 20


@pytest.mark.parametrize("t", [10, 100, 1000])
def test_the_normal_mixture_radius_is_where_the_mixed_martingale_is_1_over_alpha(t):
    integrate = pytest.importorskip("scipy.integrate")
    radius = sequential.normal_mixture_radius(t, t_opt=100)
    log = math.log(20)
    rho = 25 / (2 * log + math.log(1 + 2 * log))
    total, v = radius * t, t / 4

    def integrand(lam):
        return math.exp(lam * total - lam * lam * v / 2) * stats.norm.pdf(lam, scale=1 / math.sqrt(rho))

    middle = total / (v + rho)
    reach = 12 / math.sqrt(v + rho)
    found = integrate.quad(integrand, middle - reach, middle + reach)[0]
    assert found == pytest.approx(20, rel=1e-5)


def test_the_empirical_bernstein_bounds_are_those_of_a_plain_loop():
    x = np.random.default_rng(4).beta(3, 2, 60)

    def low(values, alpha):
        bounds, centre_sum, square_sum, staked, won, cost = [], 0.5, 0.25, 0.0, 0.0, 0.0
        variance, total = 0.25, 0.0
        for t, value in enumerate(values, start=1):
            bet = min(0.5, math.sqrt(2 * math.log(1 / alpha) / (t * math.log(1 + t) * variance)))
            before = total / (t - 1) if t > 1 else 0.0
            cost += (value - before) ** 2 * (-math.log(1 - bet) - bet)
            staked, won = staked + bet, won + bet * value
            bounds.append(max(0.0, won / staked - (math.log(1 / alpha) + cost) / staked))
            total += value
            centre_sum += value
            square_sum += (value - centre_sum / (t + 1)) ** 2
            variance = square_sum / (t + 1)
        return bounds

    found = sequential.empirical_bernstein(x)
    assert found[0].tolist() == pytest.approx(low(x, 0.025))
    assert found[1].tolist() == pytest.approx([1 - bound for bound in low(1 - x, 0.025)])


@pytest.mark.parametrize("seed", range(4))
def test_risk_control_by_trying_every_lambda_and_threshold(seed):
    dice = np.random.default_rng(seed)
    steps = np.linspace(0, 1, 9)
    losses = (dice.random((40, 1)) > steps).astype(float)
    found = guarantee.conformal_risk_control(losses, steps, alpha=0.3)
    fits = [step for j, step in enumerate(steps) if (sum(row[j] for row in losses) + 1) / 41 <= 0.3]
    assert found.selected == (min(fits) if fits else None)
    confidence, wrong = dice.integers(0, 6, 30) / 6, dice.integers(0, 2, 30)
    best = (0.0, None)
    for threshold in sorted(set(confidence.tolist())):
        taken = confidence >= threshold
        if wrong[taken].mean() <= 0.45:
            best = max(best, (taken.mean(), threshold), key=lambda pair: pair[0])
    at = risk_coverage.coverage_at_risk(confidence, wrong, 0.45)
    assert (at.coverage, at.threshold) == (pytest.approx(best[0]), best[1])


@pytest.mark.parametrize(("risk", "n", "alpha"), [(0.02, 100, 0.1), (0.08, 300, 0.1), (0.3, 50, 0.2)])
def test_hoeffding_bentkus_is_the_smaller_of_its_two_bounds(risk, n, alpha):
    a = min(risk, alpha)
    relative = a * math.log(a / alpha) + (1 - a) * math.log((1 - a) / (1 - alpha))
    bounds = (math.exp(-n * relative), math.e * stats.binom.cdf(math.ceil(n * risk), n, alpha))
    assert guarantee.hoeffding_bentkus_pvalue(risk, n, alpha) == pytest.approx(min(1, *bounds))


def test_the_auc_over_sources_is_the_auc_of_the_items_drawn():
    scores = [0.9, 0.4, 0.8, 0.3, 0.6, 0.5, 0.2, 0.7]
    labels = [1, 0, 1, 0, 0, 1, 0, 1]
    source = list("aabbbccd")
    found = auc_sources.auc_by_source_exact(scores, labels, source)
    areas, undefined = [], 0
    for draw in itertools.product("abcd", repeat=4):
        items = [i for name in draw for i in range(8) if source[i] == name]
        positive = [scores[i] for i in items if labels[i]]
        negative = [scores[i] for i in items if not labels[i]]
        if not positive or not negative:
            undefined += 1
            continue
        pairs = [(p > q) + (p == q) / 2 for p in positive for q in negative]
        areas.append(sum(pairs) / len(pairs))
    assert (found.resamples, found.undefined) == (256, undefined)
    assert (found.interval.low, found.interval.high) == pytest.approx(np.quantile(areas, [0.025, 0.975]))


def test_cluster_rates_over_all_resamples_are_those_of_a_plain_product():
    events, sizes = np.array([3, 0, 5, 2]), np.array([10, 4, 6, 30])
    found = bootstrap.cluster_rate_exact(events, sizes)
    draws = [list(draw) for draw in itertools.product(range(4), repeat=4)]
    macro = [np.mean(events[draw] / sizes[draw]) for draw in draws]
    pooled = [events[draw].sum() / sizes[draw].sum() for draw in draws]
    for one, values in ((found.macro, macro), (found.pooled, pooled)):
        assert (one.interval.low, one.interval.high) == pytest.approx(np.quantile(values, [0.025, 0.975]))
    # and with random draws, which agree with scipy draw by draw
    drawn = bootstrap.cluster_rate(events, sizes, resamples=1000, seed=5)
    theirs = stats.bootstrap(
        (events / sizes,), np.mean, n_resamples=1000, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    assert (drawn.macro.interval.low, drawn.macro.interval.high) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("spending", ["obf", "pocock"])
def test_planned_looks_spend_what_the_multivariate_normal_says(spending):
    looks = [0.25, 0.5, 0.75, 1.0]
    found = sequential.alpha_spending(looks, spending=spending)
    cov = np.array([[math.sqrt(min(s, t) / max(s, t)) for t in looks] for s in looks])
    for k in range(1, 5):
        z = np.array(found.bounds[:k])
        if k == 1:
            inside = 1 - 2 * stats.norm.sf(z[0])
        else:
            inside = stats.multivariate_normal(cov=cov[:k, :k], seed=1).cdf(z, lower_limit=-z)
        assert 1 - inside == pytest.approx(found.cumulative_alpha[k - 1], abs=2e-4)
