"""EVENHAND_OFFLINE: what this program opens does not lead off the machine."""

import os
import subprocess
import sys

import pytest
from tests.front import evenhand
from tests.miniature import make

from evenhand.cli.shared.offline import here

WATCHED = """
import sys
seen = []
# Unix pairs of a process pool are told as socket.__new__ alone: what has an address is told by these
NAMES = ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname")
sys.addaudithook(lambda event, told: seen.append((event, told[1:])) if event in NAMES else None)
from evenhand.cli.main import main
code = main(sys.argv[1:])
print("seen", seen, file=sys.stderr)
sys.exit(code)
"""


def watched(*arguments, **env):
    """A command in a process whose every socket with an address is told on standard error."""
    return subprocess.run(
        [sys.executable, "-c", WATCHED, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | env,
        check=False,
    )


@pytest.mark.parametrize(
    ("host", "there"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("db.localhost", True),
        ("", True),
        (None, True),
        ("/run/postgresql", True),
        ("10.0.0.1", False),
        ("example.org", False),
        ("localhost.example.org", False),
        ("fe80::1%eth0", False),
    ],
)
def test_this_machine_is_known_without_looking_up_a_name(host, there):
    assert here(host) is there


def test_a_study_opens_no_socket_offline_or_not(tmp_path):
    file = make(tmp_path / "w")
    for env in ({"EVENHAND_OFFLINE": "1"}, {}):
        done = watched("run", file, "--quiet", **env)
        assert done.returncode == 0, done.stderr
        assert done.stderr.rstrip().endswith("seen []")


def test_offline_an_endpoint_elsewhere_is_refused_before_its_name_is_looked_up(tmp_path):
    file = make(tmp_path / "w")
    far = '\n[system.far]\nretriever = "http://search.invalid/api"\n'
    file.write_text(file.read_text() + far)
    done = watched("run", file, EVENHAND_OFFLINE="1")
    assert "EVENHAND_OFFLINE is set, and this would reach search.invalid" in done.stderr
    assert "unset EVENHAND_OFFLINE" in done.stderr
    assert done.returncode in (2, 4)


def test_offline_a_model_elsewhere_is_refused_before_its_name_is_looked_up(monkeypatch):
    """libcurl opens connections below Python's own sockets."""
    code = """
import sys
from evenhand.cli.shared import offline
from evenhand.errors import Unreachable
from evenhand.llm.providers.factory import chat_of
from evenhand.model.call import Message, Request
offline.keep()
chat = chat_of("vllm:judge", {"base_url": "http://gpu.invalid:8000/v1"})
try:
    chat.ask(Request(task="t", prompt="p", messages=(Message(role="user", content="?"),)), timeout=5.0)
except Unreachable as error:
    print(error)
"""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    pytest.importorskip("pycurl", reason="extra llm is not installed")
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"EVENHAND_OFFLINE": "1"},
        check=False,
    )
    assert "EVENHAND_OFFLINE is set, and this would reach gpu.invalid" in done.stdout, done.stderr


def test_offline_a_database_elsewhere_is_refused(tmp_path):
    pytest.importorskip("psycopg", reason="extra postgres is not installed")
    done = watched("store", "check", "postgresql://somebody@db.invalid/labels", EVENHAND_OFFLINE="1")
    assert done.returncode == 2, done.stderr
    assert "this would reach db.invalid" in done.stderr


def test_off_is_off(monkeypatch):
    for word in ("", "0", "no", "False"):
        assert evenhand("--version", EVENHAND_OFFLINE=word).returncode == 0
