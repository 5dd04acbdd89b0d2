"""[answers] of a study file, and files of topics."""

import pytest
from tests.formats.study_file.test_panel import STUDY

from evenhand.errors import InputError
from evenhand.formats.study_file.read import read_study
from evenhand.formats.study_file.topics import read_topics
from evenhand.model.plan.sections import AnswersPlan

VOTES = ("answers.votes.jsonl", "answers.votes.faithful.jsonl")
LEAST = '[answers]\nmodel = "ollama:qwen3:8b"\nsystem = "bm25"\n'


@pytest.fixture
def read(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("A boat floats.")
    (tmp_path / "gold.jsonl").write_text("")
    (tmp_path / "topics.toml").write_text('[topic.one]\nask = "Boats"\n')

    def reader(text):
        (tmp_path / "study.toml").write_text(STUDY + text)
        return read_study(tmp_path / "study.toml")

    return reader


def test_the_least_that_must_be_said(read):
    assert read(LEAST).answers == AnswersPlan(model="ollama:qwen3:8b", system="bm25")


def test_a_plan_without_a_model_of_entailment_is_sealed_as_before_there_were_any(read):
    assert "entailment" not in read(LEAST).as_json()["answers"]
    assert read(LEAST + 'entailment = "nli"\n').as_json()["answers"]["entailment"] == "nli"


def test_everything_that_can_be_said(read):
    plan = read(
        """
[answers]
kind = "study-items"
model = "openai-compatible:qwen"
base_url = "http://127.0.0.1:9/v1"
key_env = ""
name = "writer"
system = "bm25"
k = 3
topics = "topics.toml"
multiple_choice = 2
short_answer = 1
language = "German"
also_called = "qwen-2"
budget = 1.5
call_timeout = 30
[answers.checks]
only = ["key-valid", "options-distinct"]
support = 0.6
[answers.panel]
budget = 2.0
[answers.panel.judge.a]
model = "openai:gpt-tiny"
"""
    ).answers
    assert (plan.k, plan.multiple_choice, plan.budget, plan.also_called) == (3, 2, 1.5, ("qwen-2",))
    assert plan.settings == {"base_url": "http://127.0.0.1:9/v1", "key_env": "", "call_timeout": 30}
    assert (plan.only, plan.checks) == (("key-valid", "options-distinct"), {"support": 0.6})
    assert (plan.panel.votes, plan.panel.budget) == ("answers.votes.jsonl", 2.0)
    assert plan.panel.judges[0].name == "a"
    assert plan.files == ["topics.toml", "answers.jsonl", "ratings.jsonl", *VOTES]


@pytest.mark.parametrize(
    ("text", "what", "mend"),
    [
        ("[answers]\nsystem = 'bm25'\n", "says not who answers", "model = "),
        (LEAST + 'from = "a.jsonl"\n', "both a model and from", "model = "),
        ('[answers]\nmodel = "qwen"\nsystem = "bm25"\n', "does not say who serves it", "provider:name"),
        ('[answers]\nmodel = "ollama:q"\n', "says not which system", 'system = "bm25"'),
        (LEAST.replace("bm25", "bm52"), "there is no system 'bm52'", "bm25"),
        (LEAST + 'entailment_label = "LABEL_1"\n', "no model has this label", "entailment = "),
        (
            LEAST + 'entailment = "nli"\n[answers.panel.judge.a]\nmodel = "openai:gpt-tiny"\n',
            "a panel bears out claims already",
            "leave out entailment",
        ),
        (LEAST + "topcis = 'x'\n", "unknown key", "topics"),
        (LEAST + "k = 0\n", "expected at least 1", "raise k"),
        (LEAST + 'kind = "study-item"\n', "not known", "study-items"),
        (LEAST + 'kind = "study-items"\n', "says not what items are written about", "topics.toml"),
        (LEAST + 'topics = "topics.toml"\n', "answers are to the questions", "study-items"),
        (LEAST + 'prompt = "own.txt"\n', "there is no file", "relative"),
        (LEAST + "only = ['key-valid']\n", "unknown key", "[answers.checks]"),
        (LEAST + "[answers.checks]\nonly = ['key-vlaid']\n", "no check 'key-vlaid'", "key-valid"),
        (LEAST + "[answers.checks]\nsuport = 0.5\n", "no setting 'suport'", "support"),
        (LEAST + "[answers.checks]\nsupport = 2\n", "support is 2", "share"),
        (LEAST + "[answers.panel]\n", "the panel has no judge", "[answers.panel.judge.NAME]"),
        (
            LEAST + "[answers.panel]\nsheet = 'x'\n[answers.panel.judge.a]\nmodel = 'ollama:q'\n",
            "unknown key",
            "claim",
        ),
        (
            '[answers]\nfrom = "http://127.0.0.1/x"\nclosed_book = true\n',
            "cannot be asked again",
            "closed_book",
        ),
        ('[answers]\nfrom = "outputs.csv"\n', "expected a .jsonl file", "import"),
        (LEAST + 'out = "answers.json"\n', "expected a .jsonl file", "answers.jsonl"),
        (
            LEAST + 'kind = "study-items"\ntopics = "topics.toml"\nmultiple_choice = 0\nshort_answer = 0\n',
            "no study item",
            "multiple_choice",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_mend(read, text, what, mend):
    with pytest.raises(InputError) as told:
        read(text)
    every = getattr(told.value, "problems", (told.value,))
    assert any(what in one.what and mend in one.mend for one in every), [(o.what, o.mend) for o in every]
    assert "study.toml" in every[0].what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "has no topic"),
        ('[topic.a]\ndocuments = ["x.md"]\n', "says not what is searched for"),
        ('[topic."a b"]\nask = "x"\n', "cannot be a name"),
        ('[topic.a]\nask = "x"\ndocument = "x.md"\n', "unknown key"),
        ('[topics.a]\nask = "x"\n', "unknown section"),
    ],
)
def test_files_of_topics_are_checked(tmp_path, text, what):
    (tmp_path / "topics.toml").write_text(text)
    with pytest.raises(InputError) as told:
        read_topics(tmp_path / "topics.toml")
    assert any(what in one.what for one in getattr(told.value, "problems", (told.value,)))


def test_topics_keep_their_order_and_their_seal_says_every_word(tmp_path):
    file = tmp_path / "topics.toml"
    file.write_text('[topic.b]\nask = "Boats"\ndocuments = ["b.md"]\n[topic.a]\nask = "Anchors"\n')
    topics = read_topics(file)
    assert list(topics.asks) == ["b", "a"]
    assert topics["b"].documents == ("b.md",)
    file.write_text(file.read_text().replace("Anchors", "Anchor"))
    assert read_topics(file).seal != topics.seal
