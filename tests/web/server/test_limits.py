"""What a stranger without a token can cost the server: by real connections, with small limits."""

import logging
import socket
import ssl
import threading
import time
from contextlib import contextmanager

import pytest
from tests.web.certificates import GOOD, KEY
from tests.web.house import stocked

from evenhand.web.server.app import create_app
from evenhand.web.server.limits import Limits, Listener, seldom
from evenhand.web.server.serve import listening, server_of

SMALL = Limits(head=1.0, body=1.5, total=6, each=4, every=60)
ASKED = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


@contextmanager
def serving(store, limits=SMALL, tls=None):
    """The server with its own listener, in a thread; yields the port and the listener."""
    listener = Listener(listening("127.0.0.1", 0, tls=False), limits)
    listener.listen(64)
    server = server_of(create_app(store), tls=tls, limits=limits, grace=1)
    server.install_signal_handlers = lambda: None
    with listener, seldom(limits.every):
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        wait_for(lambda: server.started)
        try:
            yield listener.getsockname()[1], listener
        finally:
            server.should_exit = True
            thread.join(10)


def wait_for(what, seconds=30.0):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.01)


def opened(port, *, of="127.0.0.1", sends=b""):
    made = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(of, 0))
    made.sendall(sends)
    return made


def ended(connection):
    """Was it closed by the server, without an answer?"""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def answer(port, *, of="127.0.0.1"):
    with opened(port, of=of, sends=ASKED) as made:
        return made.recv(12)


def whole(connection):
    """An answer to its end, in however many parts it comes."""
    came = b""
    while not came.endswith(b'"ok"}'):
        came += connection.recv(65536)
    return came


@pytest.fixture
def store(tmp_path):
    made = stocked(tmp_path / "s.sqlite", ["one"])[0]
    yield made
    made.close()


@pytest.mark.parametrize("sends", [b"", b"GET / HT", ASKED[:-2], b"POST / HTTP/1.1\r\ncontent-length: 9\r\n"])
def test_a_head_that_does_not_come_ends_the_connection(store, sends):
    with serving(store) as (port, listener):
        with opened(port, sends=sends) as made:
            assert ended(made)
        wait_for(lambda: not listener.now)


def test_a_second_head_on_the_same_connection_must_come_in_time_too(store):
    with serving(store) as (port, _), opened(port, sends=ASKED) as made:
        assert whole(made).startswith(b"HTTP/1.1 200")
        made.sendall(b"GET / HT")
        assert ended(made)


def test_a_body_that_drips_ends_the_connection(store):
    heads = b"POST /desk/x/answers.json HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://127.0.0.1\r\n"
    heads += b"content-type: application/json\r\ncontent-length: 1000\r\n\r\n"
    with serving(store) as (port, listener):
        with opened(port, sends=heads) as made:
            wait_for(lambda: listener.now.total() == 1)
            while made.recv(
                65536
            ):  # what it has to say; then it ends, though the rest of the body never comes
                pass
        wait_for(lambda: not listener.now)


def test_a_connection_that_is_used_is_kept(store):
    with serving(store) as (port, _), opened(port) as made:
        for _ in range(5):
            made.sendall(ASKED)
            whole(made)
            time.sleep(0.1)


def test_connections_of_one_address_and_of_all_are_limited_and_others_are_served(store, caplog):
    limits = Limits(head=60, total=6, each=4, every=60)
    with caplog.at_level(logging.WARNING), serving(store, limits) as (port, listener):
        half = [opened(port) for _ in range(4)]
        wait_for(lambda: listener.now["127.0.0.1"] == 4)
        for _ in range(20):
            with opened(port, sends=ASKED) as made:
                assert ended(made)
        assert answer(port, of="127.0.0.2") == b"HTTP/1.1 200"
        wait_for(lambda: not listener.now["127.0.0.2"])
        half += [opened(port, of="127.0.0.3") for _ in range(2)]
        wait_for(lambda: listener.now.total() == 6)
        with opened(port, of="127.0.0.2", sends=ASKED) as made:
            assert ended(made)
        for one in half:
            one.close()
        wait_for(lambda: not listener.now)
        assert answer(port) == b"HTTP/1.1 200"
    refused = [one.getMessage() for one in caplog.records if "connections refused" in one.getMessage()]
    assert refused == ["connections refused: too many of 127.0.0.1"]  # one line, however many


def test_handshakes_that_do_not_come_count_as_connections(store, tmp_path):
    (tmp_path / "c.pem").write_text(GOOD)
    (tmp_path / "k.pem").write_text(KEY)
    limits = Limits(head=60, total=6, each=2, every=60)
    with serving(store, limits, tls=(tmp_path / "c.pem", tmp_path / "k.pem")) as (port, listener):
        half = [opened(port) for _ in range(2)]
        wait_for(lambda: listener.now.total() == 2)
        with opened(port) as made:
            assert ended(made)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with opened(port, of="127.0.0.2") as plain, context.wrap_socket(plain) as made:
            made.sendall(ASKED)
            assert made.recv(12) == b"HTTP/1.1 200"
        for one in half:
            one.close()


def test_the_log_says_a_thing_once_and_then_how_often(caplog):
    log = logging.getLogger("evenhand.web")
    with caplog.at_level(logging.WARNING), seldom(0.05):
        for i in range(1000):
            log.warning("refused %d", i)
        log.warning("another")
        time.sleep(0.06)
        log.warning("refused %d", 1000)
    assert [one.getMessage() for one in caplog.records] == [
        "refused 0",
        "another",
        "refused 1000 (999 more like it before)",
    ]


def test_the_usual_limits_leave_files_for_everything_else():
    usual = Limits()
    import resource

    assert 4 <= usual.each <= usual.total < resource.getrlimit(resource.RLIMIT_NOFILE)[0]
