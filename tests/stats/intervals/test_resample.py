"""One draw for all columns: the stream, the exact sums, the bounded blocks."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.intervals.resample import (
    compositions,
    count_blocks,
    index_blocks,
    on_grid,
    resampled_means,
    resampled_sums,
    weighted_quantile,
)
from evenhand.stats.sampling.seeds import stream


@pytest.mark.parametrize("cells", [1, 7, 100, 10**6])
def test_the_stream_is_the_published_one_whatever_the_block(cells):
    drawn = np.concatenate([b for _, b in index_blocks(13, resamples=57, seed=5, cells=cells)])
    assert np.array_equal(drawn, np.random.default_rng(5).integers(0, 13, size=(57, 13)))
    counts = np.concatenate([b for _, b in count_blocks(13, resamples=57, seed=5, cells=cells)])
    assert np.array_equal(counts, [np.bincount(row, minlength=13) for row in drawn])


def test_resampled_means_are_the_plain_ones():
    x = np.random.default_rng(1).normal(size=(40, 3)) * [1, 1e-6, 1e6]
    index = np.random.default_rng(9).integers(0, 40, size=(500, 40))
    found = resampled_means(x, resamples=500, seed=9)
    assert np.allclose(found, x[index].mean(axis=1), rtol=1e-9, atol=0)


def test_bytes_do_not_depend_on_blocks_order_of_columns_or_company():
    x = np.random.default_rng(2).random((101, 5))
    one = resampled_means(x, resamples=300, seed=3)
    assert one.tobytes() == resampled_means(x, resamples=300, seed=3, cells=1000).tobytes()
    assert one[:, ::-1].tobytes() == resampled_means(x[:, ::-1].copy(), resamples=300, seed=3).tobytes()
    assert one[:, 2].tobytes() == resampled_means(x[:, 2:3], resamples=300, seed=3).tobytes()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=300))
def test_sums_on_the_grid_are_exact_in_any_order(values):
    x = np.array(values)[:, None]
    grid, step = on_grid(x)
    assert np.array_equal(grid, np.rint(grid))
    forward, backward = np.cumsum(grid[:, 0])[-1], np.cumsum(grid[::-1, 0])[-1]
    assert forward == backward == sum(int(v) for v in grid[:, 0])
    assert np.abs(grid * step - x).max() <= np.abs(x).max() * 1e-12 + 1e-290


def test_two_columns_with_the_same_values_in_another_order_tie_exactly():
    x = np.random.default_rng(4).random(60)
    both = resampled_means(np.column_stack([x, x]), resamples=200, seed=1)
    assert np.array_equal(both[:, 0], both[:, 1])


def test_extra_memory_stays_within_the_block():
    x = np.random.default_rng(0).random((20_000, 4))
    tracemalloc.start()
    resampled_means(x, resamples=400, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 96 * 2**20


def test_nothing_to_resample_is_refused():
    with pytest.raises(InputError):
        resampled_means(np.zeros((0, 1)), resamples=10, seed=1)
    with pytest.raises(InputError):
        resampled_means(np.zeros((3, 1)), resamples=0, seed=1)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_all_resamples_are_counted(n):
    counts, weights = compositions(n)
    assert weights.sum() == n**n
    assert (counts.sum(axis=1) == n).all()
    assert len({tuple(row) for row in counts.tolist()}) == len(counts)


def test_a_weighted_quantile_is_the_quantile_of_the_repeated_values():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([2.0, 5.0, 4.0])
    for q in (0.0, 0.025, 0.31, 0.5, 0.975, 1.0):
        assert weighted_quantile(values, weights, (q,))[0] == pytest.approx(
            np.quantile(np.repeat(values, weights.astype(int)), q)
        )


def test_streams_by_name_are_apart_and_repeatable():
    assert stream(7, "signs").random() == stream(7, "signs").random()
    assert len({stream(7).random(), stream(7, "signs").random(), stream(8, "signs").random()}) == 3
    assert stream(7).random() == np.random.default_rng(7).random()


def test_sums_in_blocks_are_those_of_the_rows_drawn_and_stay_within_the_block():
    x = np.random.default_rng(0).integers(0, 4, (300, 3)) / 7
    blocks = list(resampled_sums(x, resamples=50, seed=4, cells=300 * 7))
    assert [len(block) for block in blocks] == [7] * 7 + [1]
    draws = np.random.default_rng(4).integers(0, 300, size=(50, 300))
    assert np.concatenate(blocks) == pytest.approx(np.array([x[draw].sum(axis=0) for draw in draws]))
    many = np.random.default_rng(0).random((20_000, 4))
    tracemalloc.start()
    held = [tracemalloc.get_traced_memory()[1] for _ in resampled_sums(many, resamples=400, seed=1)][-1]
    tracemalloc.stop()
    assert held < 96 * 2**20
    for rows, resamples in ((np.zeros((0, 1)), 10), (np.zeros((3, 1)), 0)):
        with pytest.raises(InputError):
            next(resampled_sums(rows, resamples=resamples, seed=1))
