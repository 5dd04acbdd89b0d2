"""evenhand judge calibrate, correlate and published, through the front door."""

import json
import shlex
from pathlib import Path

import pytest
from tests.shared import SHARED, needs_shared
from tests.study.panel_miniature import panelled, people, truth_of

from evenhand.cli.main import main
from evenhand.formats.labels.calibration import read_sample
from evenhand.formats.labels.judgements import read_labels
from evenhand.formats.study_file.read import read_study
from evenhand.store.open import open_store
from evenhand.study.panel.items import items_of_plan

LINES = """
[calibration]
n = 60
half_width = 0.1
[calibration.trust]
gullibility = false
"""


@pytest.fixture
def said(capsys):
    def run(*words):
        code = main([str(word) for word in words])
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


@pytest.fixture
def home(tmp_path, monkeypatch):
    study = panelled(tmp_path / "s", more=LINES, wrong=(0.05, 0.05, 0.05))
    monkeypatch.chdir(study.parent)
    return study


def whole(study):
    return truth_of(items_of_plan(read_study(study), study.parent))


def test_from_the_draw_to_a_verdict(home, said):
    assert said("store", "init")[0] == 0
    code, out, _ = said("judge", "calibrate", home, "--draw", 150)
    assert code == 0
    assert "drawn: 150 items, uniform" in out
    assert "of 150 must agree for its lower bound to reach 75%" in out
    assert "verdicts are there already" not in out
    sample = read_sample(home.parent / "calibration.json")
    assert sample.blind
    assert (
        said(
            "judge",
            "assign",
            "--pool",
            "calibration",
            "--judge",
            "ann",
            "--sheet",
            "sufficiency",
            "--warm-up",
            0,
            "--repeats",
            0,
        )[0]
        == 0
    )
    assert said("judge", "panel", home)[0] == 0
    code, out, _ = said("judge", "calibrate", home)
    assert code == 4
    assert "No drawn item has been labelled by a person yet." in out
    assert "150 drawn items wait for a person" in out
    people("judgements.sqlite", whole(home), wrong=0.0)
    code, out, _ = said("judge", "calibrate", home)
    assert code == 0, out
    assert "The panel has passed every line of trust." in out
    assert "PPI++, stratified" in out
    assert len(read_labels(home.parent / "calibration.jsonl")) == 150
    code, out, _ = said("judge", "calibrate", home, "--json")
    told = json.loads(out)
    assert told["schema"] == "evenhand.calibration/1"
    assert told["trust"]["exit"] == code == 0
    # what was labelled is now beside the study: a run needs no store
    assert said("run", home, "--quiet")[0] == 0
    report = json.loads((home.parent / "results" / "report.json").read_text())
    assert report["panel"]["rate"] == told["rate"]


def test_more_split_items_are_a_pool_of_their_own(home, said):
    said("store", "init")
    said("judge", "calibrate", home, "--draw", 40)
    said("judge", "panel", home)
    code, out, _ = said("judge", "calibrate", home, "--more", 6)
    assert code == 0
    assert "drawn: 6 items, further" in out
    assert "unanimous: 0 of" in out
    store = open_store("judgements.sqlite")
    pools = {name: store.pool(mark) for mark, name, _ in store.pools()}
    store.close()
    assert len(pools["calibration-2"]) == 6
    assert pools["calibration-2"].runs == ()
    sample = read_sample(home.parent / "calibration.json")
    assert {item.id for item in pools["calibration-2"]} == {
        one.item for one in sample.items if one.phase == 2
    }
    assert {item.probability for item in pools["calibration-2"]} < {1.0} | {
        one.probability for one in sample.items
    }


def test_trust_that_fails_leaves_with_1_and_no_flag_changes_that(tmp_path, monkeypatch, said):
    study = panelled(tmp_path / "s", more=LINES, wrong=(0.45, 0.45, 0.45))
    monkeypatch.chdir(study.parent)
    said("store", "init")
    said("judge", "calibrate", study, "--draw", 60)
    said(
        "judge",
        "assign",
        "--pool",
        "calibration",
        "--judge",
        "ann",
        "--sheet",
        "sufficiency",
        "--warm-up",
        0,
        "--repeats",
        0,
    )
    said("judge", "panel", study)
    people("judgements.sqlite", whole(study))
    code, out, _ = said("judge", "calibrate", study)
    assert code == 1
    assert "The rate is withheld as a settled figure. It lies in a bracket" in out
    assert "fail" in out


def test_a_stratified_sample_needs_verdicts(home, said):
    said("store", "init")
    code, _, err = said("judge", "calibrate", home, "--draw", 40, "--by", "stratified")
    assert code == 2
    assert "needs the panel's verdicts" in err
    said("judge", "panel", home)
    code, out, _ = said("judge", "calibrate", home, "--draw", 40, "--by", "stratified", "--json")
    assert code == 0
    told = json.loads(out)
    assert sum(told["drawn"].values()) == 40
    assert told["verdicts_existed"]


def test_a_second_sample_is_asked_for_by_name_only(home, said):
    said("store", "init")
    said("judge", "calibrate", home, "--draw", 40)
    code, _, err = said("judge", "calibrate", home, "--draw", 50)
    assert code == 2
    assert "holds a sample of 40 items already" in err
    assert said("judge", "calibrate", home, "--draw", 50, "--anew")[0] == 0
    assert len(read_sample(home.parent / "calibration.json").items) == 50


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["--more", 5], "no sample was drawn yet"),
        (["--draw", 5, "--more", 5], "in one go"),
        (["--by", "uniform"], "go with --draw"),
        (["--yes", 1], "in place of a study file"),
        (["--draw", 5], "evenhand store init"),
        (["--draw", 100000], "are judged"),
    ],
)
def test_what_does_not_go_together_is_told(home, said, words, match):
    code, _, err = said("judge", "calibrate", home, *words)
    assert code == 2
    assert match in err
    assert not (home.parent / "calibration.json").exists()


def test_without_anything_it_says_what_to_give(said):
    code, _, err = said("judge", "calibrate")
    assert code == 2
    assert "--votes votes.jsonl --labels judgements.jsonl" in err


@needs_shared
def test_published_labels_give_the_published_figures_on_the_command_line(tmp_path, said):
    """WiCE: GPT-4 F1 61.0 and accuracy 77.0; RAGChecker Table 2, overall; ALCE r .291."""
    code, out, _ = said(
        "judge", "published", SHARED / "data" / "wice", "--set", "wice", "--out", tmp_path / "w"
    )
    assert code == 0
    assert "358 labels of people" in out
    files = ["--votes", tmp_path / "w" / "votes.jsonl", "--labels", tmp_path / "w" / "judgements.jsonl"]
    code, out, _ = said("judge", "calibrate", *files, "--judge", "gpt-4-0613", "--json")
    assert code == 1
    told = json.loads(out)
    assert round(100 * told["agreement"]["value"], 1) == 77.0
    assert round(100 * told["positive"]["value"], 1) == 61.0
    assert told["confusion"]["panel_only"] == 19
    code, out, _ = said("judge", "calibrate", *files, "--judge", "gpt-4-0613")
    assert "always says the same" in out
    assert (
        said("judge", "published", SHARED / "data" / "wice", "--set", "wice", "--out", tmp_path / "w")[0] == 2
    )
    for name, line in (
        ("ragchecker-meta", "RAGChecker and people: Pearson 0.62 [0.57, 0.67], Spearman 0.61"),
        ("alce-utility", "correctness and people: Pearson 0.29"),
    ):
        said("judge", "published", SHARED / "data" / name, "--set", name, "--out", tmp_path / name)
        files = ["--votes", tmp_path / name / "votes.jsonl", "--labels", tmp_path / name / "judgements.jsonl"]
        code, out, _ = said("judge", "correlate", *files)
        assert code == 0
        assert line in out
        code, _, err = said("judge", "calibrate", *files)
        assert code == 2
        assert "judge correlate" in err


@needs_shared
def test_an_unknown_judge_names_the_nearest(tmp_path, said):
    said("judge", "published", SHARED / "data" / "wice", "--set", "wice", "--out", tmp_path / "w")
    files = ["--votes", tmp_path / "w" / "votes.jsonl", "--labels", tmp_path / "w" / "judgements.jsonl"]
    code, _, err = said("judge", "calibrate", *files, "--judge", "gpt-4")
    assert code == 2
    assert "gpt-4-0613" in err


def printed_next(out):
    """The words of the printed next step, up to the desk."""
    line = next(one for one in out.split("\n") if one.startswith("next: "))
    return shlex.split(line.removeprefix("next: evenhand ").partition(";")[0].replace("NAME", "ann"))


@pytest.mark.parametrize("store", ["judgements.sqlite", "a store.sqlite"])
def test_the_printed_next_step_works_after_a_second_draw_too(home, said, store):
    said("store", "init", store)
    for words in (["--draw", 20], ["--draw", 20, "--seed", 2, "--anew"]):
        code, out, _ = said("judge", "calibrate", home, *words, "--store", store)
        assert code == 0
        code, _, err = said(*printed_next(out), "--warm-up", 0)
        assert code == 0, err
    kept = open_store(store)
    assert [kept.sheet_of(mark).name for mark, *_ in kept.pools()] == ["sufficiency"] * 2
    kept.close()


def test_the_pool_for_people_of_one_name_is_found_again(home, said):
    said("store", "init")
    said("judge", "panel", home)
    said("judge", "calibrate", home, "--draw", 20)
    out = said("judge", "panel", home, "--people", "calibration")[1]
    code, _, err = said(*printed_next(out), "--warm-up", 0)
    assert code == 0, err


def test_labels_from_elsewhere_are_taken_into_a_drawn_pool_in_the_sheets_own_words(home, said):
    said("store", "init")
    said("judge", "calibrate", home, "--draw", 12)
    kept = open_store("judgements.sqlite")
    (mark, *_) = kept.pools()[0]
    items = [item.id for item in kept.pool(mark)]
    kept.close()
    words = ["yes", "No", "maybe", *["no"] * 9]
    rows = [f"{item},ann,{word}\n" for item, word in zip(items, words, strict=True)]
    Path("l.csv").write_text("item,judge,grade\n" + "".join(rows), encoding="utf-8")
    code, _, err = said("judge", "import", "l.csv", "--format", "csv")
    assert code == 2
    assert f"pool calibration ({mark[:12]}) has no sheet in use yet" in err
    assert "--sheet sufficiency" in err
    code, out, _ = said("judge", "import", "l.csv", "--format", "csv", "--sheet", "sufficiency")
    assert code == 0
    assert "11 labels" in out
    assert "1 annotation has no grade that is understood ('maybe'): spell it, --grade maybe=1" in out
    assert "11 (" in said("judge", "calibrate", home)[1]


def lines_of(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def test_a_grade_off_the_scale_is_told_with_file_line_and_field(home, said):
    said("judge", "panel", home)
    votes = home.parent / "votes.jsonl"
    rows = lines_of(votes)
    at = next(i for i, row in enumerate(rows) if "grade" in row)
    rows[at]["grade"] = 7
    votes.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for words in (["panel", home], ["calibrate", home]):
        code, _, err = said("judge", *words)
        assert code == 2
        assert f"{votes}:{at + 1}: grade is 7, and sheet sufficiency has 0 (no), 1 (yes)" in err
        assert "mend: give one of these" in err


def test_two_grades_of_one_judge_for_one_item_are_warned_of(home, said):
    said("judge", "panel", home)
    votes = home.parent / "votes.jsonl"
    row = next(row for row in lines_of(votes) if "grade" in row)
    with votes.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row | {"grade": 1 - row["grade"]}) + "\n")
    code, out, _ = said("judge", "panel", home)
    assert code == 0
    assert "a vote contradicts an earlier grade of the same judge and item" in " ".join(out.split())
    labels = home.parent / "people.jsonl"
    told = {key: row[key] for key in ("question", "doc", "start", "end", "text_sha256")}
    labels.write_text(json.dumps(told | {"judge": "ann", "kind": "grade", "grade": 1}) + "\n")
    files = ["--votes", votes, "--labels", labels]
    code, out, _ = said("judge", "calibrate", *files, "--json")
    kinds = {one["kind"]: one["count"] for one in json.loads(out)["warnings"]}
    assert kinds["contrary votes"] == 1
