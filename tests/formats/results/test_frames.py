"""Nouns as frames: every row and every state of it, in polars and, where it is installed, pandas."""

import polars as pl
import pytest
from tests.report.notebook.test_cards import QRELS, RUNS, gold

import evenhand as eh
from evenhand.errors import InputError, MissingExtra
from evenhand.formats.results import frames


@pytest.fixture(scope="module")
def m():
    return eh.measure(QRELS, RUNS, ["nDCG@10", "R(rel=2)@5"])


def test_a_run_comes_back_as_it_was():
    frame = RUNS[0].to_polars()
    assert frame.columns == ["system", "question", "unit", "rank", "score"]
    rows = [(q, hit.unit, hit.rank, hit.score) for q, hits in RUNS[0] for hit in hits]
    assert frame.select("question", "unit", "rank", "score").rows() == rows
    again = eh.run_of(frame.select("question", "unit", "score"), system="one")
    assert dict(iter(again)) == dict(iter(RUNS[0]))
    both = eh.frame(RUNS)
    assert both.height == sum(len(run.unit) for run in RUNS)
    assert both["system"].unique(maintain_order=True).to_list() == ["one", "two"]


def test_grades_come_back_as_they_were():
    frame = QRELS.to_polars()
    assert "chunking" not in frame.columns
    assert {
        q: dict(part.select("unit", "grade").iter_rows()) for (q,), part in frame.group_by("question")
    } == {q: QRELS.judged(q) for q in QRELS.questions}
    assert eh.qrels_of(frame.select("question", "unit", "grade")).judged("q1") == QRELS.judged("q1")


def test_undefined_is_null_with_its_reason(m):
    frame = m.to_polars()
    assert frame.height == m.value.size
    for row in frame.iter_rows(named=True):
        cell = m.measurement(row["system"], row["metric"], row["question"])
        assert (row["value"], row["undefined"]) == (cell.value, cell.undefined)
    assert frame["value"].null_count() == frame["undefined"].is_not_null().sum() == 12
    assert frame["value"].is_nan().sum() == 0


def test_estimates_and_contrasts_are_rows(m):
    comparison = eh.compare(m, primary="nDCG@10", resamples=200, signs=200)
    frame = comparison.to_polars()
    assert frame.height == len(comparison.estimates)
    assert frame["point"].to_list() == [e.point for e in comparison.estimates]
    assert frame["labels_aligned"].to_list() == [e.labels.get("aligned") for e in comparison.estimates]
    pairs = eh.frame(comparison.contrasts)
    assert pairs["verdict"].to_list() == [c.verdict for c in comparison.contrasts]
    assert pairs["p_adjusted"].to_list() == [c.p_adjusted for c in comparison.contrasts]
    assert pairs["needed_n"].to_list() == [c.needed.get("n") for c in comparison.contrasts]
    assert comparison.contrasts[0].to_polars().rows() == pairs[:1].rows()
    standing = comparison.standing.to_polars()
    assert dict(standing.select("system", "best").iter_rows()) == dict(comparison.standing.best)
    cell = m.measurement("one", "R(rel=2)@5", "q0").to_polars()
    assert cell.row(0, named=True)["value"] is None
    # an empty column has its type all the same
    assert pairs.schema["d_z"] == pl.Float64
    assert comparison.estimates[0].to_polars().schema == frame.schema


def test_a_gold_set_is_rows_and_a_holdout_ids():
    frame = gold().to_polars()
    assert frame["text"].to_list() == [one.text for one in gold()]
    assert frame["evidence"][0].to_list() == [
        {"nugget": "n", "vital": True, "doc": "d.md", "start": 0, "end": 5, "quote": "quote"}
    ]
    assert gold(split="holdout").to_polars().columns == ["id"]


def test_what_is_no_frame_is_said(m):
    with pytest.raises(InputError, match="of one kind"):
        eh.frame([RUNS[0], QRELS])
    with pytest.raises(InputError, match="nothing"):
        eh.frame([])
    with pytest.raises(InputError, match="int is not given out"):
        eh.frame(3)
    with pytest.raises(InputError, match="str is not given out"):
        eh.frame("one")


def test_pandas_has_the_same_rows(m):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    for thing in (RUNS[0], QRELS, m, gold(), m.estimate("one", "nDCG@10", resamples=200)):
        wanted, found = thing.to_polars(), thing.to_pandas()
        assert list(found.columns) == wanted.columns
        for name in wanted.columns:
            had = [
                None if not isinstance(one, list) and pandas.isna(one) else one
                for one in found[name].tolist()
            ]
            assert had == wanted[name].to_list(), name


def test_ids_that_look_like_numbers_or_nothing_stay_texts():
    """As case B021: 007, 1e3 and NA are names."""
    pytest.importorskip("pandas", reason="pandas is not installed")
    run = eh.Run.of("x", {"007": [("NA", 2.0), ("1e3", 1.0)], "null": [("nan", 1.0)]})
    rows = [("007", "NA"), ("007", "1e3"), ("null", "nan")]
    assert run.to_polars().select("question", "unit").rows() == rows
    assert list(run.to_pandas()[["question", "unit"]].itertuples(index=False, name=None)) == rows
    assert dict(iter(eh.run_of(run.to_pandas()[["question", "unit", "score"]]))) == dict(iter(run))


def test_a_missing_package_is_named(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(frames, "import_module", missing)
    for give, package in ((QRELS.to_pandas, "pandas"), (QRELS.to_arrow, "pyarrow")):
        with pytest.raises(MissingExtra, match=package) as error:
            give()
        assert error.value.mend == f"pip install {package}"
