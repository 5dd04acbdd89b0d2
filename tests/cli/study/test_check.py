"""`evenhand check` as a person has it: a miniature study, kept, cut otherwise, tampered with."""

import json
import shutil
from xml.etree import ElementTree as ET

import pytest
from tests.front import evenhand
from tests.miniature import CRITERIA, STUDY, make

MARGIN = ("--margin", "nDCG@10=0.05")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """``old``: as it was; ``new``: units of 60 characters; ``fewer``: two questions less, one changed."""
    folder = tmp_path_factory.mktemp("check")
    file = make(folder / "study", study=STUDY + CRITERIA)
    home = file.parent
    evenhand("run", file, "--out", folder / "old", "--quiet")
    small = home / "small.toml"
    small.write_text(STUDY.replace("size = 160", "size = 60"))
    assert evenhand("run", small, "--out", folder / "new", "--quiet").returncode == 0
    rows = [json.loads(line) for line in (home / "gold.jsonl").read_text().splitlines()]
    rows[3]["text"] += " Please."
    rows[4]["tags"] = ["another"]
    lines = "".join(json.dumps(row) + "\n" for row in rows[:-2])
    (home / "fewer.jsonl").write_text(lines)
    fewer = home / "fewer.toml"
    fewer.write_text(STUDY.replace("gold.jsonl", "fewer.jsonl"))
    assert evenhand("run", fewer, "--out", folder / "fewer", "--quiet").returncode == 0
    kept = evenhand("check", folder / "old", *MARGIN, "--save-baseline", folder / "kept.json")
    assert kept.returncode == 0, kept.stderr
    return folder


def ran(place, *arguments, cwd=None, **env):
    return evenhand("check", *arguments, cwd=cwd or place, **env)


def test_results_pass_against_themselves(place):
    done = ran(place, "old", "--baseline", "kept.json", *MARGIN)
    assert done.returncode == 0, done.stderr
    assert "Passed: 4 comparisons on 18 questions in pairs" in done.stdout
    assert "Criteria of the report" in done.stdout
    assert "random" not in done.stdout


def test_a_baseline_gives_what_its_results_folder_gives(place):
    one = json.loads(ran(place, "new", "--baseline", "kept.json", *MARGIN, "--json").stdout)
    two = json.loads(ran(place, "new", "--baseline", "old", *MARGIN, "--json").stdout)
    assert one.pop("baseline").pop("kind") == "baseline"
    assert two.pop("baseline").pop("kind") == "results"
    assert one == two


def test_worse_results_fail_or_cannot_be_told(place):
    done = ran(place, "new", "-b", "kept.json", *MARGIN, "--json")
    made = json.loads(done.stdout)
    assert done.returncode == made["exit_code"] == {"fail": 1, "inconclusive": 4}[made["verdict"]]
    assert {row["n"] for row in made["rows"]} == {18}
    wide = ran(place, "new", "-b", "kept.json", "--margin", "0.9")
    assert wide.returncode == 0


def test_the_same_results_keep_the_same_bytes_and_no_question(place):
    again = place / "again.json"
    assert ran(place, "old", *MARGIN, "--save-baseline", again).returncode == 0
    assert again.read_bytes() == (place / "kept.json").read_bytes()
    text = again.read_text()
    assert "what has one to pay" not in text
    assert str(place) not in text


def test_a_changed_baseline_is_detected(place):
    held = json.loads((place / "kept.json").read_text())
    held["values"][0][2][0] = 0.0 if held["values"][0][2][0] else 1.0
    (place / "touched.json").write_text(json.dumps(held))
    done = ran(place, "old", "-b", "touched.json", *MARGIN)
    assert done.returncode == 3
    assert "touched.json is not the baseline that was kept" in done.stderr


def test_changed_measurements_are_detected(place):
    copy = place / "copy"
    shutil.copytree(place / "old", copy, dirs_exist_ok=True)
    for name in ("measurements.parquet", "questions.json"):
        shutil.copy(place / "old" / name, copy / name)
        (copy / name).write_bytes((copy / name).read_bytes() + b" ")
        done = ran(place, copy, "-b", "kept.json", *MARGIN)
        assert (done.returncode, f"{name} is not the file" in done.stderr) == (3, True)
        shutil.copy(place / "old" / name, copy / name)
    (copy / "MANIFEST.sha256").unlink()
    done = ran(place, copy, "-b", "kept.json", *MARGIN)
    assert (done.returncode, "no MANIFEST.sha256" in done.stderr) == (2, True)


def test_another_baseline_is_replaced_only_when_that_is_asked_for(place):
    file = place / "renewed.json"
    shutil.copy(place / "kept.json", file)
    done = ran(place, "new", *MARGIN, "--save-baseline", file)
    assert (done.returncode, "holds another baseline" in done.stderr) == (2, True)
    assert ran(place, "new", *MARGIN, "--save-baseline", file, "--replace").returncode == 0
    assert file.read_bytes() != (place / "kept.json").read_bytes()


def test_another_gold_set_is_refused_and_its_common_questions_can_be_asked_for(place):
    done = ran(place, "fewer", "-b", "kept.json", *MARGIN)
    assert done.returncode == 2
    assert "0 questions only in the results, 2 only in the baseline, 1 changed (q03" in done.stderr
    assert "15 common questions by name: --common" in done.stderr
    done = ran(place, "fewer", "-b", "kept.json", *MARGIN, "--common", "--json")
    made = json.loads(done.stdout)
    assert made["questions"]["paired"] == 15
    assert made["questions"]["changed"] == ["q03"]
    assert made["verdict"] == "pass"


def test_margins_and_policy_are_read_from_a_file_and_annotations_name_its_line(place, tmp_path):
    (tmp_path / "evenhand-check.toml").write_text(
        f'[check]\nbaseline = "{place}/kept.json"\ninconclusive = "fail"\nsystems = ["bm25"]\n'
        '[check.margins]\n# declared beforehand\n"nDCG@10" = 1e-9\n'
    )
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = ran(place, place / "new", "--github", cwd=tmp_path, GITHUB_STEP_SUMMARY=summary)
    assert done.returncode == 1
    told = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    assert len(told) == 1
    assert told[0].startswith("::error file=evenhand-check.toml,line=7,title=evenhand%3A bm25")
    assert summary.read_text().startswith("before\n### ")
    assert "| bm25 | nDCG@10 |" in summary.read_text()


def test_json_stands_alone_on_standard_output(place):
    done = ran(place, "new", "-b", "old", "--margin", "1e-9", "--json", "--github", GITHUB_STEP_SUMMARY="")
    assert json.loads(done.stdout)["schema"] == "evenhand.check/1"
    assert "::" in done.stderr
    assert "GITHUB_STEP_SUMMARY is not set" in done.stderr


def test_files_for_machines_hold_what_was_found(place):
    made = json.loads(
        ran(place, "new", "-b", "old", *MARGIN, "--json", "--junit", "j.xml", "--markdown", "s.md").stdout
    )
    top = ET.parse(place / "j.xml").getroot()  # noqa: S314
    cases = top.findall(".//testcase")
    assert [case.get("name") for case in cases] == [row["system"] for row in made["rows"]]
    for case, row in zip(cases, made["rows"], strict=True):
        inside = {"pass": "system-out", "fail": "failure", "inconclusive": "skipped"}[row["verdict"]]
        assert case[0].tag == inside
        assert row["sentence"] in (case[0].text, case[0].get("message"))
    assert int(top.get("tests")) == len(cases)
    assert made["sentences"][0].split(":")[0] in (place / "s.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["old"], "no baseline is named"),
        (["old", "-b", "kept.json"], "no margin is declared"),
        (["old", "-b", "nowhere.json", *MARGIN], "there is no nowhere.json"),
        (["old", "-b", "old/report.html", *MARGIN], "report.html is no baseline"),
        (["old", "-b", "kept.json", "--margin", "0.05", "--alpha", "0"], "alpha is 0"),
        (["old", "-b", "kept.json", "--margin", "nDCG@10"], "is no margin"),
        (["old", "-b", "kept.json", "--margin", "nDCG@10=-1"], "the margin of nDCG@10 is -1"),
        (["old", "-b", "kept.json", *MARGIN, "--margin", "RR(rel=2)@10=0.1"], "does not hold RR(rel=2)@10"),
        (["old", "-b", "kept.json", *MARGIN, "--system", "bm52"], "no system 'bm52'"),
        (["old", "-b", "kept.json", *MARGIN, "--replace"], "--replace belongs to --save-baseline"),
        (["old", "-b", "kept.json", "--save-baseline", "x.json"], "--save-baseline is given with --baseline"),
        (["kept.json", "--save-baseline", "x.json"], "a baseline is kept of results"),
        (["old", "-b", "kept.json", "--config", "none.toml"], "there is no file none.toml"),
    ],
)
def test_what_cannot_be_checked_is_said_with_its_mend(place, arguments, told):
    done = ran(place, *arguments)
    assert done.returncode == 2, done.stdout
    assert told in done.stderr
    assert "mend: " in done.stderr
