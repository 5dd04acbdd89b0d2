"""Frames of the real pandas and pyarrow: the rows that polars has, and back."""

import math

import pytest
from tests.report.notebook.test_cards import QRELS, RUNS, gold

import evenhand as eh

pandas = pytest.importorskip("pandas", reason="pandas is not installed")
pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture(scope="module")
def m():
    return eh.measure(QRELS, RUNS, ["nDCG@10", "R(rel=2)@5"])


def things(m):
    comparison = eh.compare(m, primary="nDCG@10", resamples=200, signs=200)
    return [RUNS[0], QRELS, m, gold(), comparison, comparison.standing, comparison.contrasts[0]]


def plain(value):
    if isinstance(value, float) and math.isnan(value):
        return None
    if hasattr(value, "tolist"):
        return value.tolist()
    return None if value is pandas.NA else value


def test_pandas_holds_the_rows_that_polars_holds(m):
    for thing in things(m):
        wanted, found = thing.to_polars(), thing.to_pandas()
        assert isinstance(found, pandas.DataFrame)
        assert list(found.columns) == wanted.columns
        for name in wanted.columns:
            assert [plain(one) for one in found[name].tolist()] == wanted[name].to_list(), (type(thing), name)


def test_arrow_holds_the_rows_that_polars_holds(m):
    for thing in things(m):
        table = thing.to_arrow()
        assert isinstance(table, pyarrow.Table)
        assert table.to_pylist() == thing.to_polars().to_dicts(), type(thing)


def test_a_run_and_grades_come_back_from_pandas():
    run = RUNS[0].to_pandas()
    again = eh.run_of(run[["question", "unit", "score"]], system="one")
    assert dict(iter(again)) == dict(iter(RUNS[0]))
    grades = QRELS.to_pandas()[["question", "unit", "grade"]]
    assert eh.qrels_of(grades).judged("q1") == QRELS.judged("q1")


def test_numbers_can_be_counted_with(m):
    frame = m.to_pandas()
    mean = frame[frame.metric == "nDCG@10"].groupby("system").value.mean()
    for system in m.systems:
        assert mean[system] == pytest.approx(m.estimate(system, "nDCG@10", resamples=100).point)
