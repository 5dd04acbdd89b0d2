"""Files nested without end: exit 2 with file and line, whichever command reads them."""

import json

import pytest
from tests.front import evenhand
from tests.miniature import make

DEEP = "[" * 100_000
ROW = '{"_id": "a", "text": "Words."}\n'
RUN = "q Q0 a 1 1 x\n"


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("run.json", DEEP, "eval q.txt run.json"),
        ("run.json", '{"q": ' + DEEP, "eval q.txt run.json"),
        (
            "run.jsonl",
            '{"query-id": "q", "corpus-id": "a", "score": 1}\n{"a": ' + DEEP,
            "eval q.txt run.jsonl",
        ),
        (
            "qrels.jsonl",
            '{"query-id": "q", "corpus-id": "a", "score": 1}\n{"a": ' + DEEP,
            "eval qrels.jsonl r.trec",
        ),
        ("qrels.json", DEEP, "eval qrels.json r.trec"),
        ("report.json", DEEP, "report report.json"),
        ("results/report.json", '{"a":' * 100_000, "report results"),
        ("results/report.json", DEEP, "check results --baseline results --margin nDCG@10=0.02"),
        ("docs/corpus.jsonl", ROW + DEEP, "gold check gold.jsonl --corpus docs"),
        ("corpus.json", DEEP, "gold check gold.jsonl --corpus corpus.json"),
        ("gold.jsonl", "\n" + '{"id": ' + DEEP, "gold check gold.jsonl --corpus docs"),
        ("gold.json", DEEP, "gold check gold.json --corpus docs"),
        ("study.toml", "[study]\nname = " + DEEP, "run study.toml"),
        ("scores.jsonl", DEEP, "scores scores.jsonl --from ragas"),
        ("scores.json", DEEP, "scores scores.json --from haystack"),
        ("answers.jsonl", '{"a": ' + DEEP, "answers check answers.jsonl"),
        ("set.yaml", DEEP, "gold import set.yaml --format promptfoo --out out.jsonl"),
    ],
)
def test_r28_a_file_nested_without_end_is_refused_by_name_and_line(tmp_path, name, text, command):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Words.\n")
    (tmp_path / "q.txt").write_text("q 0 a 1\n")
    (tmp_path / "r.trec").write_text(RUN)
    (tmp_path / "gold.jsonl").write_text(
        '{"id": "q", "text": "?", "evidence": [{"doc": "a.md", "quote": "Words."}]}\n'
    )
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    done = evenhand(*command.split(), cwd=tmp_path)
    assert done.returncode == 2, done.stderr[-400:]
    told = done.stderr + done.stdout
    assert name.rpartition("/")[2] in told or "results" in told
    assert "nested too deeply" in told
    assert "Traceback" not in told


def test_r28_a_study_whose_documents_or_judgements_are_nested_without_end_is_refused(tmp_path):
    study = make(tmp_path / "s")
    gold = study.parent / "gold.jsonl"
    first = json.loads(gold.read_text().split("\n", 1)[0])
    kept = gold.read_text()
    gold.write_text(kept + "\n" + json.dumps(first | {"id": "deep"})[:-1] + ', "meta": {"a": ' + DEEP)
    done = evenhand("run", study)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "gold.jsonl:" in done.stderr
    gold.write_text(kept)
    (study.parent / "more.jsonl").write_text(ROW + DEEP)
    study.write_text(study.read_text().replace('path = "docs"', 'path = "more.jsonl"'))
    done = evenhand("run", study)
    assert done.returncode == 2, done.stderr[-300:]
    assert "more.jsonl, line 2" in done.stderr
