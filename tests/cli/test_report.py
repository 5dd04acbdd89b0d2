"""`evenhand report`: tables and page anew, from what the run wrote and nothing else."""

import hashlib
import json

import pytest
from tests.miniature import STUDY, make

from evenhand.cli.main import main

SMALL = STUDY[: STUDY.index("[system.both]")] + STUDY[STUDY.index("[measure]") :]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    study = make(tmp_path_factory.mktemp("report") / "s", study=SMALL)
    assert main(["run", str(study), "-q"]) == 0
    return study.parent / "results"


@pytest.fixture
def results(made, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    for name in ("report.json", "report.html", "MANIFEST.sha256"):
        (folder / name).write_bytes((made / name).read_bytes())
    return folder


def test_the_page_is_made_anew_and_stays_in_the_manifest(results, capsys):
    page = (results / "report.html").read_bytes()
    (results / "report.html").write_text("spoiled")
    assert main(["report", str(results), "--no-plots"]) == 0
    assert (results / "report.html").read_bytes() == page
    told = capsys.readouterr().out
    assert told.splitlines()[-1] == str(results / "report.html")
    assert "nDCG@10" in told
    listed = (results / "MANIFEST.sha256").read_text()
    assert f"{hashlib.sha256(page).hexdigest()}  report.html\n" in listed
    assert {p.name for p in results.iterdir()} == {"report.json", "report.html", "MANIFEST.sha256"}


def test_another_page_gets_its_own_line_in_the_manifest(results):
    assert main(["report", str(results), "-q"]) == 0
    page = (results / "report.html").read_bytes()
    assert b"<svg" in page
    assert hashlib.sha256(page).hexdigest() in (results / "MANIFEST.sha256").read_text()


def test_the_page_may_go_elsewhere_and_the_file_alone_will_do(results, tmp_path, capsys):
    (results / "MANIFEST.sha256").unlink()
    before = (results / "report.html").read_bytes()
    out = tmp_path / "there" / "page.html"
    assert main(["report", str(results / "report.json"), "--out", str(out), "--json", "--no-plots"]) == 0
    assert out.is_file()
    assert (results / "report.html").read_bytes() == before
    assert capsys.readouterr().out.encode() == (results / "report.json").read_bytes()


def test_a_report_that_was_edited_is_refused_with_3(results, capsys):
    text = (results / "report.json").read_text(encoding="utf-8")
    (results / "report.json").write_text(text.replace('"headline"', '"headlines"'), encoding="utf-8")
    assert main(["report", str(results)]) == 3
    assert "MANIFEST.sha256" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda text: "", "not JSON"),
        (lambda text: "[]", "no report"),
        (lambda text: text.replace('"headline"', '"headlines"'), "headline"),
        (lambda text: json.dumps({**json.loads(text), "schema_version": "0.9"}), "schema_version"),
        (lambda text: text.replace('"n":18', '"n":"many"'), "estimates"),
    ],
)
def test_what_has_not_the_form_of_a_report_is_refused_in_two_lines(results, capsys, spoil, word):
    (results / "MANIFEST.sha256").unlink()
    page = (results / "report.html").read_bytes()
    text = (results / "report.json").read_text(encoding="utf-8")
    (results / "report.json").write_text(spoil(text), encoding="utf-8")
    assert main(["report", str(results)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 2
    assert word in told.err
    assert (results / "report.html").read_bytes() == page


def test_a_folder_without_a_report_names_what_makes_one(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "evenhand run" in capsys.readouterr().err
