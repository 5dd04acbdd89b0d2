import socket
import threading
import time

import httpx2
import pytest
from tests.llm.faulty import drip, faulty, half_sent, page, reset, says, stall, too_many

from evenhand.llm.clients.curl_client import Plain, plain

BODY = {"messages": [{"content": "é \u2028"}]}


@pytest.fixture
def line():
    made = []

    def open_(url, **headers):
        made.append(Plain(url, headers))
        return made[-1]

    yield open_
    for one in made:
        one.close()


def listener():
    """A server whose thread ends when nobody comes."""
    made = socket.create_server(("127.0.0.1", 0))
    made.settimeout(5)
    return made


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_only_servers_without_tls_and_without_a_proxy_are_asked_this_way(monkeypatch):
    assert plain("http://localhost:11434/v1")
    assert not plain("https://api.openai.com/v1")
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    assert not plain("http://gpu.example:8000/v1")
    monkeypatch.setenv("no_proxy", "gpu.example")
    assert plain("http://gpu.example:8000/v1")


def test_what_is_sent_and_what_comes_back(line):
    with faulty(says("yes")) as server:
        answer = line(server.base_url, Authorization="Bearer k").post("/chat/completions", BODY, 5.0)
        seen = server.seen[0]
    assert (answer.status_code, answer.json()["model"]) == (200, "small-judge-2026-01")
    assert seen.path == "/v1/chat/completions"
    assert seen.body == BODY
    assert seen.raw.decode() == '{"messages":[{"content":"é \u2028"}]}'
    assert seen.headers["authorization"] == "Bearer k"
    assert seen.headers["host"] == server.url.removeprefix("http://")
    assert seen.headers["user-agent"] == "evenhand"


def test_one_connection_serves_many_calls(line):
    with faulty(says("yes")) as server:
        here = line(server.base_url)
        for _ in range(5):
            here.post("/x", BODY, 5.0)
        assert len(here._idle) == 1


def test_a_connection_the_server_has_ended_is_not_used(line):
    with listener() as listening:

        def serve():
            for _ in range(2):  # a reply that promises to stay, and an end
                there, _ = listening.accept()
                with there:
                    there.recv(65536)
                    there.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

        thread = threading.Thread(target=serve)
        thread.start()
        here = line(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        assert here.post("/x", BODY, 5.0).json() == {}
        time.sleep(0.1)
        assert here.post("/x", BODY, 5.0).json() == {}
        thread.join()


def test_what_a_server_may_have_heard_is_not_sent_again_unseen(line):
    heard = []
    with listener() as listening:

        def serve():
            there, _ = listening.accept()
            with there:
                for reply in (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", b""):
                    heard.append(there.recv(65536))
                    there.sendall(reply)  # the second time: heard, and gone without a word
            listening.settimeout(0.5)
            with pytest.raises(TimeoutError):
                listening.accept()

        thread = threading.Thread(target=serve)
        thread.start()
        here = line(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        assert here.post("/x", BODY, 5.0).json() == {}
        with pytest.raises(httpx2.ReadError, match="the connection ended before an answer came"):
            here.post("/x", BODY, 5.0)
        thread.join()
    assert len(heard) == 2


def test_a_line_that_is_closed_lets_go_of_calls_under_way_as_they_end(line):
    with faulty(stall(0.4)) as server:
        here, answers = line(server.base_url), []
        thread = threading.Thread(target=lambda: answers.append(here.post("/x", BODY, 5.0)))
        thread.start()
        time.sleep(0.1)
        here.close()
        thread.join()
    assert [one.status_code for one in answers] == [200]
    assert here._idle == []


def test_a_redirect_is_an_answer_and_not_followed(line):
    with listener() as listening:

        def serve():
            there, _ = listening.accept()
            with there:
                there.recv(65536)
                there.sendall(
                    b"HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
                )

        thread = threading.Thread(target=serve)
        thread.start()
        answer = line(f"http://127.0.0.1:{listening.getsockname()[1]}/v1").post("/x", BODY, 5.0)
        thread.join()
    assert (answer.status_code, answer.headers["Location"]) == (307, "http://127.0.0.1:9/")


def test_an_error_status_is_an_answer(line):
    with faulty(too_many(3)) as server:
        answer = line(server.base_url).post("/x", BODY, 5.0)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "3")


def test_a_page_is_no_json(line):
    with faulty(page()) as server:
        answer = line(server.base_url).post("/x", BODY, 5.0)
    assert "Welcome" in answer.text
    with pytest.raises(ValueError, match="Expecting"):
        answer.json()


def test_a_model_may_think_longer_than_a_connection_may_take(line, monkeypatch):
    monkeypatch.setattr("evenhand.llm.clients.curl_client.CONNECT", 0.2)
    with faulty(stall(0.8)) as server:
        assert line(server.base_url).post("/x", BODY, 5.0).status_code == 200


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(reset, httpx2.ReadError), (half_sent, httpx2.ReadError), (lambda: stall(5), httpx2.ReadTimeout), (drip, httpx2.ReadTimeout)],
)  # fmt: skip
def test_trouble_on_the_line_is_named_as_httpx_does(line, answer, kind):
    begun = time.monotonic()
    with faulty(answer()) as server:
        with pytest.raises(kind) as caught:
            line(server.base_url).post("/x", BODY, 0.4)
        assert time.monotonic() - begun < 2
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_nobody_there(line):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(httpx2.ConnectError):
        line(f"http://127.0.0.1:{port}/v1").post("/x", BODY, 1.0)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", httpx2.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", httpx2.ReadError),
        (
            b"HTTP/1.1 103 Early\r\nX: \xe9\r\n\r\nHTTP/1.1 200 OK\r\nY: \xe9\r\nContent-Length: 2\r\n\r\n{}",
            None,
        ),
        (b"HTTP/1.1 200 OK\r\n\r\n{}", None),  # no length: it ends with the connection
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", None),
    ],
)
def test_forms_of_answers(line, raw, kind):
    with listener() as listening:

        def serve():
            there, _ = listening.accept()
            with there:
                there.recv(65536)
                there.sendall(raw)

        thread = threading.Thread(target=serve)
        thread.start()
        here = line(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        if kind is None:
            assert here.post("/x", BODY, 5.0).json() == {}
        else:
            with pytest.raises(kind):
                here.post("/x", BODY, 5.0)
        thread.join()


def test_a_reply_without_end_is_cut(line, monkeypatch):
    monkeypatch.setattr("evenhand.llm.clients.curl_client.MOST", 1000)
    with faulty(says("x" * 5000)) as server, pytest.raises(httpx2.ReadError, match="more than 1000"):
        line(server.base_url).post("/x", BODY, 5.0)
