"""evenhand gold check and split, through the front door."""

import json

import pytest

from evenhand.cli.gold.commands import app
from evenhand.cli.main import main
from evenhand.formats.gold.gold_set import read_gold

FEES = "# Fees\n\nThe harbour fee is 30 euros a night. Small boats pay half of it.\n"
RULES = "# Rules\n\nDogs stay on board after dark. Small boats pay half of it.\n"


def entry(name, text, quote=None, doc="fees.md", **more):
    evidence = (
        [{"nugget": "n", "spans": [{"doc": doc, "quote": quote, **more.pop("at", {})}]}] if quote else []
    )
    return {
        "id": name,
        "text": text,
        "type": "fact",
        "tags": ["original"],
        "cluster": name,
        "expect": "answer" if quote else "abstain",
        "evidence": evidence,
        **more,
    }


GOOD = [
    entry("q1", "What does a night cost in port?", "The harbour fee is 30 euros a night."),
    entry("q2", "May my poodle come ashore?", "Dogs stay on board after dark.", doc="rules.md"),
    entry("q3", "Who won the regatta?"),
]
SECRET = [
    entry("h1", "Zanzibar monsoon tariff?", "The harbour fee is 30 euros a night.", reference="Zanzibar")
]


@pytest.fixture
def folder(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "fees.md").write_text(FEES)
    (docs / "rules.md").write_text(RULES)
    save(tmp_path / "gold.jsonl", GOOD)
    return tmp_path


def save(path, entries):
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in entries), encoding="utf-8")


def gold(*words):
    return main([str(word) for word in words], front=app)


def test_a_clean_gold_set_passes(folder, capsys):
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs") == 0
    out = capsys.readouterr().out.splitlines()
    assert out == ["dev: 3 questions (2 answer, 1 abstain)", "0 errors, 0 warnings, 0 notes"]


def test_without_documents_it_says_that_nothing_was_verified(folder, capsys):
    placed = entry("q1", "A?", "The harbour", at={"start": 8, "end": 19})
    save(folder / "gold.jsonl", [placed])
    assert gold("check", folder / "gold.jsonl") == 0
    assert "quotes were not verified: give --corpus" in capsys.readouterr().out


def test_an_error_names_file_and_line_and_leaves_with_2(folder, capsys):
    save(folder / "gold.jsonl", [*GOOD, entry("q4", "Half?", "This is written in no document at all.")])
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs") == 2
    out = capsys.readouterr().out
    assert "error: gold.jsonl:4 q4 evidence[0].spans[0]: has a quote that is not in 'fees.md'" in out
    assert "  mend: " in out
    assert "1 error" in out


def test_a_moved_quote_is_a_warning_with_a_line_to_paste(folder, capsys):
    at = {"start": 0, "end": 36}
    save(
        folder / "gold.jsonl",
        [entry("q1", "Cost?", "The harbour fee is 30 euros a night.", at=at), *GOOD[1:]],
    )
    fixed = folder / "fixed.jsonl"
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs", "--fix", fixed) == 0
    out = capsys.readouterr().out
    (pasted,) = [line for line in out.splitlines() if line.startswith("  {")]
    span = json.loads(pasted)["evidence"][0]["spans"][0]
    assert (span["start"], span["end"]) == (8, 44)
    assert json.loads(fixed.read_text().splitlines()[0]) == json.loads(pasted)
    assert gold("check", fixed, "--corpus", folder / "docs") == 0
    assert "0 warnings" in capsys.readouterr().out


def test_a_set_without_evidence_by_design_has_no_error_and_says_how_many(folder, capsys):
    bare = [{"id": f"q{i}", "text": f"What is fee {i}?"} for i in range(60)]
    save(folder / "gold.jsonl", bare)
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs") == 0
    out = capsys.readouterr().out
    assert "60 questions have no evidence: q0" in out
    assert "0 errors" in out


def test_the_study_file_beside_a_gold_set_says_that_some_questions_may_have_no_evidence(folder, capsys):
    waiting = [{"id": f"w{i}", "text": f"What is fee {i}?"} for i in range(3)]
    save(folder / "gold.jsonl", [*GOOD, *waiting])
    words = ["check", folder / "gold.jsonl", "--corpus", folder / "docs"]
    assert gold(*words) == 2
    (folder / "study.toml").write_text('[gold]\npath = "gold.jsonl"\nevidence = "optional"\n')
    assert gold(*words) == 0
    assert "3 questions have no evidence" in capsys.readouterr().out
    (folder / "study.toml").write_text('[gold]\npath = "other.jsonl"\nevidence = "optional"\n')
    assert gold(*words) == 2


def test_questions_that_wait_for_evidence_are_one_error_with_a_way_on(folder, capsys):
    waiting = [{"id": f"w{i}", "text": f"What is fee {i}?", "reference": "5 EUR"} for i in range(40)]
    save(folder / "gold.jsonl", [*GOOD, *waiting])
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs") == 2
    out = capsys.readouterr().out
    assert "40 of 43 questions expect an answer and have no evidence: w0, w1" in out
    assert "1 error," in out
    assert 'evidence = "optional"' in out


def test_fix_never_overwrites_the_gold_set_itself(folder, capsys):
    before = (folder / "gold.jsonl").read_bytes()
    assert (
        gold("check", folder / "gold.jsonl", "--corpus", folder / "docs", "--fix", folder / "gold.jsonl") == 2
    )
    assert (folder / "gold.jsonl").read_bytes() == before
    assert "overwrite" in capsys.readouterr().err


def test_twins_and_unreachable_questions_are_told(folder, capsys):
    save(folder / "gold.jsonl", [*GOOD, entry("q4", "And dinghies?", "Small boats pay half of it.")])
    words = [
        "check",
        folder / "gold.jsonl",
        "--corpus",
        folder / "docs",
        "--chunking",
        "fixed:12",
        "--chunking",
        "document",
    ]
    assert gold(*words) == 0
    out = capsys.readouterr().out
    assert (
        "q4 evidence[0]: has evidence in 'fees.md' that stands word for word in 'rules.md' (unknown) too"
        in out
    )
    assert "chunking fixed:12: 3 of 3 questions have their evidence whole in no unit: q1, q2, q4" in out
    assert "chunking document" not in out


def test_the_holdout_beside_is_checked_and_no_word_of_it_is_shown(folder, capsys):
    hidden = [
        *SECRET,
        entry("h2", "Zanzibar again?", "Zanzibar is in no document whatever."),
        {"id": "h3", "text": "Zanzibar", "expect": "Zanzibar"},
        entry("h4", "What does a night cost in port?", cluster="q2"),
        entry("h5", "Zanzibar moved?", "The harbour fee is 30 euros a night.", at={"start": 1, "end": 37}),
    ]
    save(folder / "gold.holdout.jsonl", hidden)
    for more in ([], ["--json"], ["--all"]):
        assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs", *more) == 2
        out = capsys.readouterr().out
        assert "gold.holdout.jsonl" in out
        assert "Zanzibar" not in out
        assert "harbour" not in out
        assert "h2" in out
    (folder / "gold.holdout.jsonl").rename(folder / "elsewhere.holdout.jsonl")
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs") == 0
    words = ["--holdout", folder / "elsewhere.holdout.jsonl"]
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs", *words) == 2
    assert "asks the same words as holdout question h4" in capsys.readouterr().out


def test_a_holdout_cannot_be_checked_as_if_it_were_dev(folder, capsys):
    save(folder / "gold.holdout.jsonl", SECRET)
    assert gold("check", folder / "gold.holdout.jsonl", "--corpus", folder / "docs") == 2
    captured = capsys.readouterr()
    assert "Zanzibar" not in captured.out + captured.err


def test_json_is_one_object_with_every_finding(folder, capsys):
    save(folder / "gold.jsonl", [*GOOD, entry("q4", "Half?", "Nowhere at all in any of them.")])
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs", "--json") == 2
    told = json.loads(capsys.readouterr().out)
    assert told["gold"] == "gold.jsonl"
    assert told["errors"] == 1
    assert told["expect"] == {"answer": 2, "clarify": 0, "abstain": 1}
    (finding,) = told["findings"]
    assert (finding["kind"], finding["line"], finding["question"]) == ("unmatched", 4, "q4")


def test_hostile_text_does_not_reach_the_terminal_and_the_line_can_still_be_pasted(folder, capsys):
    (folder / "docs" / "fees.md").write_text(
        FEES + "\nA \x1b[31mred\u202e word stands here alone.\n", encoding="utf-8"
    )
    quote = "A \x1b[31mred\u202e word stands here alone."
    at = {"start": 3, "end": 3 + len(quote)}
    save(folder / "gold.jsonl", [entry("q1", "Red\x1b]0;title\x07?", quote, at=at)])
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    (pasted,) = [line for line in out.splitlines() if line.startswith("  {")]
    assert json.loads(pasted)["evidence"][0]["spans"][0]["quote"] == quote


def test_many_findings_of_a_kind_are_cut_short_unless_all_are_asked_for(folder, capsys):
    save(folder / "gold.jsonl", [entry(f"q{i}", "The very same words?") for i in range(15)])
    assert gold("check", folder / "gold.jsonl") == 0
    assert "… and 4 more of kind same-text (--all shows them)" in capsys.readouterr().out
    assert gold("check", folder / "gold.jsonl", "--all") == 0
    assert capsys.readouterr().out.count("asks the same words") == 14


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--chunking", "fixed:12"], "give --corpus"),
        (["--corpus", "DOCS", "--chunking", "fixed:x"], "such as fixed:200:40"),
        (["--corpus", "DOCS", "--chunking", "fixd:12"], "did you mean 'fixed'"),
        (["--corpus", "DOCS", "--chunking", "fixed"], "size"),
        (["--corpus", "nowhere"], "nowhere"),
        (["--holdout", "nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_what_cannot_be_done_is_told_in_two_lines(folder, capsys, words, told):
    save(folder / "gold.jsonl", [entry("q1", "A?", "The harbour", at={"start": 8, "end": 19})])
    words = [folder / "docs" if word == "DOCS" else word for word in words]
    assert gold("check", folder / "gold.jsonl", *words) == 2
    err = capsys.readouterr().err
    assert told in err
    assert len(err.splitlines()) == 2


# split


def test_split_writes_both_parts_by_cluster_and_the_same_for_the_same_seed(folder, capsys):
    many = [entry(f"q{i}", f"Number {i}?", cluster=f"c{i // 3}") for i in range(30)]
    save(folder / "all.jsonl", many)
    for to in ("one", "two"):
        assert (
            gold("split", folder / "all.jsonl", "--to", folder / to, "--holdout", "0.3", "--seed", "5") == 0
        )
    out = capsys.readouterr().out
    assert "dev: 21 questions in 7 clusters" in out
    assert "holdout: 9 questions in 3 clusters" in out
    for name in ("gold.jsonl", "gold.holdout.jsonl"):
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes()
    assert gold("check", folder / "one" / "gold.jsonl") == 0
    told = capsys.readouterr().out
    assert "dev: 21 questions (21 abstain)\n" in told
    assert "holdout: 9 questions\n" in told  # how many of them are to be deferred is not said before the look
    assert gold("check", folder / "one" / "gold.jsonl", "--json") == 0
    assert json.loads(capsys.readouterr().out)["holdout"] == {"questions": 9}
    assert len(read_gold(folder / "one" / "gold.jsonl")) == 21


def test_split_overwrites_nothing(folder, capsys):
    many = [entry(f"q{i}", f"Number {i}?") for i in range(9)]
    save(folder / "all.jsonl", many)
    before = (folder / "gold.jsonl").read_bytes()
    assert gold("split", folder / "all.jsonl", "--to", folder) == 2
    assert "exists already" in capsys.readouterr().err
    assert (folder / "gold.jsonl").read_bytes() == before
    assert not (folder / "gold.holdout.jsonl").exists()


def test_documents_that_were_not_read_are_told_beside_the_quotes_they_would_hold(folder, capsys):
    (folder / "docs" / "more.csv").write_text("id,text\nr1,The lift is out of order\n")
    assert gold("check", folder / "gold.jsonl", "--corpus", folder / "docs") == 0
    out = capsys.readouterr().out
    assert "more.csv" in out
    assert "0 errors, 1 warning" in out
