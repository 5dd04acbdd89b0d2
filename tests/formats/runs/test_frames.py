"""Runs and judgements from what is in memory, and from files of columns."""

from collections import namedtuple

import numpy as np
import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.formats.runs import trec
from evenhand.formats.runs.frames import qrels_of, run_of
from evenhand.metrics.measure.measure import measure
from evenhand.metrics.measure.view import Judged
from evenhand.model.run import Qrels, Run

RANKINGS = {"q2": {"b": 2.0, "a": 3.0, "ü x": 2.0}, "q1": {"a": 1.0}}
ROWS = [(q, u, s) for q, of in RANKINGS.items() for u, s in of.items()]
NAMES = [
    ("query_id", "doc_id", "score"),
    ("q_id", "doc_id", "score"),
    ("qid", "docno", "score"),
    ("query-id", "corpus-id", "score"),
]


def polars(names):
    return pl.DataFrame(ROWS, schema=list(names), orient="row")


def pandas(names):
    return pytest.importorskip("pandas").DataFrame(ROWS, columns=list(names))


def arrow(names):
    """Anything that hands itself over as Arrow does."""

    class Table:
        def __arrow_c_stream__(self, requested_schema=None):
            return polars(names).__arrow_c_stream__(requested_schema)

    return Table()


SHAPES = {
    "dictionary": RANKINGS,
    "pairs": {q: list(of.items()) for q, of in RANKINGS.items()},
    "rows": ROWS,
    "named rows": [namedtuple("ScoredDoc", "query_id doc_id score")(*row) for row in ROWS],  # noqa: PYI024
    **{f"{make.__name__} {names[0]}": make(names) for make in (polars, arrow) for names in NAMES},
    "lazy": polars(NAMES[0]).lazy(),
    "categories": polars(NAMES[0]).with_columns(pl.col("query_id").cast(pl.Categorical)),
}


def same(run, other):
    assert run.questions == other.questions
    assert run.table == other.table
    assert np.array_equal(run.unit, other.unit)
    assert np.array_equal(run.score, other.score)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_a_run_is_the_same_run(shape):
    run = run_of(SHAPES[shape], system="s")
    assert [hit.unit for hit in run.ranking("q2")] == ["a", "ü x", "b"]
    assert run.notes == {"ties": 2}
    same(run, run_of(RANKINGS))


@pytest.mark.parametrize("names", NAMES)
def test_pandas_frames_need_no_pyarrow(names):
    same(run_of(pandas(names)), run_of(RANKINGS))


def test_units_alone_are_a_ranking_best_first():
    run = run_of({"q": ["b", "a"]})
    assert [hit.unit for hit in run.ranking("q")] == ["b", "a"]


def test_judgements():
    grades = {"q1": {"a": 1, "b": 0.5}, "q2": {"c": -1}}
    expected = Qrels.of({q: {u: float(g) for u, g in of.items()} for q, of in grades.items()})
    frame = pl.DataFrame(
        [(q, u, g) for q, of in grades.items() for u, g in of.items()],
        schema=["qid", "docid", "relevance"],
        orient="row",
        strict=False,
    )
    judged = namedtuple("Qrel", "query_id doc_id relevance")  # noqa: PYI024
    for thing in (grades, frame, [judged(q, u, g) for q, of in grades.items() for u, g in of.items()]):
        found = qrels_of(thing)
        assert found.seal == expected.seal
        assert found.notes == {"negative": 1, "fractional": 1}


@pytest.mark.parametrize(
    ("thing", "says"),
    [
        (7, "the run is a int"),
        ("q", "the run is a str"),
        ({"q": 3}, "question 'q' has 3"),
        ({1: {"a": 1.0}}, "a question id of the run is 1, a int"),
        ({"q": {"a": float("nan")}}, "not a finite number"),
        ({"q": {"a": "1"}}, "not a finite number"),
        ([("q", "a")], "a row is"),
        ([("q", "a", 1.0), ("q", "a", 2.0)], "row 2 and row 1: unit 'a' of question 'q' occurs twice"),
        (pl.DataFrame({"q": ["a"], "score": [1.0]}), "no column for the"),
        (
            pl.DataFrame({"qid": [1.5], "docid": ["a"], "score": [1.0]}),
            "question ids in column qid are of type",
        ),
        (
            pl.DataFrame({"qid": ["q", None], "docid": ["a", "b"], "score": [1.0, 2]}),
            "row 2: .* or an id is missing",
        ),
        (
            pl.DataFrame({"qid": ["q"], "docid": ["a"], "score": [float("inf")]}),
            "row 1: inf is not a finite number",
        ),
    ],
)
def test_what_is_no_run_is_refused_with_the_row(thing, says):
    with pytest.raises(InputError, match=says):
        run_of(thing)


def test_whole_numbers_in_a_column_of_ids_are_their_digits():
    run = run_of(pl.DataFrame({"qid": [7, 7], "docid": [10, 9], "score": [1.0, 2.0]}))
    assert run.questions == ("7",)
    assert run.table == ("10", "9")


def lines(rows):
    return "".join(f"{q} Q0 {u} {i} {s} x\n" for i, (q, u, s) in enumerate(rows))


@pytest.fixture
def many(tmp_path):
    dice = np.random.default_rng(4)
    rows = [
        (f"q{q}", f"unit-{u}", round(float(s), 1))
        for q in range(50)
        for u, s in zip(dice.permutation(900)[:80].tolist(), dice.normal(5, 2, 80), strict=True)
    ]
    judged = {
        f"q{q}": {f"unit-{u}": float(dice.integers(0, 3)) for u in dice.permutation(900)[:60]}
        for q in range(50)
    }
    (tmp_path / "run.txt").write_text(lines(rows))
    return rows, Judged(Qrels.of(judged)), tmp_path


@pytest.mark.parametrize("order", ["grouped", "shuffled"])
@pytest.mark.parametrize("kind", ["parquet", "arrow", "categories", "csv", "tsv"])
@pytest.mark.parametrize("ties", ["trec", "trec9", "file"])
def test_files_of_columns_measure_as_trec_text_does(many, order, kind, ties):
    rows, judged, folder = many
    if order == "shuffled":
        rows = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    (folder / "run.txt").write_text(lines(rows))
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    path = folder / f"run.{kind}"
    if kind == "csv":
        frame.write_csv(path)
    elif kind == "tsv":
        frame.write_csv(path, separator="\t")
    elif kind == "arrow":
        frame.write_ipc(path)
    else:
        frame.with_columns(
            pl.col("query_id").cast(pl.Categorical if kind == "categories" else pl.String)
        ).write_parquet(path)
    plain, found = (trec.read_view(one, judged, ties=ties) for one in (folder / "run.txt", path))
    for name in ("question", "rank", "row", "low", "high", "depth"):
        assert np.array_equal(getattr(plain, name), getattr(found, name)), name
    assert found.notes["ties"] == plain.notes["ties"]
    assert len(found.provenance["sha256"]) == 64
    run = trec.read_run(path, ties=ties)
    assert np.array_equal(measure(judged.qrels, run, "AP").value, measure(judged.qrels, found, "AP").value)


def test_a_unit_twice_in_a_file_of_columns_is_named_by_row(many):
    rows, judged, folder = many
    frame = pl.DataFrame([*rows, rows[-3]], schema=["query_id", "doc_id", "score"], orient="row")
    frame.write_parquet(folder / "twice.parquet")
    with pytest.raises(InputError, match="row 4001 and row 3998"):
        trec.read_view(folder / "twice.parquet", judged)
    assert trec.read_view(folder / "twice.parquet", judged, lenient=True).notes["duplicates"] == 1


def test_a_broken_line_of_a_large_table_is_named(many):
    rows, judged, folder = many
    text = "query_id,doc_id,score\n" + "".join(f"{q},{u},{s}\n" for q, u, s in rows) + "q1,x,none\n"
    (folder / "r.csv").write_text(text)
    with pytest.raises(InputError, match="line 4002"):
        trec.read_view(folder / "r.csv", judged)


def test_a_file_of_columns_that_is_broken_is_refused(tmp_path):
    (tmp_path / "r.parquet").write_bytes(b"PAR1" + bytes(40))
    with pytest.raises(InputError, match="not a file of columns"):
        trec.read_run(tmp_path / "r.parquet")


def test_a_run_of_an_object_can_be_measured():
    assert isinstance(run_of(RANKINGS), Run)
    assert measure(qrels_of({"q1": {"a": 1}}), run_of(RANKINGS), "RR").value.tolist() == [[[1.0]]]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["1,5", "0.1"], "'1,5' is not a finite number, or an id is missing (column score)"),
        ([None, 0.1], "None is not"),
        ([True, False], "true or"),
    ],
)
def test_a_value_that_is_no_number_is_named_with_its_row_and_column(values, what):
    given = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "e"], "score": values})
    with pytest.raises(InputError) as raised:
        run_of(given)
    assert what in raised.value.what


@pytest.mark.parametrize("cell", ['"1,5"', "75%", '"1,234.5"'])
def test_a_number_of_a_table_spelled_otherwise_is_refused_and_said(tmp_path, cell):
    (tmp_path / "r.csv").write_text(f"query_id,doc_id,score\nq,d,{cell}\nq,e,0.1\n")
    with pytest.raises(InputError) as raised:
        trec.read_run(tmp_path / "r.csv")
    assert "line 2: the value" in raised.value.what
    assert "?" in raised.value.mend
