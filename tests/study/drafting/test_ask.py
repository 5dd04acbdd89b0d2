"""evenhand gold draft: rounds until each kind has its number, everything rejected kept, nothing paid twice."""

import json
import re
import sys

import pytest
from tests.front import evenhand
from tests.llm.faulty import faulty, says
from tests.miniature import make
from tests.study.panels import SMALL

import evenhand as eh
from evenhand.errors import InputError
from evenhand.formats.gold.gold_set import read_gold

DRAFT = """
[draft]
model = "{model}"
{more}
single = 3
multi = 1
abstain = 1
clarify = 1
concurrency = 2
"""
RULE = """
import json, re, sys
asked = json.load(sys.stdin)
texts = re.findall(r"<<<passage . (\\w+)>>>\\n(.*?)\\n<<<end", asked["messages"][1]["content"], re.S)
lines = [re.findall(r"The \\w+ of \\w+ costs \\d+ crowns a day\\.", text) for _, text in texts]
first = lines[0][0]
told = {"question": "What does one pay for " + " ".join(first.split()[1:4]) + "?", "type": "numeric", "answer": first}
kind = asked["schema"]["properties"]
if "facts" in kind:
    told["facts"] = [{"fact": one[0], "quote": one[0]} for one in lines]
    told["question"] += " And " + lines[-1][0].split()[1] + "?" if len(lines) > 1 else ""
    if "Alder" in first:
        told["facts"][0]["quote"] = "made up"
elif "readings" in kind:
    told["readings"] = [{"fact": one, "quote": one} for one in lines[0][:2]]
    told["question"] = "How much is it in " + first.split()[3] + "?"
else:
    told["question"] = "Who painted " + " ".join(first.split()[1:4]) + "?"
print(json.dumps(told))
"""


def study(folder, *, model="command:{python} rule.py", more="", rule=RULE):
    text = SMALL + DRAFT.format(model=model.format(python=sys.executable), more=more)
    file = make(folder, study=text)
    (folder / "rule.py").write_text(rule)
    return file


def run(file, *words):
    return evenhand("gold", "draft", file.name, "--by", "Ann", *words, cwd=file.parent)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_kind_has_its_number_and_the_rejected_their_reason(tmp_path):
    file = study(tmp_path / "s", more="attempts = 8.0\nwindow = 400\nnear = 0.9")
    done = run(file)
    assert done.returncode == 0, done.stderr
    rows = lines(file.parent / "drafts.jsonl")
    assert [row["tags"][1] for row in rows] == [
        *["single-hop"] * 3,
        "multi-unit",
        "unanswerable",
        "needs-clarification",
    ]
    assert all(
        row["origin"] == "synthetic" and row["authoring"]["model"].startswith("command:") for row in rows
    )
    assert all(row["review"]["status"] == "unreviewed" for row in rows)
    gold = read_gold(file.parent / "drafts.jsonl", eh.read_corpus(file.parent / "docs"))
    assert len(gold) == 6
    assert all(question.provisional for question in gold)
    notes = [row["meta"]["draft"] for row in rows]
    assert all(0 <= note["overlap"] <= 1 for note in notes)
    assert all(note["bm25_trivial"] in (True, False) for note in notes[:4])
    assert notes[4]["bm25_trivial"] is None
    assert "#" in notes[4]["bm25_first"]
    kept = lines(file.parent / "drafts.rejected.jsonl")
    assert all(row["reason"] and row["words"] and row["passages"] for row in kept)
    assert "synthetic, provisional" in done.stdout


def test_what_was_rejected_is_kept_and_another_one_is_asked_for(tmp_path):
    rule = RULE.replace('if "Alder" in first', "if len(first) % 2")
    file = study(tmp_path / "s", rule=rule, more="attempts = 6.0\nwindow = 400\nnear = 0.9")
    done = run(file, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    rejected = lines(file.parent / "drafts.rejected.jsonl")
    assert (
        found["rejected"]["quote not found"]
        == len([r for r in rejected if r["reason"] == "quote not found"])
        > 0
    )
    single = found["kinds"]["single"]
    assert single["kept"] <= single["wanted"] < single["asked"]
    assert rejected[0]["said"]["facts"][0]["quote"] == "made up"
    assert "the nearest is" in rejected[0]["detail"] or rejected[0]["detail"] == "'made up'"


def test_nothing_kept_is_an_error_with_the_counts(tmp_path):
    file = study(tmp_path / "s", rule="print('I cannot do that.')", more="attempts = 2.0")
    done = run(file)
    assert done.returncode == 2
    assert "not one of 12 drafts could be kept: 12 unparsable; spent: 12 calls" in done.stderr
    assert len(lines(file.parent / "drafts.rejected.jsonl")) == 12
    assert not (file.parent / "drafts.jsonl").exists()


def test_again_costs_nothing_and_gives_the_same_and_nothing_is_overwritten(tmp_path):
    file = study(tmp_path / "s", more="window = 400\nnear = 0.9\nattempts = 6.0")
    assert run(file).returncode == 0
    before = (file.parent / "drafts.jsonl").read_bytes()
    done = run(file)
    assert done.returncode == 2
    assert "is there already" in done.stderr
    done = run(file, "--anew")
    assert done.returncode == 0
    assert "spent: 0 calls" in done.stdout
    assert (file.parent / "drafts.jsonl").read_bytes() == before


def test_the_questions_of_the_study_are_not_drafted_again(tmp_path):
    file = study(tmp_path / "s", more="window = 400\nnear = 0.9\nattempts = 1.0")
    assert run(file).returncode == 0
    rows = lines(file.parent / "drafts.jsonl")
    first = next(row for row in rows if row["expect"] == "answer")
    with (file.parent / "gold.jsonl").open("a") as out:
        out.write(json.dumps({**first, "id": "q99", "origin": "expert"}) + "\n")
    assert run(file, "--anew").returncode == 0
    rejected = lines(file.parent / "drafts.rejected.jsonl")
    assert any(row["reason"] == "same words" and row["detail"] == "as q99" for row in rejected)


def test_estimate_and_dry_run_ask_nothing(tmp_path):
    file = study(tmp_path / "s", rule="raise SystemExit(3)")
    done = run(file, "--estimate")
    assert done.returncode == 0
    assert "6 calls" in done.stdout
    assert "at most 12 calls in all" in done.stdout
    assert json.loads(run(file, "--estimate", "--json").stdout)["most_calls"] == 12
    done = run(file, "--dry-run")
    assert done.returncode == 0
    assert "<<<passage 1" in done.stdout
    assert not (file.parent / "drafts.rejected.jsonl").exists()


SERVED = 'base_url = "{url}"\nprice = {{ input = 1000.0, output = 1000.0 }}\nwindow = 400'


def test_a_budget_stops_cleanly_and_faults_are_no_drafts(tmp_path):
    def answer(seen):
        quote = re.search(
            r"The \w+ of \w+ costs \d+ crowns a day\.", seen.prompt.split("<<<passage")[1]
        ).group()
        facts = [{"fact": quote, "quote": quote}]
        return says(
            json.dumps(
                {"question": f"{quote[:-1]}, or more?", "type": "numeric", "answer": quote, "facts": facts}
            )
        )

    with faulty(answer) as server:
        file = study(tmp_path / "s", model="vllm:small", more=SERVED.format(url=server.base_url))
        done = run(file, "--budget", "0")
        assert done.returncode == 2
        assert not server.seen
        assert "nothing be asked: 6 calls were not made; spent: 0 calls" in done.stderr
        assert "mend: evenhand gold draft study.toml --budget DOLLARS --by Ann" in done.stderr
        done = run(file, "--budget", "6")
        assert done.returncode == 4, done.stdout + done.stderr
        assert " is left, and the next call might cost $" in done.stdout
        assert "  mend: evenhand gold draft study.toml --budget 6 --by Ann --anew\n" in done.stdout
        assert "spent: " in done.stdout
        n = len(lines(file.parent / "drafts.jsonl"))
        assert 0 < n < 6


def test_an_embedder_that_is_not_there_is_said_and_words_are_compared(tmp_path, monkeypatch):
    from evenhand.retrieve.models import minilm

    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_at_all")
    minilm._file.cache_clear()
    file = study(tmp_path / "s", more='embedder = "minilm"\nwindow = 400\nnear = 0.9')
    try:
        done = run(file)
    finally:
        minilm._file.cache_clear()
    assert done.returncode == 0, done.stderr
    assert "questions are compared by their words" in " ".join(done.stdout.split())
    assert "likeness by words" in done.stdout


@pytest.mark.parametrize(
    ("section", "what"),
    [
        ("single = 3", "has no model"),
        ('model = "openai:x"\nnear = 1.5', "expected at most 1"),
        ('model = "openai:x"\nsingle = 0\nmulti = 0\nabstain = 0\nclarify = 0', "asks for no question"),
        ('model = "openai:x"\nout = "drafts.csv"', "expected a .jsonl file"),
        ('model = "openai:x"\nembedder = "bert"', "not known"),
        ('model = "openai:x"\nsingel = 3', "did you mean 'single'"),
        ('model = "command:x"\nbase_url = "http://x"', "unknown key"),
    ],
)
def test_every_wrong_key_of_the_section_is_named(tmp_path, section, what):
    file = make(tmp_path / "s", study=SMALL + f"[draft]\n{section}\n")
    with pytest.raises(InputError) as caught:
        eh.read_study(file)
    assert what in f"{caught.value.what} {caught.value.mend}"


def test_a_study_without_the_section_says_what_to_add(tmp_path):
    done = run(make(tmp_path / "s", study=SMALL))
    assert done.returncode == 2
    assert "add [draft]" in done.stderr
