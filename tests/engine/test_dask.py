"""A real Dask cluster of two processes: the same bytes, and nothing lost with a worker."""

import os
from unittest import mock

import pytest
from tests import front
from tests.engine import studies
from tests.engine.work import MARK
from tests.llm.asked import asked
from tests.loopback import serving

from evenhand.engine import Dask
from evenhand.errors import InputError
from evenhand.llm.models import chat_of
from evenhand.llm.sent import sent
from evenhand.testing import EngineContract

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
    made = Dask(workers=2)
    made.place = made.client().scheduler.address.removeprefix("tcp://")
    yield made
    made.close()


@pytest.fixture(scope="module")
def here(mark, tmp_path_factory):
    """What comes out of the study in this process: its results, its folder."""
    folder = tmp_path_factory.mktemp("here")
    with pytest.MonkeyPatch.context() as patched:
        studies.in_pieces(patched)
        studies.make(folder / "study")
        yield studies.outcome(folder / "study"), folder / "study"


class TestDask(EngineContract):
    @pytest.fixture
    def engine(self, cluster):
        return cluster


def test_a_study_gives_the_same_bytes_though_a_worker_is_lost(cluster, here, mark, tmp_path):
    engine, folder = studies.Watched(cluster), tmp_path / "there"
    studies.make(folder)
    assert not mark.exists()
    assert studies.outcome(folder, engine=engine) == here[0]
    assert mark.exists()  # a worker was lost on the way
    assert set(engine.work) == {
        "vectors._on_worker",
        "spread._search",
        "measure._apart",
        "resample._sums",
        "signflip._apart",
    }
    # every segment is cached once, and a second run asks nobody
    kept = [
        sorted(p.name for p in (one / ".evenhand" / "embeddings").rglob("*.*")) for one in (folder, here[1])
    ]
    assert kept[0] == kept[1]
    assert len(kept[0]) > 5
    engine.work.clear()
    assert studies.outcome(folder, engine=engine) == here[0]
    assert engine.work == []


def test_the_command_line_takes_a_cluster_by_its_address(cluster, here, mark, tmp_path):
    mark.touch()
    file = studies.make(tmp_path / "there", engine=f"dask://{cluster.place}")
    assert front.evenhand("run", file, "--quiet").returncode == 0
    report = (file.parent / "results" / "report.json").read_bytes()
    assert report == here[0]["report.json"]
    assert b"dask" not in report
    done = front.evenhand("run", file, "--engine", "dask://127.0.0.1:1", "--quiet")
    assert done.returncode == 0  # everything is made already, so nobody is asked
    done = front.evenhand("run", studies.make(tmp_path / "new"), "--engine", "dask://127.0.0.1:1", "--quiet")
    assert done.returncode == 2
    assert "no Dask cluster answers at 127.0.0.1:1" in done.stderr
    assert "dask scheduler" in done.stderr


def test_workers_ask_with_keys_of_their_own(cluster, tmp_path):
    reply = {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "model": "m"}
    with serving() as server:
        server.reply = lambda _asked: (200, reply, {})
        chat = chat_of("vllm:judge", {"base_url": server.url, "key_env": KEY})
        with mock.patch.dict(os.environ, {KEY: "key-of-this-process"}):
            away = sent({"judge": chat}, cluster)["judge"]
            away.ready()
            assert away.ask(asked(), timeout=20.0).text == "yes"
            assert (away.name, away.seal, away.family) == (chat.name, chat.seal, chat.family)
        assert [key for _, _, key in server.seen] == ["Bearer key-of-the-worker"]
        without = sent(
            {"judge": chat_of("vllm:judge", {"base_url": server.url, "key_env": "NOT_THERE_KEY"})}, cluster
        )
        with (
            mock.patch.dict(os.environ, {"NOT_THERE_KEY": "key-of-this-process"}),
            pytest.raises(InputError, match=r"on a worker: .*no NOT_THERE_KEY") as told,
        ):
            without["judge"].ready()
        assert "its own environment" in told.value.mend


def test_a_cluster_without_workers_or_of_another_version_is_refused(cluster, monkeypatch):
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
