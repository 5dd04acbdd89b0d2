"""The handbook answered, and asked about, by a stand-in: both studies run without a key or an embedder."""

import json
import shutil
from pathlib import Path

import pytest

from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct

HANDBOOK = Path(__file__).resolve().parents[2] / "examples" / "handbook"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("handbook") / "handbook"
    left = shutil.ignore_patterns(".evenhand", "results", "*.made.jsonl", "report.json")
    shutil.copytree(HANDBOOK, made, ignore=left)
    return made


def part_of(folder, name):
    return conduct(read_study(folder / name), folder, out=folder / "out" / name).report


def test_eight_topics_give_four_and_three_items_each_without_an_embedder(folder, monkeypatch):
    monkeypatch.setattr("evenhand.retrieve.models.minilm.MiniLM.embed", None)  # whoever asks for it fails
    part = part_of(folder, "items.toml")["answers"]
    account = part["accounts"][0]
    assert account["topics"] == 8
    assert account["states"] == {"made": 7, "cut-off": 1}
    kinds = [row["item"]["kind"] for row in part["items"] if row["item"] and row["topic"] == "overtime"]
    assert kinds.count("multiple-choice") <= 4
    assert kinds.count("short-answer") <= 3
    rates = {one["check"]: one for one in account["rates"]}
    assert rates["cites-retrieved"]["n"] == account["items"] == 45
    assert rates["options-distinct"]["k"] < rates["options-distinct"]["n"]  # it repeats options on purpose
    assert rates["numbers-grounded"]["k"] < 45
    assert rates["numbers-grounded"]["clusters"] == 7
    assert all(len(row["units"]) == 5 for row in part["items"])


def test_the_handbook_answered_has_every_cell_and_fragile_answers_are_known_by_heart(folder):
    report = part_of(folder, "answers.toml")
    part = report["answers"]
    cells = {one["name"]: one for one in part["diagnosis"][0]["cells"]}
    assert all(cells[name]["count"] for name in ("working", "generation", "fragile", "retrieval"))
    assert sum(one["count"] for one in cells.values()) == 123
    assert cells["fragile"]["closed"] == cells["fragile"]["closed_n"] == cells["fragile"]["count"]
    assert report["incomplete"]["state"] is False
    assert {one["kind"] for one in report["warnings"]} >= {"fallback", "nobody read it"}
    json.dumps(part, allow_nan=False)
