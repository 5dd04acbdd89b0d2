import json
import threading

import numpy as np
import pytest
from tests.loopback import serving

from evenhand.errors import InputError, Unreachable
from evenhand.gold.align import align
from evenhand.metrics.measure.measure import measure
from evenhand.model.gold import GoldSet, Nugget, Question, Quote
from evenhand.model.text import Span
from evenhand.retrieve.guests.remote import Endpoint
from evenhand.retrieve.search import retrieve

TEXT = "Leave is asked for in writing.  Sick leave\nneeds a note. Pay comes on the first."
TEXTS = {"leave.md": TEXT, "pay.md": "Pay comes on the first. Nothing else is said."}


def _ids(run, question="q"):
    return [hit.unit for hit in run.ranking(question)]


class OverOurs:
    """Takes our units and answers in one of the forms."""

    def __init__(self, form="id"):
        self.form = form

    def index(self, units):
        self.units = list(units)

    def search(self, question, k):
        found = [u for u in self.units if question in u.text][:k]
        if self.form == "pair":
            return [(u.id, 1.0 / (i + 1)) for i, u in enumerate(found)]
        if self.form == "unit":
            return [{"unit": u.id} for u in found]
        if self.form == "span":
            return [{"doc": u.doc, "start": u.start, "end": u.end, "score": 2.0} for u in found]
        if self.form == "text":
            return [{"text": u.text.strip(), "doc": u.doc} for u in found]
        if self.form == "object":
            return [(u, 0.5) for u in found]
        return [u.id for u in found]


@pytest.mark.parametrize("form", ["id", "pair", "unit", "span", "text", "object"])
def test_a_guest_over_our_units_may_answer_in_any_form(units_of, form):
    units = units_of(TEXTS, size=30)
    run = retrieve(OverOurs(form), units, {"q": "Pay", "none": "xyz"}, name="theirs")
    expected = [u.id for u in units if "Pay" in u.text]
    assert _ids(run) == expected
    assert len(expected) == 2
    assert _ids(run, "none") == []
    assert run.units is units
    assert run.notes.get("unresolved", 0) == 0
    assert run.provenance["chunking"] == "ours"


def test_a_plain_function_is_its_own_chunking(units_of):
    def search(question, k):
        return [
            {"doc": "leave.md", "start": 0, "end": 30, "score": 3.0},
            {"text": "Sick leave needs a note.", "doc": "leave.md", "score": 2.0},
            {"text": "words nobody ever wrote anywhere in here", "score": 1.5},
            {"text": "Nothing else", "score": 1.0},
        ][:k]

    run = retrieve(search, units_of(TEXTS, size=7), {"q": "leave"}, name="mine")
    assert _ids(run) == ["leave.md#0-30", "leave.md#32-56", "unresolved:1", "pay.md#24-36"]
    assert run.notes == {"reanchored": 1, "unresolved": 1}
    assert run.units.text(1) == "Sick leave\nneeds a note."
    assert len(run.units) == 3
    assert run.provenance["chunking"] == "its own"


def test_an_unresolved_hit_keeps_its_rank_in_the_metrics(units_of):
    units = units_of(TEXTS)
    whole = {d: units.id(i) for i, d in enumerate(TEXTS)}
    quote = Quote(Span("pay.md", 0, 23), "Pay comes on the first.")
    gold = GoldSet(
        tuple(Question(id=q, text=q, evidence=(Nugget(name="n", spans=(quote,)),)) for q in ("q", "r"))
    )
    for ours in (True, False):

        class Lost:
            def search(self, question, k):
                return [{"text": "no such words in any document at all"}, whole["pay.md"]]

        if ours:
            Lost.index = lambda self, units: None
        run = retrieve(Lost(), units, gold)
        value, _ = measure(align(gold, run.units), run, ["RR@10"]).values(run.system, "RR@10")
        assert value.tolist() == [0.5, 0.5]
        value, _ = measure(align(gold, units), run, ["RR@10"]).values(run.system, "RR@10")
        assert value.tolist() == [0.5, 0.5]
        assert run.notes["unresolved"] == 2


def test_whole_documents_and_span_ids_are_understood(units_of):
    run = retrieve(
        lambda _q, _k: ["pay.md", "leave.md#0-5", "leave.md#5-900", "no.md"],
        units_of(TEXTS, size=9),
        {"q": ""},
    )
    assert _ids(run) == [f"pay.md#0-{len(TEXTS['pay.md'])}", "leave.md#0-5", "unresolved:1", "unresolved:2"]


def test_a_unit_hit_twice_keeps_its_better_rank_and_is_counted(units_of):
    units = units_of(TEXTS)
    one, two = units.ids
    run = retrieve(lambda _q, _k: [one, two, one], units, {"q": "x"})
    assert _ids(run) == [one, two]
    assert run.notes["duplicates"] == 1


def test_equal_scores_go_by_unit_position_and_more_than_k_is_cut(units_of):
    units = units_of({c: c * 5 for c in "abcdef"})
    ids = units.ids
    run = retrieve(lambda _q, _k: [(i, 1.0) for i in reversed(ids)], units, {"q": "x"}, depth=4)
    assert _ids(run) == sorted(ids[2:])
    assert run.notes["beyond_depth"] == 2


def test_scores_that_rise_are_taken_as_distances_and_said(units_of):
    units = units_of(TEXTS)
    run = retrieve(lambda _q, _k: list(zip(units.ids, [0.1, 0.9], strict=True)), units, {"q": "x"})
    assert _ids(run) == list(units.ids)
    assert run.notes["scores_against_order"] == 1
    assert run.score.tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    "answer",
    [
        *(None, "leave.md", {"unit": "a"}, 3, [3], [{"document": "a"}], [("a", 1.0, 2)]),
        *([("a", float("nan"))], [("a", "high")], [{"unit": "a", "score": float("inf")}]),
    ],
)
def test_answers_of_no_known_form_are_refused(units_of, answer):
    with pytest.raises(InputError):
        retrieve(lambda _q, _k: answer, units_of(TEXTS), {"q": "x"})


def test_an_error_of_the_guest_is_told_as_the_guests(units_of):
    def broken(question, k):
        raise ZeroDivisionError(question)

    with pytest.raises(InputError, match=r"'broken' failed at question 1: ZeroDivisionError"):
        retrieve(broken, units_of(TEXTS), {"q": "x"})


def test_an_error_of_the_guest_shows_no_key_and_does_nothing_to_a_terminal(units_of, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-verysecret-0123456789")

    def broken(question, k):
        raise ValueError("401 for sk-verysecret-0123456789 \x1b]0;pwned\x07")

    with pytest.raises(InputError) as told:
        retrieve(broken, units_of(TEXTS), {"q": "x"})
    assert "401 for … ]0;pwned" in told.value.what
    assert told.value.what.isprintable()


def test_things_that_cannot_search_are_refused(units_of):
    for thing in (3, object()):
        with pytest.raises(InputError, match="not a retriever"):
            retrieve(thing, units_of(TEXTS), {"q": "x"})
    with pytest.raises(InputError, match="bm25"):
        retrieve("bm52", units_of(TEXTS), {"q": "x"})


@pytest.fixture
def server(monkeypatch):
    """A server on loopback; set `server.reply` to a function asked -> (status, content, headers)."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as made:
        yield made


def test_an_endpoint_is_asked_in_json_and_its_hits_are_placed(server, units_of):
    def reply(asked):
        hits = [
            {"text": "Sick leave needs a note.", "score": 2},
            {"doc": "pay.md", "start": 0, "end": 23, "score": 1},
        ]
        return 200, {"hits": hits[: asked["k"]]}, {}

    server.reply = reply
    times = {}
    run = retrieve(server.url + "/search", units_of(TEXTS), {"q": "sick?", "r": "pay?"}, depth=2, times=times)
    assert _ids(run) == ["leave.md#32-56", "pay.md#0-23"]
    assert server.seen[0][:2] == ("/search", {"question": "sick?", "k": 2})
    assert len(server.seen) == 2
    assert min(times.values()) > 0


def test_an_endpoint_is_tried_again_when_it_asks_for_it(server, units_of):
    def reply(asked):
        if len(server.seen) == 1:
            return 429, {}, {"Retry-After": "0"}
        if len(server.seen) == 2:
            return 503, {}, {"Retry-After": "0.01"}
        return 200, {"hits": ["pay.md"]}, {}

    server.reply = reply
    run = retrieve(Endpoint(server.url, retries=2), units_of(TEXTS), {"q": "pay?"})
    assert len(run.unit) == 1
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("status", "content"),
    [(404, b"nothing here"), (200, b"<html>"), (200, {"results": []}), (200, []), (302, b"")],
)
def test_a_reply_of_another_form_is_refused_at_once(server, units_of, status, content):
    server.reply = lambda _asked: (status, content, {})
    with pytest.raises(InputError):
        retrieve(Endpoint(server.url), units_of(TEXTS), {"q": "x"})
    assert len(server.seen) == 1


def test_an_endpoint_that_is_not_there_is_unreachable_in_two_lines(units_of, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(Unreachable) as caught:
        retrieve(Endpoint("http://127.0.0.1:9", timeout=1, retries=1), units_of(TEXTS), {"q": "x"})
    assert len(str(caught.value).splitlines()) == 2
    assert "2 tries" in caught.value.what
    assert caught.value.exit_code == 2


def test_an_endpoint_that_never_answers_is_given_up(server, units_of):
    stop = threading.Event()
    server.reply = lambda _asked: (stop.wait(5), (200, {"hits": []}, {}))[1]
    try:
        with pytest.raises(Unreachable, match="Timeout"):
            retrieve(Endpoint(server.url, timeout=0.1, retries=0), units_of(TEXTS), {"q": "x"})
    finally:
        stop.set()


def test_addresses_and_patience_are_checked():
    for wrong in ({"url": "ftp://x"}, {"url": "http://x", "timeout": 0}, {"url": "http://x", "retries": -1}):
        with pytest.raises(InputError):
            Endpoint(**wrong)


def test_embeddings_of_an_endpoint_are_batched_keyed_and_cached(server, units_of, monkeypatch, tmp_path):
    from evenhand.llm import Embeddings
    from evenhand.retrieve.dense.dense import Dense
    from evenhand.store.blobs import Blobs

    def reply(asked):
        data = [{"index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(asked["input"])]
        return 200, {"data": data[::-1]}, {}

    server.reply = reply
    monkeypatch.setenv("TEST_EMBED_KEY", "secret-7")
    model = Embeddings(model="tiny", base_url=server.url + "/v1", key_env="TEST_EMBED_KEY", batch=2)
    units = units_of({"a": "x", "b": "xx", "c": "xxx", "d": " "})
    runs = [retrieve(Dense(model), units, {"q": "xxx"}, cache=Blobs(tmp_path)) for _ in range(2)]
    assert _ids(runs[0])[0] == "c#0-3"
    assert runs[0].notes["no_embedding"] == 1
    assert runs[0].seal == runs[1].seal
    assert [len(asked["input"]) for _, asked, _ in server.seen] == [2, 1, 1]
    assert {(path, key) for path, _, key in server.seen} == {("/v1/embeddings", "Bearer secret-7")}
    assert b"secret-7" not in b"".join(p.read_bytes() for p in tmp_path.rglob("*.npz"))
    assert "secret-7" not in json.dumps(runs[0].provenance)


def test_embeddings_without_a_key_or_of_another_form_are_refused(server, monkeypatch):
    from evenhand.llm import Embeddings

    monkeypatch.delenv("TEST_EMBED_KEY", raising=False)
    with pytest.raises(InputError, match="TEST_EMBED_KEY"):
        Embeddings(model="m", base_url=server.url, key_env="TEST_EMBED_KEY").embed(["a"])
    for content in ({"data": []}, {"vectors": []}, {"data": [{"index": 0, "embedding": "x"}]}):
        server.reply = lambda _asked, content=content: (200, content, {})
        with pytest.raises(InputError):
            Embeddings(model="m", base_url=server.url, key_env="").embed(["a"])
    assert np.array_equal(Embeddings(model="m", key_env="").embed([""]), np.zeros((1, 1)))
    with pytest.raises(InputError, match="name of a model"):
        Embeddings()
