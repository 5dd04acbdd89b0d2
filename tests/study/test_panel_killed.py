"""A panel that is killed with -9 while it asks goes on where it was, and pays for next to nothing twice."""

import json
import os
import signal
import subprocess
import sys
import time

from tests.loopback import serving
from tests.miniature import make
from tests.study.panel.test_ask import ENDPOINT, replying
from tests.study.panels import SMALL

from evenhand.cli.main import main
from evenhand.formats.labels.votes import read_votes

AT_ONCE = 4


def test_a_panel_killed_with_9_asks_only_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def slowly(asked):
        time.sleep(0.02)
        return replying(asked)

    with serving() as server:
        server.reply = slowly
        text = ENDPOINT.replace("URL", server.url).replace("depth = 1", f"depth = 2\nconcurrency = {AT_ONCE}")
        file = make(tmp_path / "s", study=SMALL + text)
        command = [sys.executable, "-m", "evenhand", "judge", "panel", str(file)]
        for target in (15, 40):
            running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until = time.monotonic() + 60
            while len(server.seen) < target and running.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            os.kill(running.pid, signal.SIGKILL)
            running.wait()
        # as a machine would leave the file that goes down with the process
        votes = file.parent / "votes.jsonl"
        if votes.exists():
            votes.write_bytes(votes.read_bytes()[:-7])
        assert main(["judge", "panel", str(file), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        asked = told["votes"]["asked"]
        assert told["complete"]
        assert sum(spent["made"] for spent in told["spent"].values()) < asked
        lost = len(server.seen) - asked  # replies that were on their way when it was killed
        assert 0 <= lost <= 2 * 2 * AT_ONCE
    again = read_votes(votes)
    assert len({(vote.item, vote.judge) for vote in again}) == len(again) == asked
