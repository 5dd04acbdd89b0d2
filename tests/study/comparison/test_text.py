"""What biases a study is said once, and counted."""

import json

import pytest
from tests.miniature import STUDY, make

import evenhand as eh


def warnings_of(study):
    report = eh.conduct(eh.read_study(study), study.parent).report
    found = {}
    for one in report["warnings"]:
        found.setdefault(one["kind"], []).append(one)
    return found


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notices") / "s"
    study = make(folder, study=STUDY + '[system.twin]\nretriever = "bm25"\n')
    docs = folder / "docs"
    (docs / "copy.md").write_text((docs / "alder.md").read_text())
    text = STUDY.replace('"Success(rel=2)@1"', '"Success(rel=2)@1", "Success(rel=2)@5"')
    study.write_text(text + '[system.twin]\nretriever = "bm25"\n')
    return warnings_of(study)


def test_the_tokens_beside_hit_rates_are_one_sentence(plain):
    (one,) = plain["tokens sent"]
    assert one["count"] == 1
    assert "at Success(rel=2)@1; " in one["text"]
    assert one["text"].endswith("at Success(rel=2)@5")


def test_unjudged_units_are_said_once_for_all_systems(plain):
    (one,) = plain["unjudged"]
    assert one["count"] == 1
    assert one["text"].startswith("of the units shown for nDCG@10")


def test_systems_that_rank_alike_are_said_once(plain):
    told = [one["text"] for of in plain.values() for one in of if "bm25 and twin" in one["text"]]
    assert told == ["bm25 and twin rank alike for every question: fusing them can change nothing"]


def test_documents_that_are_the_same_are_named(plain):
    (one,) = plain["duplicate documents"]
    assert one["text"] == "1 × the same text under several ids: alder.md = copy.md"
    told = [note["text"] for of in plain.values() for note in of if "same text" in note["text"]]
    assert told == [one["text"]]  # once, and not as a note of the reader besides


def test_lenient_leaves_out_a_question_whose_evidence_is_gone_and_says_so(tmp_path):
    study = make(tmp_path / "s")
    gold = study.parent / "gold.jsonl"
    rows = [json.loads(line) for line in gold.read_text().splitlines()]
    quote = rows[0]["evidence"][0]["spans"][0]
    quote["quote"] = "Nobody ever wrote these words anywhere"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(eh.InputError):
        warnings_of(study)
    study.write_text(STUDY.replace('path = "gold.jsonl"', 'path = "gold.jsonl"\nlenient = true'))
    assert any("q00" in one["text"] for one in warnings_of(study)["input"])
    study.write_text(STUDY.replace('path = "gold.jsonl"', 'path = "gold.jsonl"\nlenient = "yes"'))
    with pytest.raises(eh.InputError, match="expected true or false"):
        eh.read_study(study)
