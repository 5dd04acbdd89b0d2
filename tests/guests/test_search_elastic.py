"""The official clients of Elasticsearch and OpenSearch against a server of ours that speaks their wire format.

It is no live server: see tests/wire.py.
"""

import base64
import json

import pytest
from tests import wire
from tests.front import evenhand as cli
from tests.hashed import same, vector, world
from tests.miniature import STUDY, make

from evenhand.errors import InputError, Unreachable
from evenhand.model.plan.study import SystemPlan
from evenhand.retrieve.build import build
from evenhand.retrieve.search import retrieve

pytest.importorskip("elasticsearch")
pytest.importorskip("opensearchpy")

FIELDS = {"text": "page", "doc": "meta.from", "start": "meta.at"}
KINDS = {"elasticsearch": wire.Elasticsearch, "opensearch": wire.OpenSearch}
VECTORS = {
    "elasticsearch": {"type": "dense_vector", "dims": 48, "similarity": "cosine", "index_options": {"type": "int8_hnsw"}},
    "opensearch": {
        "type": "knn_vector", "dimension": 48,
        "method": {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"},
    },
}  # fmt: skip
TEXT = {"page": {"type": "text", "fields": {"raw": {"type": "keyword"}}}}
META = {"meta": {"properties": {"from": {"type": "keyword"}, "at": {"type": "long"}}}}
KEY = "sk-canary-elastic"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elastic") / "s"
    make(folder)
    return folder, *world(folder)


@pytest.fixture(params=sorted(KINDS))
def kind(request):
    return request.param


@pytest.fixture
def server(kind, made):
    _, _, _, units, _ = made
    held = KINDS[kind]()
    held.mappings["texts"] = {**TEXT, **META, "vec": VECTORS[kind]}
    held.rows["texts"] = {
        str(i): {"page": u.text, "meta": {"from": f"/x/{u.doc}", "at": u.start}, "vec": vector(u.text)}
        for i, u in enumerate(units)
    }
    two = {"one": VECTORS[kind], "two": VECTORS[kind]}
    held.mappings["two"], held.rows["two"] = {**TEXT, **two}, {"1": {"page": "a"}}
    held.mappings["plain"], held.rows["plain"] = {**TEXT}, {"1": {"page": "a"}}
    held.mappings["empty"], held.rows["empty"] = {**TEXT}, {}
    with wire.serving(held) as made_:
        yield made_


def built(folder, kind, server, **settings):
    settings = {"url": server.url, "retries": 0, **settings}
    plan = SystemPlan(name="e", kind="retriever", what=kind, settings=settings)
    return build(plan, base_folder=folder)


DENSE = {"search_by": "knn", "embedder": "python:tests.hashed:embed"}


@pytest.mark.parametrize("exact", [False, True])
def test_a_dense_search_ranks_as_our_exact_search_does(made, kind, server, exact):
    folder, _, gold, units, expected = made
    run = retrieve(
        built(folder, kind, server, index="texts", fields=FIELDS, exact=exact, **DENSE), units, gold, depth=10
    )
    same(run, expected)
    assert {"unresolved", "offsets_against_text", "fewer_than_asked"} & run.notes.keys() == set()
    approximate = "int8_hnsw" if kind == "elasticsearch" else "hnsw of lucene"
    assert run.provenance["index"] == {
        "pieces": len(units), "metric": "cosine", "dimensions": 48,
        "search": "exact: script_score over every piece" if exact else f"approximate: {approximate}",
    }  # fmt: skip
    assert "told" not in run.provenance
    body = next(b for _, p, b, _ in server.seen if p.endswith("_search") and "size" in b and b["size"] == 10)
    assert body["_source"] == ["meta.from", "meta.at", "page"]


def test_an_index_of_ours_is_filled_once_and_ranks_as_our_exact_search_does(made, kind, server):
    folder, _, gold, units, expected = made
    before = {name: dict(rows) for name, rows in server.rows.items()}
    for _ in range(2):
        run = retrieve(built(folder, kind, server, fill=True, **DENSE), units, gold, depth=10)
        same(run, expected)
        assert run.units is units
    assert sum(path.endswith("_bulk") for _, path, _, _ in server.seen) == 1
    (name,) = set(server.rows) - set(before)
    assert name.startswith("evenhand_")
    assert len(server.rows[name]) == len(units)
    assert {one: server.rows[one] for one in before} == before


def test_a_search_by_words_sends_a_match_and_takes_its_scores(made, kind, server):
    folder, _, gold, units, _ = made
    run = retrieve(built(folder, kind, server, index="texts", fields=FIELDS), units, gold, depth=7)
    first = next(iter(gold))
    assert searches(server)[0] == {
        "size": 7,
        "_source": ["meta.from", "meta.at", "page"],
        "query": {"match": {"page": {"query": first.text}}},
    }
    assert run.provenance["index"] == {"pieces": len(units), "search": "lexical: match"}
    assert "unresolved" not in run.notes
    assert (run.score > 0).all()


def searches(server):
    return [body for _, path, body, _ in server.seen if path.endswith("_search")]


def test_a_body_is_sent_with_question_vector_and_k_in_it(made, kind, server):
    folder, _, gold, units, expected = made
    near = {"knn": {"field": "vec", "query_vector": "{vector}", "k": "{k}"}}
    body = (
        near if kind == "elasticsearch" else {"query": {"knn": {"vec": {"vector": "{vector}", "k": "{k}"}}}}
    )
    system = built(
        folder, kind, server, index="texts", fields=FIELDS, body=body, embedder="python:tests.hashed:embed"
    )
    run = retrieve(system, units, gold, depth=10)
    same(run, expected)
    assert run.provenance["body"] == body
    assert run.provenance["index"]["search"] == "as its body says"
    assert "fewer_than_asked" not in run.notes
    lexical = {"query": {"match": {"page": "{question}"}}}
    run = retrieve(built(folder, kind, server, index="texts", fields=FIELDS, body=lexical), units, gold)
    assert searches(server)[-1]["query"] == {"match": {"page": list(gold)[-1].text}}
    assert len(run.unit)


def test_a_part_of_an_answer_is_no_answer(made, kind, server):
    folder, _, gold, units, _ = made
    asked = []

    def before(_method, path, _body):
        if path.endswith("_search"):
            asked.append(path)
            server.partial = {"failed": 1, "successful": 1} if len(asked) == 4 else {}

    server.before = before
    run = retrieve(built(folder, kind, server, index="texts", fields=FIELDS), units, gold)
    assert list(run.not_run.values()) == ["answered in part: 1 of 2 shards"]


@pytest.mark.parametrize(
    ("settings", "what", "mend"),
    [
        ({"index": "text"}, "has no index 'text'", "did you mean 'texts'"),
        ({"index": "empty", "fields": {"text": "page"}}, "is empty", "fill it"),
        ({"index": "texts", "fields": {"text": "pgae"}}, r"no field 'pgae' \(fields.text\)", "did you mean 'page'"),
        ({"index": "texts"}, "has none of: text", "it has: meta, meta.at, meta.from, page"),
        ({"index": "texts", "fields": {"doc": "meta.from", "start": "meta.at", "end": "meta.at"}}, "no field text", "fields"),
        ({"index": "two", **DENSE}, "has 2 fields of vectors", "one of: one, two"),
        ({"index": "two", "vector": "tow", **DENSE}, "field 'tow' of index 'two'", "did you mean 'two'"),
        ({"index": "plain", **DENSE}, "has 0 fields of vectors", "name an index"),
        ({"index": "texts", "embedder": "minilm"}, "asks for no vector", "leave embedder out"),
        ({"index": "texts", "search_by": "knn"}, "has no embedder", "embedder ="),
        ({"index": "texts", "search_by": "vectors"}, "search_by is 'vectors'", "knn"),
        ({"index": "texts", "exact": True}, "are for search_by", "leave them out"),
        ({"index": "texts", "body": {"query": {"match_all": {}}}}, "body holds neither", "{question}"),
        ({"index": "texts", "search_by": "body"}, "has no body", "body ="),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_a_mend(made, kind, server, settings, what, mend):  # noqa: PLR0917
    folder, _, gold, units, _ = made
    with pytest.raises(InputError, match=what) as told:
        retrieve(built(folder, kind, server, **settings), units, gold)
    assert mend in told.value.mend


@pytest.mark.parametrize("user", ["", "reader"])
def test_a_key_is_sent_and_shown_nowhere(made, kind, server, monkeypatch, user):
    folder, _, gold, units, _ = made
    monkeypatch.setenv("SEARCH_KEY", KEY)
    system = built(
        folder,
        kind,
        server,
        index="texts",
        fields=FIELDS,
        key_env="SEARCH_KEY",
        **({"user": user} if user else {}),
    )
    run = retrieve(system, units, gold)
    sent = {headers["authorization"] for *_, headers in server.seen}
    basic = "Basic " + base64.b64encode(f"{user}:{KEY}".encode()).decode()
    bare = f"ApiKey {KEY}" if kind == "elasticsearch" else f"Bearer {KEY}"
    assert sent == {basic if user else bare}
    assert {headers["user-agent"] for *_, headers in server.seen} == {"evenhand"}
    assert not any("x-elastic-client-meta" in headers for *_, headers in server.seen)
    assert KEY not in json.dumps(dict(run.provenance))
    server.before = lambda *_: (
        401,
        {"error": {"type": "security_exception", "reason": f"bad {KEY}"}, "status": 401},
    )
    with pytest.raises(InputError, match="HTTP status 401") as told:
        retrieve(system, units, gold)
    assert KEY not in str(told.value)
    assert "check the key" in told.value.mend


def test_trouble_is_tried_again_and_then_put_aside(made, kind, server):
    folder, _, gold, units, _ = made
    asked = []

    def before(_method, path, _body):
        if path.endswith("_search"):
            asked.append(path)
            if len(asked) in {2, 5, 6}:
                return 503, {"error": {"type": "unavailable", "reason": "busy"}, "status": 503}
        return None

    server.before = before
    run = retrieve(built(folder, kind, server, index="texts", fields=FIELDS, retries=1), units, gold)
    assert list(run.not_run.values()) == ["HTTP status 503"]
    assert len(asked) == len(gold) + 2


def test_nobody_at_home(made, kind):
    folder, _, gold, units, _ = made
    with wire.serving(KINDS[kind]()) as gone:
        pass
    with pytest.raises(Unreachable, match="no connection") as told:
        retrieve(built(folder, kind, gone, index="texts"), units, gold)
    assert not told.value.there


def test_a_study_says_in_its_report_how_it_searched(made, kind, server, tmp_path):
    system = (
        f'[system.db]\nretriever = "{kind}"\nurl = "{server.url}"\nindex = "texts"\n'
        'fields = { text = "page", doc = "meta.from", start = "meta.at" }\n'
    )
    small = STUDY[: STUDY.index("[system.tfidf]")] + system + STUDY[STUDY.index("[measure]") :]
    study = make(tmp_path / "s", study=small.replace("500", "100"))
    done = cli("run", study, "--json")
    assert done.returncode == 0, done.stderr
    about = next(one for one in json.loads(done.stdout)["systems"] if one["name"] == "db")["provenance"]
    assert about["index"]["search"] == "lexical: match"
    assert about["search_by"] == "match"
