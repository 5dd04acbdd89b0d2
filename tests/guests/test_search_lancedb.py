"""LanceDB in a folder, for real."""

import numpy as np
import pytest
from tests.hashed import SIZE, same, vector, world
from tests.miniature import make

from evenhand.errors import InputError
from evenhand.model.plan.study import SystemPlan
from evenhand.retrieve.build import build
from evenhand.retrieve.search import retrieve

lancedb = pytest.importorskip("lancedb")
FIELDS = {"text": "page", "doc": "meta.from", "start": "meta.at"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lancedb") / "s"
    make(folder)
    return folder, *world(folder)


@pytest.fixture(scope="module")
def theirs(made):
    import pyarrow as pa
    from lancedb.index import IvfFlat

    folder, _, _, units, _ = made
    base = lancedb.connect(str(folder / "theirs"))
    kind = pa.list_(pa.float32(), SIZE)
    rows = [
        {"page": u.text, "meta": {"from": f"/x/{u.doc}", "at": u.start}, "vec": vector(u.text)} for u in units
    ]
    inner = pa.struct([("from", pa.string()), ("at", pa.int64())])
    schema = pa.schema([("page", pa.string()), ("meta", inner), ("vec", kind)])
    base.create_table("texts", data=pa.Table.from_pylist(rows, schema=schema))
    # as many rows as an index is trained on: each unit, and noise that no question is near to
    dice = np.random.default_rng(7)
    noise = [
        {"page": f"noise {i}", "meta": {"from": "", "at": 0}, "vec": (dice.normal(size=SIZE) * 9).tolist()}
        for i in range(600)
    ]
    for metric in ("cosine", "l2", "dot"):
        table = base.create_table(f"by_{metric}", data=pa.Table.from_pylist(rows + noise, schema=schema))
        table.create_index("vec", config=IvfFlat(distance_type=metric, num_partitions=4))
    two = pa.schema([("page", pa.string()), ("one", kind), ("two", kind)])
    both = [{"page": u.text, "one": vector(u.text), "two": vector(u.text)} for u in units]
    base.create_table("two", data=pa.Table.from_pylist(both, schema=two))
    base.create_table("empty", schema=schema)
    zero = {"page": "nothing", "meta": {"from": "", "at": 0}, "vec": [0.0] * SIZE}
    base.create_table("zeros", data=pa.Table.from_pylist([*rows, zero], schema=schema))
    return folder


def built(folder, **settings):
    settings = {"path": "theirs", "embedder": "python:tests.hashed:embed", **settings}
    return build(
        SystemPlan(name="l", kind="retriever", what="lancedb", settings=settings), base_folder=folder
    )


def test_a_table_of_ours_ranks_as_our_exact_search_does_and_is_kept(made):
    folder, _, gold, units, expected = made
    for _ in range(2):
        run = retrieve(built(folder, path="ours", fill=True), units, gold, depth=10)
        same(run, expected)
        assert np.abs(run.score - expected.score).max() < 2e-6
        assert run.provenance["index"] == {
            "pieces": len(units), "search": "exact: no index serves cosine", "metric": "cosine", "dimensions": SIZE,
        }  # fmt: skip
    (name,) = lancedb.connect(str(folder / "ours")).list_tables().tables
    assert name.startswith("evenhand_")


def test_a_table_that_was_begun_is_finished(made):
    folder, _, gold, units, expected = made
    retrieve(built(folder, path="begun", fill=True), units, gold, depth=1)
    base = lancedb.connect(str(folder / "begun"))
    table = base.open_table(base.list_tables().tables[0])
    table.delete("start > 100")
    assert table.count_rows() < len(units)
    same(retrieve(built(folder, path="begun", fill=True), units, gold, depth=10), expected)
    assert base.open_table(base.list_tables().tables[0]).count_rows() == len(units)


def test_a_table_that_is_there_is_searched_and_its_hits_are_placed(made, theirs):
    folder, _, gold, units, expected = made
    run = retrieve(built(folder, table="texts", fields=FIELDS), units, gold, depth=10)
    same(run, expected)
    assert {"unresolved", "offsets_against_text", "fewer_than_asked"} & run.notes.keys() == set()
    assert "told" not in run.provenance
    run = retrieve(
        built(folder, table="two", vector="two", fields={"text": "page"}, metric="dot"), units, gold, depth=10
    )
    same(run, expected)
    assert "by dot product" in run.provenance["told"][0]


def test_a_vector_of_zeros_is_in_no_ranking_b033(made, theirs):
    folder, _, gold, units, expected = made
    run = retrieve(built(folder, table="zeros", fields=FIELDS), units, gold, depth=1000)
    assert run.provenance["index"]["pieces"] == len(units) + 1
    assert {len(run.ranking(question)) for question in run.questions} == {len(units)}
    assert np.isfinite(run.score).all()
    for question in run.questions:
        assert [h.unit for h in run.ranking(question, 10)] == [h.unit for h in expected.ranking(question)]


@pytest.mark.parametrize("metric", ["cosine", "l2", "dot"])
def test_an_index_is_walked_or_passed_by_and_its_measure_is_told(made, theirs, metric):
    folder, _, gold, units, _ = made
    runs = {
        exact: retrieve(
            built(folder, table=f"by_{metric}", fields=FIELDS, exact=exact), units, gold, depth=10
        )
        for exact in (True, False)
    }
    facts = {exact: run.provenance["index"] for exact, run in runs.items()}
    assert facts[True]["metric"] == facts[False]["metric"] == metric
    assert facts[False]["search"].startswith("approximate: ")
    assert facts[True]["search"].endswith("is passed by")
    asked = np.array([vector(q.text) for q in gold])
    base = lancedb.connect(str(folder / "theirs")).open_table(f"by_{metric}").to_arrow().to_pylist()
    held = np.array([row["vec"] for row in base])
    by = {
        "cosine": asked @ (held / np.linalg.norm(held, axis=1, keepdims=True)).T,
        "dot": asked @ held.T,
        "l2": -((asked[:, None] - held[None]) ** 2).sum(axis=2),
    }[metric]
    for n, q in enumerate(gold):  # the exact one finds what brute force finds
        want = np.sort(by[n])[::-1][:10]
        got = [hit.score for hit in runs[True].ranking(str(q.id))]
        assert np.allclose(got, want[: len(got)], atol=2e-5)


@pytest.mark.parametrize(
    ("settings", "what", "mend"),
    [
        ({"table": "text"}, "has no table 'text'", "did you mean 'texts'"),
        ({"table": "empty"}, "is empty", "fill it"),
        ({"table": "two"}, "has 2 columns of vectors", "one of: one, two"),
        ({"table": "two", "vector": "tow"}, "column 'tow' of table 'two' of LanceDB is not there", "did you mean 'two'"),
        ({"table": "two", "vector": "page"}, "is no vector", "use one of: one, two"),
        ({"table": "texts", "fields": {"text": "pages"}}, r"no field 'pages' \(fields.text\)", "did you mean 'page'"),
        ({"table": "texts"}, "has none of: text", "it has: meta, meta.at, meta.from, page"),
        ({"table": "texts", "path": "gone"}, "there is no folder gone", "relative to the study"),
        ({"table": "texts", "path": "s3://k:canary@x"}, "path is 's3'", "a folder"),
        ({"table": "texts", "metric": "cos"}, "metric is 'cos'", "cosine"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_a_mend(made, theirs, settings, what, mend):
    folder, _, gold, units, _ = made
    with pytest.raises(InputError, match=what) as told:
        retrieve(built(folder, **settings), units, gold)
    assert mend in told.value.mend
    assert "canary" not in str(told.value)
