"""Items in clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.intervals.clusters import (
    cluster_mean,
    cluster_mean_bootstrap,
    cluster_mean_exact,
    cluster_means_of_draws,
    direction,
    direction_by_cluster,
    icc_anova,
)
from evenhand.stats.intervals.proportion import icc_anova_binary

rows = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=1, max_size=40)


@settings(max_examples=50, deadline=None)
@given(rows)
def test_the_interval_holds_the_mean_stays_inside_and_knows_no_order(data):
    values, cluster = zip(*data, strict=True)
    found = cluster_mean(values, cluster)
    turned = cluster_mean(values[::-1], cluster[::-1])
    assert found.mean == pytest.approx(np.mean(values))
    assert (turned.mean, turned.se) == (pytest.approx(found.mean), pytest.approx(found.se))
    if found.interval.low is not None:
        assert 0 <= found.interval.low <= found.mean <= found.interval.high <= 1
    else:
        assert found.reason == "only one cluster"


def test_items_alike_within_clusters_cost_width_and_items_alone_do_not():
    whole = cluster_mean([1] * 50 + [0] * 50, [i // 10 for i in range(100)])
    alone = cluster_mean([1, 0] * 50, range(100))
    assert whole.design_effect == pytest.approx(10)
    assert alone.design_effect == pytest.approx(1)
    assert whole.interval.high - whole.interval.low > 3 * (alone.interval.high - alone.interval.low)


def test_clusters_drawn_at_random_come_near_all_resamples():
    values = [1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1]
    cluster = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5]
    exact, drawn = (
        cluster_mean_exact(values, cluster),
        cluster_mean_bootstrap(values, cluster, resamples=10_000),
    )
    assert drawn.interval.low == pytest.approx(exact.interval.low, abs=0.03)
    assert drawn.interval.high == pytest.approx(exact.interval.high, abs=0.03)
    assert sum(exact.weights) == exact.resamples == 6**6
    assert exact.mean != pytest.approx(exact.point, abs=1e-6)  # a ratio is biased in resamples


def test_whole_clusters_are_drawn_not_items():
    # within each cluster all items are alike, so a resample of two clusters can only be 0, 1/3, 2/3 or 1
    exact = cluster_mean_exact([1, 1, 0], ["q", "q", "r"])
    assert exact.values == (0.0, pytest.approx(2 / 3), 1.0)
    assert cluster_means_of_draws([1, 1, 0], ["q", "q", "r"], [[0, 0], [0, 1], [1, 1]]) == [
        1.0,
        pytest.approx(2 / 3),
        0.0,
    ]
    assert cluster_mean_exact([], []) is None
    with pytest.raises(InputError, match="not there"):
        cluster_means_of_draws([1, 0], ["q", "r"], [[0, 2]])


@given(st.integers(0, 40), st.integers(0, 40))
def test_exchange_of_judge_and_people_turns_the_direction(b, c):
    one, other = direction(b, c, 100), direction(c, b, 100)
    assert one.p == other.p
    assert 0 < one.p <= 1
    assert 0 < one.p_lenient <= 1
    if b + c:
        assert one.net == -other.net
        assert one.bias == -other.bias
    else:
        assert (one.net, one.reason, one.p_lenient) == (None, "no disagreement", 1.0)


def test_queries_that_lean_together_are_not_taken_for_many_items():
    lenient, strict = [10, 10, 10, 0], [0, 0, 0, 0]
    assert direction(30, 0, 100).p < 1e-8
    assert direction_by_cluster(lenient, strict).p == 0.25
    with pytest.raises(InputError):
        direction(60, 60, 100)
    with pytest.raises(InputError):
        direction_by_cluster([1, 2], [1])


@given(rows)
def test_the_icc_of_numbers_is_that_of_yes_and_no_where_they_are(items):
    values, cluster = [y for y, _ in items], [c for _, c in items]
    names = sorted(set(cluster))
    of = [[y for y, c in items if c == name] for name in names]
    known = icc_anova_binary([sum(x) for x in of], [len(x) for x in of])
    found = icc_anova(values, cluster)
    assert (found.icc is None) == (known.icc is None)
    if known.icc is not None:
        assert found.icc == pytest.approx(known.icc, abs=1e-9)
        assert icc_anova([3 * y - 7 for y in values], cluster).icc == pytest.approx(known.icc, abs=1e-9)
