"""Gold sets out to other tools and back: what is carried comes back, what is not is counted."""

import json

import pytest
from tests.miniature import make

from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.formats.corpus.read import read_corpus
from evenhand.formats.gold.export import FORMS, export_gold
from evenhand.formats.gold.gold_set import read_gold
from evenhand.formats.guests.gold_registry import come


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make(tmp_path_factory.mktemp("gold") / "s").parent


@pytest.fixture(scope="module")
def whole(home):
    documents = read_corpus(home / "docs")
    return read_gold(home / "gold.jsonl", documents), documents


def back(home, tmp_path, form, *more):
    words = ["gold", "import", tmp_path / "out", "--format", form, "--corpus", home / "docs", *more]
    assert main([str(word) for word in [*words, "--out", tmp_path / "back.jsonl"]]) == 0
    return read_gold(tmp_path / "back.jsonl")


@pytest.mark.parametrize("form", ["deepeval", "langfuse", "langsmith"])
def test_forms_with_metadata_carry_a_question_whole(home, whole, tmp_path, form):
    assert export_gold(tmp_path / "out", form, *whole).told() == ()
    assert back(home, tmp_path, form).seal == whole[0].seal


def test_ragas_carries_words_and_says_what_it_does_not(home, whole, tmp_path):
    lost = export_gold(tmp_path / "out", "ragas", *whole).told()
    assert any("type or cluster" in one for one in lost)
    found = back(home, tmp_path, "ragas")
    asked = [q for q in whole[0] if q.evidence]
    assert [q.text for q in found] == [q.text for q in asked]
    assert [q.evidence[0].spans for q in found] == [q.evidence[0].spans for q in asked]


def test_chroma_comes_back_with_its_offsets(home, whole, tmp_path):
    lost = export_gold(tmp_path / "out", "chroma", *whole).told()
    assert any("exactly one .md" in one for one in lost)
    found = back(home, tmp_path, "chroma")
    asked = [q for q in whole[0] if q.evidence]
    spans = lambda q: [s.span for n in q.evidence for s in n.spans]  # noqa: E731
    assert [spans(q) for q in found] == [spans(q) for q in asked]


def test_squad_and_beir_are_read_by_our_own_readers(whole, tmp_path):
    lost = export_gold(tmp_path / "s.json", "squad", *whole).told()
    assert any("several facts" in one for one in lost)
    found = read_gold(tmp_path / "s.json")
    simple = [q for q in whole[0] if len(q.evidence) == 1]
    assert {q.text for q in found if q.expect == "answer"} == {q.text for q in simple}
    export_gold(tmp_path / "beir", "beir", *whole)
    documents = read_corpus(tmp_path / "beir" / "corpus.jsonl")
    assert len(documents) == len(whole[1])
    asked = {q.id for q in whole[0] if q.evidence}
    assert set(read_gold(tmp_path / "beir", documents).ids) == asked
    with pytest.raises(InputError, match="corpus"):
        export_gold(tmp_path / "t.json", "squad", whole[0])


def test_what_a_system_gave_is_no_gold_and_contexts_that_are_nowhere_are_counted(whole, tmp_path):
    quote = whole[0].questions[0].evidence[0].spans[0].quote
    rows = {
        "ragas": [
            {"user_input": "A?", "reference_contexts": [quote, "nowhere at all"], "response": "x"},
            {"user_input": "B?", "reference_contexts": ["nowhere"], "synthesizer_name": "s"},
            {"reference": "no question"},
        ],
        "deepeval": [
            {"input": "C?", "context": [quote], "expected_output": "12", "retrievalContext": ["y"]},
        ],
    }
    made = {}
    for tool, some in rows.items():
        (tmp_path / tool).write_text("\n".join(map(json.dumps, some)))
        made[tool] = come(tmp_path / tool, tool, whole[1])
    assert [row["text"] for of in made.values() for _, row in of.rows] == ["A?", "C?"]
    assert made["deepeval"].rows[0][1]["reference"] == "12"
    assert len(made["ragas"].rows[0][1]["evidence"]) == 1
    lost = [one for of in made.values() for one in of.told()]
    assert sorted(one.split(" ")[0] for one in lost) == ["1", "1", "1", "1", "2"]


def test_unknown_forms_and_files_that_exist_are_refused(home, whole, tmp_path, capsys):
    with pytest.raises(InputError) as found:
        export_gold(tmp_path / "x", "deepevl", *whole)
    assert "deepeval" in found.value.mend
    assert set(FORMS) >= {"chroma", "squad", "beir", "ragas", "autorag", "context-grid", "csv", "parquet"}
    words = ["gold", "export", home / "gold.jsonl", "--format", "chroma", "--out", home / "gold.jsonl"]
    assert main([str(word) for word in words]) == 2
    assert "nothing is overwritten" in capsys.readouterr().err
