"""Quotes by gold add, gold check --fix and run: what is refused is shown, and nothing is written."""

import json

import pytest
from tests.front import evenhand

DOGS = "Dogs are allowed in the hall"
MONTH = "The pass is valid\nuntil 31 March 2024, and then no more."
STUDY = """\
[study]
name = "hall"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
[chunking.small]
rule = "sentences"
size = 80
count = "characters"
[system.bm25]
retriever = "bm25"
[measure]
primary = "RR(rel=2)@10"
[report]
plots = false
"""
OTHER = {
    "id": "q1",
    "text": "What is open on Monday?",
    "evidence": [{"spans": [{"doc": "b.md", "quote": "The tower"}]}],
}


@pytest.fixture
def study(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b.md").write_text("The tower is open on Monday.\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def outside_the_cache(folder):
    return sorted(path for path in folder.rglob("*") if ".evenhand" not in path.parts)


def refused(study, text, quote, difference, *, nearest=None):
    """All three commands refuse *quote* of a document *text*, show *difference*, and write nothing."""
    (study / "docs" / "a.md").write_text(text + "\n", encoding="utf-8")
    gold = study / "gold.jsonl"
    row = {"id": "q2", "text": "What holds here?", "evidence": [{"spans": [{"doc": "a.md", "quote": quote}]}]}

    gold.write_text(json.dumps(OTHER) + "\n", encoding="utf-8")
    before = gold.read_bytes()
    added = evenhand(
        *("gold", "add", "gold.jsonl", "--corpus", "docs", "--by", "ann", "--text", row["text"]),
        *("--quote", f"a.md::{quote}"),
        cwd=study,
    )
    assert gold.read_bytes() == before

    gold.write_text(before.decode() + json.dumps(row) + "\n", encoding="utf-8")
    before, files = gold.read_bytes(), outside_the_cache(study)
    checked = evenhand("gold", "check", "gold.jsonl", "--corpus", "docs", "--fix", "fixed.jsonl", cwd=study)
    ran = evenhand("run", "study.toml", cwd=study)
    assert gold.read_bytes() == before
    assert outside_the_cache(study) == files

    assert "no corrected copy: 1 error needs a decision" in checked.stdout
    for done, told in ((added, added.stderr), (checked, checked.stdout), (ran, ran.stderr)):
        assert done.returncode == 2
        assert "has a quote that is not in 'a.md' (nearest, " in told
        assert f"the difference: {difference})" in told
        assert "if that is what was meant, paste the corrected line" in told
        line, _ = json.JSONDecoder().raw_decode(told, told.index('{"id"'))
        (span,) = line["evidence"][0]["spans"]
        assert span["quote"] == (nearest or text)
    # the line, pasted, is right
    pasted = before.decode().splitlines()[0] + "\n" + json.dumps(line) + "\n"
    gold.write_text(pasted, encoding="utf-8")
    assert evenhand("gold", "check", "gold.jsonl", "--corpus", "docs", cwd=study).returncode == 0


def test_r02_a_not_that_the_document_lacks_is_refused_everywhere(study):
    refused(study, DOGS, "Dogs are not allowed in the hall", "Dogs are [-not-] allowed in the hall")


def test_r02_a_not_that_the_quote_lacks_is_refused_everywhere(study):
    refused(
        study,
        "Dogs are not allowed in the hall",
        "Dogs are allowed in the hall",
        "Dogs are {+not+} allowed in the hall",
    )


def test_r03_now_for_not_is_refused_everywhere(study):
    refused(study, "It is not insured.", "It is now insured.", "It is [-now-] {+not+} insured.")


def test_r04_another_month_is_refused_everywhere_and_no_word_is_cut(study):
    refused(
        study, MONTH, "until 31 May 2024", "until 31 [-May-] {+March+} 2024", nearest="until 31 March 2024"
    )


def test_r05_hyphenation_white_space_and_quotation_marks_are_accepted_everywhere(study):
    text = "The co-\noperative  pays “half”"
    (study / "docs" / "a.md").write_text(text, encoding="utf-8")
    gold = study / "gold.jsonl"
    gold.write_text(json.dumps(OTHER) + "\n", encoding="utf-8")
    added = evenhand(
        *("gold", "add", "gold.jsonl", "--corpus", "docs", "--by", "ann", "--text", "Who pays?"),
        *("--quote", 'a.md::The cooperative pays "half"'),
        cwd=study,
    )
    assert added.returncode == 0, added.stderr
    line = json.loads(gold.read_text(encoding="utf-8").splitlines()[1])
    assert line["evidence"][0]["spans"][0]["quote"] == text
    row = {"id": "q2", "text": "Who pays?"}
    row["evidence"] = [{"spans": [{"doc": "a.md", "quote": 'The cooperative pays "half"'}]}]
    gold.write_text(json.dumps(row) + "\n", encoding="utf-8")
    checked = evenhand("gold", "check", "gold.jsonl", "--corpus", "docs", "--fix", "fixed.jsonl", cwd=study)
    assert checked.returncode == 0, checked.stdout
    (span,) = json.loads((study / "fixed.jsonl").read_text(encoding="utf-8"))["evidence"][0]["spans"]
    assert (span["start"], span["end"], span["quote"]) == (0, len(text), text)
    assert evenhand("run", "study.toml", cwd=study).returncode == 0
