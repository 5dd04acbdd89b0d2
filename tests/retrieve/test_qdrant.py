"""Qdrant in local mode: an index of ours, and one that is there already."""

import json
import uuid
from importlib.util import find_spec

import numpy as np
import pytest
from tests import wire
from tests.front import evenhand as cli
from tests.hashed import SIZE, embed, same, vector, world
from tests.miniature import STUDY, make
from tests.wire import serving

from evenhand.errors import InputError, MissingExtra, Unreachable
from evenhand.model.plan.study import SystemPlan
from evenhand.retrieve.build import build
from evenhand.retrieve.search import retrieve
from evenhand.store.blobs import Blobs

pytest.importorskip("qdrant_client")
THEIRS = "texts"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("qdrant") / "s"
    make(folder)
    return folder, *world(folder)


def built(folder, **settings):
    settings = {"path": "theirs", "embedder": "python:tests.hashed:embed", **settings}
    plan = SystemPlan(name="q", kind="retriever", what="qdrant", settings=settings)
    return build(plan, base_folder=folder)


def points(client, units, name, *, distance="Cosine", payload=None, names=()):
    """A collection as somebody else has filled it, with fields of their own."""
    from qdrant_client import models

    size = models.VectorParams(size=SIZE, distance=models.Distance(distance))
    config = dict.fromkeys(names, size) if names else size
    client.create_collection(name, vectors_config=config)
    client.upsert(
        name,
        points=[
            models.PointStruct(
                id=str(uuid.UUID(int=i + 1)),
                vector=dict.fromkeys(names, vector(u.text)) if names else vector(u.text),
                payload=payload(u)
                if payload
                else {"page": u.text, "meta": {"from": f"/x/{u.doc}", "at": u.start}},
            )
            for i, u in enumerate(units)
        ],
    )


@pytest.fixture(scope="module")
def theirs(made):
    """A folder with collections of several kinds."""
    from qdrant_client import QdrantClient, models

    folder, _, _, units, _ = made
    client = QdrantClient(path=str(folder / "theirs"))
    points(client, units, THEIRS)
    points(
        client,
        units,
        "dots",
        distance="Dot",
        payload=lambda u: {"doc": u.doc, "start": u.start, "end": u.end},
    )
    points(client, units, "far", distance="Euclid")
    points(client, list(units)[:20], "named", names=("big", "small"))
    points(client, list(units)[:3], "mute", payload=lambda _u: {"words": "?"})
    client.create_collection(
        "empty", vectors_config=models.VectorParams(size=SIZE, distance=models.Distance.COSINE)
    )
    client.close()
    return folder


FIELDS = {"text": "page", "doc": "meta.from", "start": "meta.at"}


def test_an_index_of_ours_ranks_as_our_exact_search_does(made):
    folder, _, gold, units, expected = made
    system = built(folder, path=":memory:", fill=True)
    assert system.searches_units
    run = retrieve(system, units, gold, depth=10)
    same(run, expected)
    assert run.units is units
    assert np.abs(run.score - expected.score).max() < 2e-6
    assert run.provenance["index"] == {
        "pieces": len(units), "search": "exact: every point", "metric": "cosine", "dimensions": SIZE,
    }  # fmt: skip
    assert "told" not in run.provenance
    assert run.provenance["embedder"] == "python:tests.hashed:embed"


@pytest.mark.parametrize("name", [THEIRS, "dots", "far"])
def test_an_index_that_is_there_is_searched_and_its_hits_are_placed(made, theirs, name):
    folder, _, gold, units, expected = made
    system = built(folder, collection=name, **({"fields": FIELDS} if name != "dots" else {}))
    assert not system.searches_units
    run = retrieve(system, units, gold, depth=10)
    same(run, expected)
    assert {"unresolved", "offsets_against_text", "fewer_than_asked"} & run.notes.keys() == set()
    told = " ".join(run.provenance.get("told", []))
    assert ("by dot product" in told) == (name == "dots")
    assert ("by Euclidean distance" in told) == (name == "far")
    if name == "far":
        assert (run.score <= 0).all()
        assert (np.diff(run.score[:10]) <= 0).all()


def test_another_embedder_than_the_one_that_filled_it_is_noticed(made, theirs, monkeypatch):
    folder, _, gold, units, _ = made
    monkeypatch.setattr("tests.hashed.vector", lambda text: vector(text[::-1].upper()))
    run = retrieve(built(folder, collection=THEIRS, fields=FIELDS), units, gold, depth=3)
    (told,) = run.provenance["told"]
    assert "makes other vectors of texts in the index of q than it holds (cosine 0." in told


@pytest.mark.parametrize(
    ("settings", "what", "mend"),
    [
        ({"collection": "text"}, r"has no collection 'text'", "did you mean 'texts'"),
        ({"collection": "mute"}, r"has none of: text; doc, start and end; unit", "it has: words"),
        (
            {"collection": THEIRS, "fields": {"text": "pages"}},
            r"has no field 'pages' \(fields.text\)",
            "did you mean 'page'",
        ),
        ({"collection": "empty"}, "is empty", "fill it"),
        ({"collection": "named"}, "has several vectors", "big, small"),
        ({"collection": "named", "vector": "smal"}, "no vector 'smal'", "did you mean 'small'"),
        ({"collection": THEIRS, "vector": "x"}, "one vector without a name", "leave vector out"),
        (
            {"collection": THEIRS, "fields": FIELDS, "embedder": "python:tests.retrieve.test_qdrant:short"},
            r"holds vectors of 48 dimensions, and embedder 'python:tests.retrieve.test_qdrant:short' makes 5",
            "the embedder that the index was filled with",
        ),
        (
            {"collection": THEIRS, "path": "gone"},
            "there is no folder gone of Qdrant",
            "relative to the study",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_a_mend(made, theirs, settings, what, mend):
    folder, _, gold, units, _ = made
    with pytest.raises(InputError, match=what) as told:
        retrieve(built(folder, **settings), units, gold)
    assert mend in told.value.mend


def short(texts):
    return embed(texts)[:, :5]


@pytest.mark.parametrize(
    ("settings", "what", "mend"),
    [
        ({}, "names no collection", 'collection = "…"'),
        ({"collection": "x", "url": "http://x"}, "needs one of url and path", "url ="),
        ({"path": "", "collection": "x"}, "needs one of url and path", "url ="),
        ({"collection": "x", "embedder": ""}, "has no embedder", "embedder ="),
        ({"collection": "x", "embedder": "minilmm"}, "no embedder is called", "minilm"),
        ({"collection": "x", "fill": True}, "collection = 'x' is named", "never written to"),
        ({"fill": True, "fields": {"text": "t"}}, "fields of our own", "leave fields out"),
        ({"path": ":memory:", "collection": "x"}, "nothing in a new memory", "fill = true"),
        ({"collection": "x", "fields": {"txt": "t"}}, "no part 'txt'", "did you mean 'text'"),
        ({"collection": "x", "exact": True, "candidates": 9}, "candidates = 9", "exact = true"),
        ({"collection": "x", "candidates": 9}, "local mode compares every point", "leave candidates out"),
        ({"collection": "x", "timeout": 0.0}, "timeout = 0.0", "above 0"),
        ({"collection": "x", "api_key": "sk-canary"}, "'api_key' is no setting", "key_env"),
        ({"collection": "x", "colection": "x"}, "has no setting 'colection'", "collection"),
        ({"path": "", "url": "http://u:canary@h", "collection": "x"}, "url holds a password: 'http://h'", "key_env"),
        ({"path": "", "url": "http://h?api_key=canary", "collection": "x"}, "holds a password", "key_env"),
        ({"path": "", "url": "h:6333", "collection": "x"}, "url is 'h:6333'", "http://"),
    ],
)  # fmt: skip
def test_settings_are_checked_before_anything_is_asked(tmp_path, settings, what, mend):
    with pytest.raises(InputError, match=what) as told:
        built(tmp_path, **settings)
    assert told.value.what.startswith("[system.q] ")
    assert mend in told.value.mend
    assert "canary" not in str(told.value)


@pytest.mark.skipif(find_spec("lancedb") is not None, reason="LanceDB is installed here")
def test_a_missing_extra_is_named_with_the_section(tmp_path):
    settings = {"path": "x", "table": "t", "embedder": "minilm"}
    with pytest.raises(MissingExtra, match=r"\[system.q\] this needs the package 'lancedb'") as told:
        build(SystemPlan(name="q", kind="retriever", what="lancedb", settings=settings), base_folder=tmp_path)
    assert told.value.mend == "pip install 'evenhand[lancedb]'"


def test_a_filled_index_is_kept_and_finished_and_theirs_stays(made, theirs, tmp_path):
    from qdrant_client import QdrantClient

    folder, _, gold, units, expected = made

    def held():
        client = QdrantClient(path=str(folder / "theirs"))
        found = {c.name: client.count(c.name).count for c in client.get_collections().collections}
        client.close()
        return found

    before = held()
    same(retrieve(built(folder, fill=True), units, gold, depth=10), expected)
    (ours,) = set(held()) - set(before)
    assert ours.startswith("evenhand_")
    assert held() == {**before, ours: len(units)}
    client = QdrantClient(path=str(folder / "theirs"))
    client.delete(ours, points_selector=[client.scroll(ours, limit=1)[0][0].id])  # as if it had been stopped
    client.close()
    same(retrieve(built(folder, fill=True), units, gold, depth=10), expected)
    assert held()[ours] == len(units)


def test_answers_are_kept_as_they_come_and_facts_with_them(made, theirs, tmp_path):
    folder, _, gold, units, expected = made
    settings = {"collection": THEIRS, "fields": FIELDS, "cache": True}
    blobs = Blobs(tmp_path / "cache")
    first = retrieve(built(folder, **settings), units, gold, depth=10, cache=blobs)
    again = built(folder, **settings)
    again.bridge.connect = None  # is not asked at all
    second = retrieve(again, units, gold, depth=10, cache=blobs)
    same(second, expected)
    assert second.seal == first.seal
    assert second.provenance["index"]["pieces"] == len(units)


SYSTEM = """\
[system.db]
retriever = "qdrant"
path = "base"
collection = "texts"
embedder = "python:hashing:embed"
fields = { text = "page", doc = "meta.from", start = "meta.at" }
[system.filled]
retriever = "qdrant"
path = ":memory:"
fill = true
embedder = "python:hashing:embed"
"""


def test_a_study_with_qdrant_says_how_it_searched_and_what_differs(tmp_path):
    from qdrant_client import QdrantClient

    small = STUDY[: STUDY.index("[system.tfidf]")] + SYSTEM + STUDY[STUDY.index("[measure]") :]
    study = make(tmp_path / "s", study=small.replace("500", "100"))
    (study.parent / "hashing.py").write_text("from tests.hashed import embed\n")
    _, _, units, _ = world(study.parent)
    client = QdrantClient(path=str(study.parent / "base"))
    points(client, units, "texts", distance="Dot")
    client.close()
    done = cli("run", study, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    about = {one["name"]: one["provenance"] for one in report["systems"]}
    assert about["db"]["index"]["metric"] == "dot"
    assert about["db"]["address"] == "base"
    assert about["filled"]["chunking"] == "ours"
    assert "told" not in about["db"]
    assert any("the index of db compares by dot product" in one["text"] for one in report["warnings"])
    assert str(tmp_path) not in done.stdout


def test_it_is_taken_out_of_a_study_as_code_that_makes_it(made, theirs, monkeypatch):
    from evenhand.study.export.code import Placed, systems_code

    folder, _, gold, units, expected = made
    settings = {
        "path": "theirs",
        "collection": THEIRS,
        "fields": FIELDS,
        "embedder": "python:tests.hashed:embed",
    }
    plan = SystemPlan(name="db", kind="retriever", what="qdrant", settings=settings)
    code = systems_code([plan], place=Placed)
    held = {"HERE": folder}
    exec("\n".join([*sorted(code.imports), *code.lines]), held)  # noqa: S102
    same(retrieve(held["db"], units, gold, depth=10), expected)
    assert code.needs == ["qdrant"]
    assert "Qdrant with its collection texts, which answers for the system db" in code.brings


def test_an_error_of_ours_comes_out_of_the_clients_own(made):
    from qdrant_client.http.exceptions import ResponseHandlingException

    folder, _, gold, units, _ = made
    system = built(folder, path="", url="http://db.example.org", collection="x")

    def refused(_key):
        raise ResponseHandlingException(Unreachable("is offline", mend="unset it", there=False, again=False))

    system.bridge.connect = refused
    with pytest.raises(Unreachable, match=r"^is offline"):
        retrieve(system, units, gold)


SERVER = """\
[system.db]
retriever = "qdrant"
url = "URL"
collection = "texts"
embedder = "python:hashing:embed"
fields = { text = "page", doc = "from" }
key_env = "QDRANT_KEY"
retries = 0
"""
KEY = "sk-canary-qdrant"


def test_a_server_that_fails_for_some_questions_leaves_the_run_incomplete_and_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("QDRANT_KEY", KEY)
    small = STUDY[: STUDY.index("[system.tfidf]")] + SERVER + STUDY[STUDY.index("[measure]") :]
    study = make(tmp_path / "s", study=small.replace("500", "100"))
    (study.parent / "hashing.py").write_text("from tests.hashed import embed\n")
    _, _, units, _ = world(study.parent)
    with serving(wire.Qdrant([({"page": u.text, "from": u.doc}, vector(u.text)) for u in units])) as server:
        study.write_text(study.read_text().replace("URL", server.url))
        asked = []

        def before(_method, path, _body):
            if not path.endswith("/query"):
                return None
            asked.append(path)
            if len(asked) in {3, 7}:
                return 503, {"status": {"error": f"overloaded {KEY}"}, "time": 0.0}
            return None

        server.before = before
        done = cli("run", study)
        assert done.returncode == 4, done.stderr
        assert "2 of 18 questions could not be asked of db (HTTP status 503)" in done.stdout
        assert {headers["api-key"] for *_, headers in server.seen} == {KEY}
        asked.clear()
        server.before = lambda _method, path, _body: asked.append(path) if path.endswith("/query") else None
        again = cli("run", study, "--json")
        assert again.returncode == 0
        assert len(asked) == 2  # what was answered is not asked again
        about = next(one for one in json.loads(again.stdout)["systems"] if one["name"] == "db")["provenance"]
        assert about["index"]["search"] == "approximate: HNSW"
        assert server.url in about["address"]
        for told in (done, again):
            assert KEY not in told.stdout + told.stderr
        server.before = lambda *_: (401, f"Must provide an API key, not {KEY}".encode())
        settings = {"path": "", "collection": "texts", "key_env": "QDRANT_KEY", "retries": 0}
        system = built(study.parent, url=server.url, **settings)
        with pytest.raises(InputError, match=r"refused the request \(HTTP status 401\)") as refused:
            retrieve(system, units, {"q": "?"})
        assert KEY not in str(refused.value)
        assert "check the key" in refused.value.mend
    with pytest.raises(Unreachable, match="no connection") as gone:
        retrieve(system, units, {"q": "?"})
    assert not gone.value.there
    for path in study.parent.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
