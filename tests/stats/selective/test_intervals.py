"""Areas under risk against coverage, drawn anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.intervals.resample import index_blocks
from evenhand.stats.selective.intervals import areas_bootstrap
from evenhand.stats.selective.risk_coverage import areas

rows = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.25, 1.0]), st.integers(0, 3)), min_size=2, max_size=9
)


@settings(max_examples=40, deadline=None)
@given(rows, st.booleans())
def test_every_resample_has_the_areas_of_its_questions(made, grouped):
    c, x, of = (np.array(part) for part in zip(*made, strict=True))
    clusters = of.tolist() if grouped else None
    names = list(dict.fromkeys(clusters)) if clusters else list(range(len(made)))
    members = [np.flatnonzero(of == name) if grouped else np.array([name]) for name in names]
    told = []
    for _, index in index_blocks(len(names), resamples=30, seed=5):
        for row in index:
            drawn = np.concatenate([members[i] for i in row])
            one = areas(c[drawn], x[drawn])
            told.append((one.aurc, one.e_aurc, one.augrc))
    found = areas_bootstrap(c, x, clusters=clusters, resamples=30, seed=5)
    if len(names) < 2:
        assert found.aurc.interval.reason == "only one of the clusters"
        return
    for one, column in zip((found.aurc, found.e_aurc, found.augrc), np.array(told).T, strict=True):
        ends = np.quantile(column, [0.025, 0.975])
        assert [one.interval.low, one.interval.high] == pytest.approx(ends, abs=1e-9)
        assert one.n == len(names)


def test_the_point_is_that_of_the_areas_and_blocks_do_not_change_the_draw(monkeypatch):
    dice = np.random.default_rng(3)
    c, x = dice.random(60), (dice.random(60) < 0.3).astype(float)
    found = areas_bootstrap(c, x, resamples=200)
    assert found.aurc.point == areas(c, x).aurc
    assert found.aurc.interval.low < found.aurc.point < found.aurc.interval.high
    monkeypatch.setattr("evenhand.stats.selective.intervals.CELLS", 500)
    assert areas_bootstrap(c, x, resamples=200) == found


def test_few_questions_and_no_errors_are_flagged():
    flags = areas_bootstrap([0.1, 0.2, 0.3], [0.0, 0.0, 0.0], resamples=50).aurc.interval.flags
    assert flags == ("few_items", "zero_width")
    assert "few_clusters" in areas_bootstrap([0.1, 0.2], [0, 1], clusters="ab").augrc.interval.flags


def test_without_two_questions_there_is_no_interval_and_the_reason_is_told():
    assert areas_bootstrap([], []).aurc.interval.reason == "no questions"
    assert areas_bootstrap([0.5], [1.0]).e_aurc.interval.reason == "only one of the questions"
    with pytest.raises(InputError):
        areas_bootstrap([0.5, 0.6], [1.0, 0.0], clusters=["a"])
