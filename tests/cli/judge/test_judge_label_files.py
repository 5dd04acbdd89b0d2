"""Labels that somebody published as bare qrels: imported, held against people and corrected, without a pool."""

import json

import pytest
from tests.shared import SHARED, needs_shared

from evenhand.cli.main import main
from evenhand.formats.labels.judgements import read_labels


@pytest.fixture
def said(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        code = main([str(word) for word in words])
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


def qrels(path, grades):
    """LLMJudge's form: question, 0, document, grade, apart by blanks."""
    path.write_text("".join(f"q{i // 4} 0 p{i} {g}\n" for i, g in enumerate(grades) if g is not None))


def test_qrels_become_labels_without_store_pool_or_texts(said, tmp_path):
    qrels(tmp_path / "nist.txt", [3, 0, 1])
    code, out, _ = said("judge", "import", "nist.txt", "--format", "qrels", "--out", "j.jsonl")
    assert code == 0
    assert "3 labels of nist → j.jsonl" in out
    assert not (tmp_path / "judgements.sqlite").exists()
    labels = read_labels(tmp_path / "j.jsonl")
    assert [(one.judge, one.question, one.doc, one.grade) for one in labels] == [
        ("nist", "q0", "p0", 3.0),
        ("nist", "q0", "p1", 0.0),
        ("nist", "q0", "p2", 1.0),
    ]
    assert said("judge", "import", "nist.txt", "--format", "qrels", "--out", "j.jsonl")[0] == 2  # exists


@needs_shared
def test_ppi_of_two_files_of_labels_is_that_of_the_golden_arrays(said, tmp_path):
    golden = json.loads((SHARED / "golden" / "judging.json").read_text())["items"]
    (item,) = [one for one in golden if one["id"] == "F1.ppi_small_alpha0.05"]
    given, expected = item["inputs"], item["expected"]["ppi_pp_lambda_hat"]
    whole = [*given["Yhat"], *given["Yhat_unlabeled"]]
    qrels(tmp_path / "llm.txt", [int(x) for x in whole])
    qrels(tmp_path / "people.txt", [int(x) for x in given["Y"]])
    words = [
        "judge",
        "calibrate",
        "--votes",
        "llm.txt",
        "--labels",
        "people.txt",
        "--by",
        "uniform",
        "--json",
    ]
    code, out, err = said(*words)
    assert code in {0, 1, 4}, err
    made = json.loads(out)
    (row,) = [one for one in made["rates"] if one["name"] == "PPI++"]
    assert row["point"] == pytest.approx(expected["point"], abs=1e-6)
    assert [row["low"], row["high"]] == pytest.approx(expected["ci"], abs=1e-6)
    assert made["confusion"]["n"] == 20
    assert made["kappa"]["value"] is not None
    # without the word that they were drawn at random they correct nothing
    made = json.loads(said(*[word for word in words if word not in {"--by", "uniform"}])[1])
    assert made["rates"] == []
    assert made["agreement"]["n"] == 20


def test_labels_out_of_scale_are_counted_refused_and_clamped_only_on_request(said, tmp_path):
    people = [i % 4 for i in range(80)]
    machine = [*people[:-3], 5, 5, 10]
    qrels(tmp_path / "llm.txt", machine)
    qrels(tmp_path / "people.txt", people)
    words = ["judge", "calibrate", "--votes", "llm.txt", "--labels", "people.txt", "--yes", 2]
    code, _, err = said(*words)
    assert code == 2
    assert "llm.txt: 3 of 80 grades lie outside the scale 0 to 3: 5 (2), 10 (1)" in err
    assert "--out-of-scale clamp" in err
    code, out, _ = said(*words, "--out-of-scale", "clamp", "--json")
    made = json.loads(out)
    assert made["out_of_scale"] == [
        {"file": "llm.txt", "n": 3, "values": {"5": 2, "10": 1}, "became": "clamp"}
    ]
    assert made["confusion"]["n"] == 80
    assert made["scale"] == [0.0, 3.0]
    code, out, _ = said(*words, "--out-of-scale", "missing")
    assert "grades of llm.txt lie outside the scale: 5 (2), 10 (1); none of them counts" in out
    assert "3 more labelled items have no decision of the panel" in out
    assert said(*words, "--out-of-scale", "drop")[0] == 2
    assert said(*words, "--scale", 0, 10, "--json")[0] in {0, 1, 4}


def test_a_sample_of_the_labelled_ones_is_drawn_by_the_same_command(said, tmp_path):
    people = [int(i % 3 == 0) for i in range(400)]
    machine = [g if i % 7 else 1 - g for i, g in enumerate(people)]
    qrels(tmp_path / "llm.txt", machine)
    qrels(tmp_path / "people.txt", people)
    words = ["judge", "calibrate", "--votes", "llm.txt", "--labels", "people.txt", "--json"]
    made = json.loads(said(*words, "--draw", 200)[1])
    (row,) = [one for one in made["rates"] if one["name"] == "PPI++"]
    assert (made["sample"]["labelled"], made["sample"]["drawn"], row["n"]) == (200, 200, 200)
    assert row["low"] < sum(people) / 400 < row["high"]
    assert json.loads(said(*words, "--draw", 200)[1]) == made
    assert json.loads(said(*words)[1])["sample"]["design"] == "census"
    assert said(*words, "--by", "stratified")[0] == 2
