"""What a report says first: where human and synthetic questions name two winners, the human set decides."""

import json

import pytest
from tests.miniature import STUDY, make

import evenhand as eh
from evenhand.report.output.html import render

TWO = STUDY.split("[system.both]", maxsplit=1)[0] + (
    '[measure]\nprimary = "nDCG@10"\ndepth = 20\n[compare]\nresamples = 200\nsigns = 200\n[report]\nplots = false\n'
)


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    """A study whose questions of people favour tfidf; the synthetic ones, which are more, favour bm25."""
    study = make(tmp_path_factory.mktemp("winners") / "s", study=TWO)
    rows = eh.conduct(eh.read_study(study), study.parent).report["questions"]["rows"]
    gap = {row["id"]: row["values"][0][0] - row["values"][1][0] for row in rows if row["values"]}
    gold = study.parent / "gold.jsonl"
    rows = [json.loads(line) for line in gold.read_text().splitlines()]
    kept = [row for row in rows if gap.get(row["id"])]
    assert {gap[row["id"]] > 0 for row in kept} == {True, False}
    for row in kept:
        row["origin"] = "synthetic" if gap[row["id"]] > 0 else "log"
    gold.write_text("".join(json.dumps(row) + "\n" for row in kept))
    return eh.conduct(eh.read_study(study), study.parent).report


def test_the_headline_follows_the_human_questions_everywhere(split):
    assert split["standing"]["leader"] == "tfidf"
    assert split["headline"].startswith("By the human questions alone")
    assert "tfidf" in split["headline"]
    assert split["headline"] == split["standing"]["sentence"]
    assert split["sentences"][0].startswith("tfidf leads on the ")
    assert split["sentences"][1].startswith("On all ")
    assert "By the human questions alone" in render(split, plots=False)
