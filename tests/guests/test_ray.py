"""A real Ray cluster of two workers: the same bytes, and nothing lost with a worker."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import pytest
from tests import front
from tests.engine import studies
from tests.engine.work import MARK
from tests.llm.asked import GOOD, asked
from tests.loopback import serving

from evenhand.engine.ray import Ray
from evenhand.errors import InputError
from evenhand.llm.clients.worker_chat import sent
from evenhand.llm.providers.factory import chat_of
from evenhand.testing import EngineContract

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("default")
KEY = "EVENHAND_TESTS_KEY"


@pytest.fixture(scope="module")
def mark(tmp_path_factory):
    """Where it is noted that a worker ended; workers, also those that come later, have these variables."""
    file = tmp_path_factory.mktemp("mark") / "ended"
    with mock.patch.dict(os.environ, {MARK: f"{os.getpid()} {file}", KEY: "key-of-the-worker"}):
        yield file


@pytest.fixture(scope="module")
def cluster(mark):
    made = Ray(workers=2)
    for last in (False, False, True):  # Ray gives itself 30 s to start, which a busy machine may not have
        try:
            made.open()
            break
        except InputError as error:
            if last or "did not start" not in error.what:
                raise
    yield made
    made.close()
    assert not ray.is_initialized()


class TestRay(EngineContract):
    @pytest.fixture
    def engine(self, cluster):
        return cluster


def test_a_study_gives_the_same_bytes_though_a_worker_is_lost(cluster, mark, tmp_path, monkeypatch):
    studies.in_pieces(monkeypatch)
    here = studies.make(tmp_path / "here")
    there = studies.make(tmp_path / "there", engine="ray://")
    assert front.evenhand("run", here, "--quiet").returncode == 0
    sent_there = studies.watched(monkeypatch)
    assert not mark.exists()
    assert front.evenhand("run", there, "--quiet").returncode == 0
    assert mark.exists()  # a worker was lost on the way
    assert sent_there == studies.ALL
    assert studies.results(there.parent) == studies.results(here.parent)
    assert studies.kept(there.parent) == studies.kept(here.parent)
    assert ray.is_initialized()  # the one that was there already is left as it is


def test_workers_ask_with_keys_of_their_own(cluster):
    reply = {"choices": [{"message": {"content": GOOD}, "finish_reason": "stop"}], "model": "m"}
    with serving() as server:
        server.reply = lambda _asked: (200, reply, {})
        chat = chat_of("vllm:judge", {"base_url": server.url, "key_env": KEY})
        with mock.patch.dict(os.environ, {KEY: "key-of-this-process"}):
            away = sent({"judge": chat}, cluster)["judge"]
            away.ready()
            assert away.ask(asked(), timeout=20.0).text == GOOD
        assert [key for _, _, key in server.seen] == ["Bearer key-of-the-worker"]


def test_nothing_is_reported_and_no_dashboard_serves(cluster):
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    assert not ray._private.worker.global_worker.node.webui_url


def test_a_cluster_that_is_not_there_is_told(cluster):
    with pytest.raises(InputError, match="connected to another Ray cluster"):
        Ray("127.0.0.1:1").open()


ASK = """
import sys
sys.path.insert(0, {root!r})
from evenhand.engine.ray import Ray
from evenhand.testing.engine import late, mortal
import numpy as np
try:
    Ray("127.0.0.1:1").open()
except Exception as error:
    print(error)
engine = Ray({place!r})
print(list(engine.map(late, [(i, 0.0) for i in range(9)])))
items = [(i, {mark!r} if i == 4 else "") for i in range(9)]
print(list(engine.map(mortal, items, shared=(np.ones(200_000),))))
engine.close()
"""


def test_a_cluster_of_others_is_used_by_the_address_of_its_client_server(tmp_path):
    """Started by `ray start`, in processes of its own; asked by a process that knows the address alone."""
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    quiet = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--num-cpus=2"]
    command += [f"--port={ports[0]}", f"--ray-client-server-port={ports[1]}", "--include-dashboard=false"]
    place = tempfile.mkdtemp(prefix="eh-ray-")  # short: the names of its sockets have 107 letters
    command += ["--node-ip-address=127.0.0.1", f"--temp-dir={place}"]
    command += ["--object-store-memory=200000000"]
    head = subprocess.Popen(
        command, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        for _ in range(240):
            with socket.socket() as line:
                if line.connect_ex(("127.0.0.1", ports[1])) == 0:
                    break
            time.sleep(0.5)
        root = str(Path(__file__).parents[2])
        ask = ASK.format(root=root, place=f"127.0.0.1:{ports[1]}", mark=str(tmp_path / "killed"))
        file = tmp_path / "ask.py"
        file.write_text(ask)
        done = subprocess.run(
            [sys.executable, file], env=quiet, capture_output=True, text=True, timeout=300, check=False
        )
        lines = done.stdout.splitlines()
        assert "no Ray cluster answers at 127.0.0.1:1" in lines[0], done.stderr
        assert str(list(range(9))) in lines, done.stderr
        assert str([200_000.0 + i for i in range(9)]) in lines, done.stderr
        assert (tmp_path / "killed").exists()
    finally:
        os.killpg(head.pid, 15)
        head.wait(60)
        shutil.rmtree(place, ignore_errors=True)
