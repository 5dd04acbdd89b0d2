"""What `evenhand run` prints."""

import json

import pytest
from tests.miniature import make

from evenhand.cli.main import main


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return make(tmp_path_factory.mktemp("cli") / "mini")


def run(capsys, *arguments):
    code = main(["run", *map(str, arguments)])
    return code, capsys.readouterr()


def test_tables_verdict_warnings_and_last_the_page(capsys, study):
    code, printed = run(capsys, study)
    lines = printed.out.splitlines()
    assert code == 0
    assert lines[-1] == str(study.parent / "results" / "report.html")
    order = [printed.out.index(word) for word in ("P(best)", "W/T/L", "Verdicts are by the test", "warning")]
    assert order == sorted(order)


def test_progress_goes_to_standard_error(capsys, study):
    _, printed = run(capsys, study, "--out", study.parent / "elsewhere")
    assert "read: 2/2" in printed.err
    assert "read: 2/2" not in printed.out
    assert (study.parent / "elsewhere" / "report.json").is_file()


def test_quiet_prints_the_page_and_nothing_else(capsys, study):
    _, printed = run(capsys, study, "-q")
    assert printed.out == f"{study.parent / 'results' / 'report.html'}\n"
    assert printed.err == ""


def test_json_is_the_report_itself(capsys, study):
    _, printed = run(capsys, study, "--json")
    assert json.loads(printed.out) == json.loads((study.parent / "results" / "report.json").read_bytes())
    assert printed.err == ""


def test_a_folder_stands_for_the_study_in_it(capsys, study):
    assert run(capsys, study.parent, "-q")[0] == 0


def test_the_results_of_another_study_in_the_folder_are_not_overwritten(capsys, study, tmp_path):
    home = tmp_path / "two"
    first = make(home)
    assert run(capsys, first, "-q")[0] == 0
    before = (home / "results" / "report.json").read_bytes()
    other = home / "other.toml"
    for name in ("another", "miniature"):  # of another name, or of another file under the same name
        other.write_text(first.read_text("utf-8").replace('"miniature"', f'"{name}"'), "utf-8")
        code, printed = run(capsys, other, "-q")
        assert code == 2
        assert f"holds the results of the study 'miniature' (study.toml), and this is '{name}'" in printed.err
        assert "mend: name another folder, --out results-other;" in printed.err
        assert (home / "results" / "report.json").read_bytes() == before
    assert run(capsys, other, "-q", "--out", home / "results-other")[0] == 0
    first.write_text(first.read_text("utf-8").replace("depth = ", "depth = 1"), "utf-8")
    assert run(capsys, first, "-q")[0] == 0  # the same study, changed: its results are renewed
    (home / "results" / "costs.json").unlink()
    other.write_text(other.read_text("utf-8").replace('"miniature"', '"another"'), "utf-8")
    assert run(capsys, other, "-q")[0] == 2  # the report says whose they are, too
