"""The benchmarks for gates are made by rule: the same bytes as were sealed, no cluster in both splits."""

import hashlib
import importlib.util
import json
import tomllib
from pathlib import Path

import pytest
from tests.shared import SHARED, needs_shared

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

pytestmark = needs_shared


def script(name, file):
    spec = importlib.util.spec_from_file_location(f"example_{name}_{file}", EXAMPLES / name / f"{file}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sealed(name):
    lines = (EXAMPLES / name / "SEALS.sha256").read_text("utf-8").splitlines()
    return {file: digest for digest, file in (line.split("  ") for line in lines)}


def clusters(file):
    return {json.loads(line)["cluster"] for line in file.read_text("utf-8").splitlines()}


def test_clapnq_is_as_it_was_sealed(tmp_path):
    made = script("clapnq", "make").make(SHARED / "data" / "clapnq_dev", tmp_path)
    assert made == sealed("clapnq")
    for name, digest in made.items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    assert not clusters(tmp_path / "gold.jsonl") & clusters(tmp_path / "gold.holdout.jsonl")


def test_every_selected_sentence_of_clapnq_is_where_it_is_said_to_be(tmp_path):
    from evenhand.formats.corpus.read import read_corpus
    from evenhand.formats.gold.gold_set import read_gold

    script("clapnq", "make").make(SHARED / "data" / "clapnq_dev", tmp_path)
    gold = read_gold(tmp_path / "gold.jsonl", read_corpus(tmp_path / "passages.jsonl"))
    assert len(gold) == 420
    assert not any("moved" in text for text in gold.warnings)
    assert len(gold.answerable()) == 221


def test_the_gate_questions_of_the_peps_are_as_they_were_sealed(tmp_path):
    made, gone = script("peps", "gate_gold").make(SHARED / "data" / "peps" / "peps", tmp_path)
    assert made == sealed("peps")
    with (EXAMPLES / "peps" / "gate.toml").open("rb") as file:
        assert tomllib.load(file)["corpus"]["exclude"] == gone
    assert not clusters(tmp_path / "gate.jsonl") & clusters(tmp_path / "gate.holdout.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "gate.jsonl").read_text("utf-8").splitlines()]
    assert {row["expect"] for row in rows if row["type"] == "gone"} == {"abstain"}
    assert all(row["evidence"] for row in rows if row["expect"] == "answer")


def test_on_clapnq_a_promise_is_kept_apart_from_the_questions_that_report_it(tmp_path):
    from evenhand.formats.study_file.read import read_study
    from evenhand.study.comparison.run import conduct

    script("clapnq", "make").make(SHARED / "data" / "clapnq_dev", tmp_path)
    (tmp_path / "gate.toml").write_bytes((EXAMPLES / "clapnq" / "gate.toml").read_bytes())
    made = conduct(read_study(tmp_path / "gate.toml"), tmp_path).report["gate"]
    assert made["how"] == "promised"
    assert made["questions"]["n"] + made["questions"]["calibration"] == 420
    promise = next(one for one in made["promises"] if one["signal"] == "score(tfidf)")
    first = next(one for one in made["rules"][0]["rates"] if one["name"] == "answered_precision")
    assert promise["reported"]["answered"] == first["n"]
    assert promise["reported"]["answered"] - promise["reported"]["wrong"] == first["k"]
    assert promise["threshold"] == pytest.approx(0.338867, abs=1e-6)
