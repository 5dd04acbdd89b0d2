"""A real Dask cluster of two processes: the same bytes, and nothing lost with a worker."""

import os
import signal
import time
from unittest import mock

import pytest
from tests import front
from tests.engine import studies
from tests.engine.work import MARK
from tests.llm.asked import GOOD, asked
from tests.llm.toys import request
from tests.loopback import serving

from evenhand.engine.dask import Dask
from evenhand.errors import InputError
from evenhand.llm.clients.worker_chat import sent
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.caller import Caller
from evenhand.store.calls.journal import Calls
from evenhand.testing import EngineContract

dask = pytest.importorskip("dask")
KEY = "EVENHAND_TESTS_KEY"


@pytest.fixture(scope="module")
def mark(tmp_path_factory):
    """Where it is noted that a worker ended; workers, also those that come later, have these variables."""
    file = tmp_path_factory.mktemp("mark") / "ended"
    with mock.patch.dict(os.environ, {MARK: f"{os.getpid()} {file}", KEY: "key-of-the-worker"}):
        yield file


@pytest.fixture(scope="module")
def cluster(mark):
    """An engine with a cluster of its own; ``place``: its address."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):  # starts again quickly
        made = Dask(workers=2)
        made.place = made.client().scheduler.address.removeprefix("tcp://")
        yield made
        made.close()


class TestDask(EngineContract):
    @pytest.fixture
    def engine(self, cluster):
        return cluster


def test_a_study_gives_the_same_bytes_though_a_worker_is_lost(cluster, mark, tmp_path, monkeypatch):
    studies.in_pieces(monkeypatch)
    here = studies.make(tmp_path / "here")
    there = studies.make(tmp_path / "there", engine=f"dask://{cluster.place}")
    assert front.evenhand("run", here, "--quiet").returncode == 0
    sent_there = studies.watched(monkeypatch)
    assert not mark.exists()
    assert front.evenhand("run", there, "--quiet").returncode == 0
    assert mark.exists()  # a worker was lost on the way
    assert sent_there == studies.ALL
    assert studies.results(there.parent) == studies.results(here.parent)
    # every segment is kept once, and where everything is made already, nobody is asked
    assert studies.kept(there.parent) == studies.kept(here.parent)
    assert len(studies.kept(there.parent)) > 5
    sent_there.clear()
    assert front.evenhand("run", there, "--quiet", "--engine", "dask://127.0.0.1:1").returncode == 0
    assert sent_there == set()


def test_workers_ask_with_keys_of_their_own(cluster, tmp_path):
    reply = {"choices": [{"message": {"content": GOOD}, "finish_reason": "stop"}], "model": "m"}
    with serving() as server:
        server.reply = lambda _asked: (200, reply, {})
        chat = chat_of("vllm:judge", {"base_url": server.url, "key_env": KEY})
        with mock.patch.dict(os.environ, {KEY: "key-of-this-process"}):
            away = sent({"judge": chat}, cluster)["judge"]
            away.ready()
            assert away.ask(asked(), timeout=20.0).text == GOOD
            assert (away.name, away.seal, away.family) == (chat.name, chat.seal, chat.family)
        assert [key for _, _, key in server.seen] == ["Bearer key-of-the-worker"]
        keyless = chat_of("vllm:judge", {"base_url": server.url, "key_env": "NOT_THERE_KEY"})
        without = sent({"judge": keyless}, cluster)
        with (
            mock.patch.dict(os.environ, {"NOT_THERE_KEY": "key-of-this-process"}),
            pytest.raises(InputError, match=r"on a worker: .*no NOT_THERE_KEY") as told,
        ):
            without["judge"].ready()
        assert "its own environment" in told.value.mend


def test_judging_loses_nothing_with_a_worker_and_keeps_each_reply_once(cluster, tmp_path):
    victim = next(iter(cluster.client().run(os.getpid).values()))
    body = {"choices": [{"message": {"content": GOOD}, "finish_reason": "stop"}], "model": "m"}
    with serving() as server, Calls(tmp_path / ".evenhand") as journal:

        def reply(_asked):
            if len(server.seen) == 8:
                os.kill(victim, signal.SIGKILL)
            time.sleep(0.05)
            return 200, body, {}

        server.reply = reply
        chat = chat_of("vllm:judge", {"base_url": server.url, "key_env": KEY})
        caller = Caller(sent({"judge": chat}, cluster), journal, concurrency=4)
        calls = list(caller.ask([("judge", request(n)) for n in range(24)]))
        assert sorted(call.task for call in calls) == sorted(f"t{n}" for n in range(24))
        assert {(call.outcome, call.cached, call.tries) for call in calls} == {("reply", False, 1)}
        assert len(journal) == 24
    # what was under way on the worker was asked again, and nothing else
    assert 24 <= len(server.seen) <= 24 + 4


def test_a_cluster_that_is_not_there_or_has_no_workers_or_other_versions_is_refused(cluster, monkeypatch):
    with pytest.raises(InputError, match=r"no Dask cluster answers at 127.0.0.1:1: .*refused") as told:
        Dask("127.0.0.1:1").client()
    assert "dask scheduler" in told.value.mend
    other = Dask(cluster.place)
    monkeypatch.setattr("evenhand.engine.dask.about", lambda: ("9.9.9", "3.99"))
    with pytest.raises(
        InputError, match=r"worker tcp://.* has evenhand .*, and this process has evenhand 9.9.9"
    ):
        other.client()
    monkeypatch.setattr("evenhand.engine.dask.LOOK", 0.01)
    monkeypatch.setattr("distributed.Client.wait_for_workers", _nobody)
    with pytest.raises(InputError, match=f"the Dask scheduler at {cluster.place} has no workers"):
        other.client()


def _nobody(_client, _count, timeout):
    raise TimeoutError(timeout)


def test_nothing_of_ours_listens_beyond_this_machine(cluster):
    sockets = cluster._cluster.scheduler.http_server._sockets.values()
    assert {one.getsockname()[0] for one in sockets} == {"127.0.0.1"}
