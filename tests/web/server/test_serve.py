"""The command itself: what it refuses, and where it looks for the store."""

import os
import signal
import subprocess
import sys

import httpx2
import pytest
from tests.web.certificates import COMING, GOOD, KEY, LOCKED_KEY, OLD, OTHER_KEY
from tests.web.house import stocked
from tests.web.workbench.test_studies import shelve

from evenhand.cli.main import main
from evenhand.cli.server.command import _store_of
from evenhand.web.server.serve import checked


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "there is no store"),
        (("--host", "0.0.0.0"), "reads along"),  # noqa: S104
        (("--tls-cert", "a.pem"), "TLS needs a certificate and its key"),
        (("--tls-cert", "a.pem", "--tls-key", "b.pem"), "there is no file a.pem"),
        (("--invite", "ann:juge"), "no role is called 'juge'"),
        (("--host", "not a host", "--insecure-http-beyond-loopback"), "cannot listen"),
    ],
)
def test_what_cannot_be_served_is_said_in_two_lines(tmp_path, capsys, options, said):
    where = tmp_path / "s.sqlite"
    if options:
        stocked(where, ["one"])[0].close()
    assert main(["serve", str(where), *(options if "--host" in options else ("--port", "0", *options))]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "mend: " in error
    assert len(error.strip().splitlines()) == 2


@pytest.mark.parametrize("name", ["gone.sqlite", "gone.toml"])
def test_a_place_that_is_not_there_is_refused_where_other_results_lie_beside_it(tmp_path, capsys, name):
    shelve(tmp_path / "results")
    assert main(["serve", str(tmp_path / name), "--port", "0"]) == 2
    assert f"there is no {tmp_path / name}" in capsys.readouterr().err


def test_the_store_beside_a_study_is_meant(tmp_path):
    folder = tmp_path / "mystudy"
    folder.mkdir()
    beside = str(folder / "judgements.sqlite")
    assert _store_of(str(folder)) == _store_of(str(folder / "study.toml")) == _store_of(beside) == beside
    assert _store_of("postgresql://a@b/c") == "postgresql://a@b/c"


def test_serve_prints_links_that_let_in_and_ends_with_an_interrupt(tmp_path):
    stocked(tmp_path / "judgements.sqlite", ["one"])[0].close()
    code = "from evenhand.cli.main import run; run()"
    program = subprocess.Popen(
        [sys.executable, "-c", code, "serve", str(tmp_path), "--port", "0", "--invite", "ann", "--invite", "me:owner"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        lines = [program.stdout.readline() for _ in range(3)]
        assert lines[0].startswith("serving ")
        links = [line.split()[-1] for line in lines[1:]]
        assert lines[1].startswith("ann (judge)")
        assert lines[2].startswith("me (owner)")
        for link, leads_to in zip(links, ("/desk/", "/overview"), strict=True):
            with httpx2.Client(trust_env=False, follow_redirects=False) as browser:
                assert browser.get(link).status_code == 303
                assert browser.get(link.split("/j/")[0] + "/").headers["location"].startswith(leads_to)
    finally:
        program.terminate()
        said, wrong = program.communicate(timeout=20)
    assert "/j/" not in said + wrong  # nothing was logged
    assert wrong == ""


def test_results_without_a_store_are_served_to_an_owner_whose_link_ends_with_the_server(tmp_path):
    place = shelve(tmp_path / "results")
    assert _store_of(str(place)) == str(tmp_path / "judgements.sqlite")
    code = "from evenhand.cli.main import run; run()"
    program = subprocess.Popen(
        [sys.executable, "-c", code, "serve", str(place), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        lines = [program.stdout.readline() for _ in range(4)]
        assert lines[0].startswith("serving results without a store at ")
        link = lines[2].split()[-1]
        with httpx2.Client(trust_env=False, follow_redirects=False) as browser:
            assert browser.get(link).status_code == 303
            studies = browser.get(f"{lines[3].split()[-1]}.json").json()["studies"]
        assert len(studies) == 1
    finally:
        program.terminate()
        _, wrong = program.communicate(timeout=20)
    assert wrong == ""
    assert not list(tmp_path.rglob("*.sqlite"))


@pytest.mark.parametrize(
    ("cert", "key", "said"),
    [
        (GOOD, OTHER_KEY, "is not the key of"),
        (OLD, KEY, "c.pem has expired: it ended 2021-01-01 00:00 UTC"),
        (COMING, KEY, "c.pem begins only 2090-01-01 00:00 UTC"),
        (GOOD, LOCKED_KEY, "k.pem is locked by a password"),
        (KEY, KEY, "cannot be used"),
        (GOOD, GOOD, "cannot be used"),
        ("", "", "cannot be used"),
    ],
)
def test_a_certificate_is_read_before_an_address_is_told(tmp_path, capsys, cert, key, said):
    stocked(tmp_path / "s.sqlite", ["one"])[0].close()
    for name, text in (("c.pem", cert), ("k.pem", key)):
        (tmp_path / name).write_text(text)
    files = ["--tls-cert", str(tmp_path / "c.pem"), "--tls-key", str(tmp_path / "k.pem")]
    assert main(["serve", str(tmp_path / "s.sqlite"), "--port", "0", *files, "--invite", "ann"]) == 2
    out, error = capsys.readouterr()
    assert out == ""  # no address, and no link
    assert said in error
    assert len(error.strip().splitlines()) == 2


def test_a_certificate_that_holds_is_taken(tmp_path):
    (tmp_path / "c.pem").write_text(GOOD)
    (tmp_path / "k.pem").write_text(KEY)
    checked((tmp_path / "c.pem", tmp_path / "k.pem"))


def test_an_interrupt_ends_a_server_with_reports_that_cannot_be_read(tmp_path):
    shelve(tmp_path / "good")
    for name in ("pipe", "zero"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe" / "report.json")
    (tmp_path / "zero" / "report.json").symlink_to("/dev/zero")
    code = "from evenhand.cli.main import run; run()"
    program = subprocess.Popen(
        [sys.executable, "-c", code, "serve", str(tmp_path), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        lines = [program.stdout.readline() for _ in range(3)]
        link = next(line.split()[-1] for line in lines if "/j/" in line)
        with httpx2.Client(trust_env=False, follow_redirects=False) as browser:
            browser.get(link)
            listed = browser.get(link.split("/j/")[0] + "/studies.json").json()
        assert (len(listed["studies"]), len(listed["unread"])) == (1, 2)
    finally:
        program.send_signal(signal.SIGINT)
        try:
            program.communicate(timeout=15)
        finally:
            program.kill()
    assert program.returncode in {0, 130, -2}
