"""What any of our clients takes in is bounded as it is once unpacked."""

import gzip
import json
import zlib

import httpx2
import pytest
from tests.llm.asked import ASKED, GOOD, chatting
from tests.llm.faulty import Answer, fails, faulty, says

from evenhand.errors import InputError, Unreachable
from evenhand.llm import Embeddings
from evenhand.llm.clients import curl_client, transport
from evenhand.llm.clients.openai_chat import Completions
from evenhand.llm.clients.transport import BULK, MOST, client
from evenhand.retrieve.guests.remote import Endpoint

BOMB = gzip.compress(b" " * (MOST + 8_000_000), 9)


@pytest.fixture
def unpacked(monkeypatch):
    """How many bytes were unpacked."""
    sizes = []
    unpack = transport.unpacked

    def counted(parts, packing):
        for piece in unpack(parts, packing):
            sizes.append(len(piece))
            yield piece

    for module in (transport, curl_client):
        monkeypatch.setattr(module, "unpacked", counted)
    return sizes


def packed(data, packing="gzip"):
    return Answer(data, headers={"Content-Encoding": packing})


def chat(answer, model):
    with chatting(answer, model=model, **({"key_env": ""} if model.startswith("vllm") else {})) as (made, _):
        return made.ask(ASKED, timeout=30)


def embeddings(answer):
    with faulty(answer) as server:
        return Embeddings(model="m", base_url=server.base_url, key_env="", retries=0).embed(["a"])


def retriever(answer):
    with faulty(answer) as server:
        made = Endpoint(url=f"{server.url}/search", retries=0)
        try:
            return made.search("what?", 3)
        finally:
            made._client.close()


def plain_chat(answer):
    """Through the line without TLS, which asks for nothing packed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Completions, "straight", True)
        return chat(answer, "vllm:judge")


ASK = {
    "the plain line": plain_chat,
    "OpenAI's SDK": lambda answer: chat(answer, "vllm:judge"),
    "Anthropic's SDK": lambda answer: chat(answer, "anthropic:judge"),
    "embeddings": embeddings,
    "a retriever": retriever,
}


@pytest.fixture(autouse=True)
def _through_the_sdk(monkeypatch):
    monkeypatch.setattr(Completions, "straight", False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)


@pytest.mark.parametrize("name", ASK)
def test_a_small_body_that_unpacks_to_a_large_one_is_cut(name, unpacked):
    assert len(BOMB) < 100_000
    with pytest.raises(Unreachable) as told:
        ASK[name](packed(BOMB))
    assert f"more than {MOST} bytes" in told.value.what
    assert MOST < sum(unpacked) <= MOST + transport.PIECE


@pytest.mark.parametrize("packing", ["gzip", "X-GZIP", "identity", ""])
def test_packed_replies_are_read_and_gzip_alone_is_asked_for(packing):
    def answer(seen):
        data = json.dumps(says(GOOD).make(seen)).encode()
        return packed(gzip.compress(data) if "gzip" in packing.lower() else data, packing)

    with chatting(answer) as (made, server):
        assert made.ask(ASKED, timeout=5).data == json.loads(GOOD)
    assert server.seen[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (packed(b"{}", "br"), "packed as 'br', unasked"),
        (packed(gzip.compress(gzip.compress(b"{}")), "gzip, gzip"), "packed as 'gzip, gzip', unasked"),
        (packed(b"{}"), "not the gzip it says"),
        (packed(gzip.compress(b"{}" * 900)[:-9]), "not the gzip it says: it ends before its end"),
    ],
)
@pytest.mark.parametrize("name", ASK)
def test_what_was_not_asked_for_is_not_unpacked(name, answer, why):
    with pytest.raises(Unreachable) as told:
        ASK[name](answer)
    assert why in told.value.what


PACKERS = {
    "gzip": gzip.compress,
    "X-GZIP": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": lambda data: zlib.compress(data, wbits=-15),
}


@pytest.mark.parametrize("straight", [True, False])
@pytest.mark.parametrize("packing", PACKERS)
def test_r14_packed_replies_and_errors_are_read_with_and_without_being_asked(packing, straight, monkeypatch):
    monkeypatch.setattr(Completions, "straight", straight)

    def packing_all(answer):
        def answered(seen):
            data = json.dumps(answer.make(seen) if callable(answer.make) else answer.make).encode()
            return Answer(PACKERS[packing](data), answer.status, {"Content-Encoding": packing})

        return answered

    with chatting(packing_all(says(GOOD))) as (made, server):
        assert made.ask(ASKED, timeout=5).data == json.loads(GOOD)
    assert (server.seen[0].headers.get("accept-encoding") == "gzip") is not straight
    with (
        chatting(packing_all(fails(400, "the context is too long"))) as (made, _),
        pytest.raises(Unreachable) as told,
    ):
        made.ask(ASKED, timeout=5)
    assert "answered with status 400: 'the context is too long'" in told.value.what


@pytest.mark.parametrize("model", ["vllm:judge", "anthropic:judge"])
def test_the_results_of_a_batch_may_be_as_long_as_many_replies(model):
    with chatting(packed(BOMB), model=model) as (made, server):
        apart = made.apart()
        url = f"{server.url}/results"
        assert len(apart.get(url, cast_to=httpx2.Response).content) == MOST + 8_000_000 < BULK
        apart.close()


def test_a_body_may_end_where_it_says():
    data = b"0123456789" * 30_000
    with faulty(packed(gzip.compress(data))) as server, client(most=len(data)) as line:
        assert line.post(server.url).content == data
        url = server.url
        with client(most=len(data) - 1) as less, pytest.raises(httpx2.ReadError, match="more than 299999 b"):
            less.post(url)


def vectors(*rows):
    return Answer({"data": [{"index": index, "embedding": vector} for index, vector in rows]})


def embedded(answer, texts=3, **more):
    with faulty(answer) as server:
        made = Embeddings(model="m", base_url=server.base_url, key_env="", retries=0, **more)
        return made.embed([f"text {n}" for n in range(texts)])


def test_vectors_are_put_where_their_index_says():
    rows = embedded(vectors((2, [3, 0]), (0, [1, 0]), (1, [2, 0])))
    assert rows.tolist() == [[1, 0], [2, 0], [3, 0]]


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([(0, [1, 0]), (0, [0, 1]), (7, [1, 1])], "the index 0 in place of 1"),
        ([(0, [1, 0]), (1, [0, 1]), (7, [1, 1])], "the index 7 in place of 2"),
        ([(1, [1, 0]), (2, [0, 1]), (3, [1, 1])], "the index 1 in place of 0"),
        ([(0, [1, 0]), (1, [float("nan"), 1]), (2, [1, 1])], "index 1"),
        ([(0, [1, 0]), (1, [0, 1]), (2, [1e39, 1])], "index 2"),
        ([(0, [1, 0]), (1, [0, 1]), (2, [10**400, 1])], "without embeddings"),
        ([(0, [1, 0]), (1, [0, 1]), (2, [1])], "without embeddings"),
        ([(0, []), (1, []), (2, [])], "without embeddings"),
        ([(0, [1, 0])], "1 embedding for 3 texts"),
    ],
)
def test_vectors_that_cannot_be_used_are_refused(rows, what):
    with pytest.raises(InputError, match=what):
        embedded(vectors(*rows))


def test_vectors_of_two_lengths_are_refused():
    answers = iter([vectors((0, [1, 0])), vectors((0, [1, 0, 0]))])
    with pytest.raises(InputError, match="vectors of 3 numbers after others of 2"):
        embedded(lambda _: next(answers), texts=2, batch=1)
