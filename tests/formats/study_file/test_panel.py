"""[panel] and [calibration] of a study file."""

import pytest

from evenhand.errors import InputError
from evenhand.formats.study_file.panel import JUDGE_KEYS, SHEETS, sheet_of
from evenhand.formats.study_file.read import read_study
from evenhand.judge.sheets.built_in import SUFFICIENCY
from evenhand.model.plan.sections import CalibrationPlan, PanelPlan

STUDY = """\
[study]
name = "small"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
[chunking.whole]
rule = "document"
[system.bm25]
retriever = "bm25"
"""
JUDGES = """\
[panel.judge.one]
model = "openai:gpt-tiny"
[panel.judge.two]
model = "anthropic:claude-tiny"
family = "claude"
price = { input = 1.0, output = 2.0 }
[panel.judge.three]
model = "openai-compatible:qwen"
base_url = "http://127.0.0.1:9/v1"
key_env = ""
"""


@pytest.fixture
def read(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("A boat floats.")
    (tmp_path / "gold.jsonl").write_text("")

    def reader(text):
        (tmp_path / "study.toml").write_text(STUDY + text)
        return read_study(tmp_path / "study.toml")

    reader.folder = tmp_path
    return reader


def test_judges_by_name_with_what_they_need(read):
    panel = read("[panel]\n" + JUDGES).panel
    assert [judge.name for judge in panel.judges] == ["one", "two", "three"]
    assert panel.judges[1].family == "claude"
    assert panel.judges[1].settings == {"price": {"input": 1.0, "output": 2.0}}
    assert panel.judges[2].settings == {"base_url": "http://127.0.0.1:9/v1", "key_env": ""}
    assert panel == PanelPlan(judges=panel.judges)
    assert read(JUDGES).panel == panel  # [panel] itself may be left out


def test_all_keys(read):
    panel = read(
        '[panel]\nsheet = "contribution"\nof = "pool"\nsystems = ["bm25"]\ndepth = 3\nvotes = "v/votes.jsonl"\n'
        "repeats = 2\nconcurrency = 4\nbudget = 1.5\ndeadline = 60\ncall_timeout = 20\ntries = 2\n"
        "max_tokens = 256\nseed = 7\n" + JUDGES
    ).panel
    assert (panel.sheet, panel.depth, panel.votes, panel.repeats) == ("contribution", 3, "v/votes.jsonl", 2)
    assert (panel.concurrency, panel.budget, panel.deadline) == (4, 1.5, 60)
    assert panel.settings == {
        "systems": ["bm25"], "call_timeout": 20, "tries": 2, "max_tokens": 256, "seed": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told", "mend"),
    [
        ("[panel]\n", "has no judge", "panel.judge.NAME"),
        ("[panel]\nshet = 'x'\n" + JUDGES, "shet: unknown key", "did you mean 'sheet'"),
        ("[panel]\nmodel = 'x'\n" + JUDGES, "model: unknown key", "a model is a judge's"),
        (
            "[panel]\nsheet = 'sufficency'\n" + JUDGES,
            "no sheet on one question",
            "did you mean 'sufficiency'",
        ),
        ("[panel]\nsheet = 'claim'\n" + JUDGES, "no sheet on one question", "use one of"),
        ("[panel]\nsheet = 'mine.toml'\n" + JUDGES, "mine.toml", "check the path"),
        ("[panel]\nof = 'pools'\n" + JUDGES, "'pools', which is not known", "did you mean 'pool'"),
        ("[panel]\nsystems = ['bm52']\n" + JUDGES, "no system 'bm52'", "did you mean 'bm25'"),
        ("[panel]\nrepeats = 0\n" + JUDGES, "expected at least 1", "raise repeats"),
        ("[panel]\nbudget = -1\n" + JUDGES, "expected at least 0", "raise budget"),
        ("[panel]\nvotes = 'votes.csv'\n" + JUDGES, "expected a .jsonl file", "votes.jsonl"),
        ("[panel.judge.one]\nfamily = 'x'\n", "has no model", "provider:name"),
        ("[panel.judge.one]\nmodel = 3\n", "expected a text", "text in quotes"),
        (
            "[panel.judge.one]\nmodel = 'openai:x'\nbaseurl = 'y'\n",
            "baseurl: unknown key",
            "did you mean 'base_url'",
        ),
        (
            "[panel.judge.one]\nmodel = 'recorded:x.jsonl'\nkey_env = 'y'\n",
            "key_env: unknown key",
            "use one of",
        ),
        ("[panel.judge]\none = 'openai:x'\n", "needs a name", "panel.judge.NAME"),
        ("[panel.judge.'a b']\nmodel = 'openai:x'\n", "cannot be a name", "blank"),
        ("[calibration]\nm = 3\n", "m: unknown key", "use one of"),
        ("[calibration]\nby = 'uniformly'\n", "not known", "did you mean 'uniform'"),
        ("[calibration]\nhalf_width = 0.7\n", "below 0.5", "half_width = 0.1"),
        ("[calibration.trust]\nagrement = 0.8\n", "'agrement'", "did you mean 'agreement'"),
        ("[calibration.trust]\nset = 'plan'\n", "set is 'plan'", "did you mean 'plain'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_mend(read, text, told, mend):
    with pytest.raises(InputError) as error:
        read(text)
    assert told in error.value.what
    assert mend in error.value.mend
    assert "study.toml:" in error.value.what


def test_calibration_and_its_defaults(read):
    assert read("[calibration]\n").calibration == CalibrationPlan()
    made = read(
        "[calibration]\nn = 70\nby = 'stratified'\nsample = 's.json'\nhalf_width = 0.05\n"
        "[calibration.trust]\nset = 'plain'\nagreement = 0.75\ndisputed = 0.25\n"
    ).calibration
    assert (made.n, made.by, made.sample, made.half_width) == (70, "stratified", "s.json", 0.05)
    assert made.trust == {"set": "plain", "agreement": 0.75, "disputed": 0.25}


def test_a_guests_settings_are_its_own(read):
    (judge,) = read(
        "[panel.judge.mine]\nmodel = 'python:ours:Judge'\nfamily = 'ours'\nstrict = true\n"
    ).panel.judges
    assert (judge.family, judge.settings) == ("ours", {"strict": True})


def test_sheets_of_a_study_are_about_one_question_and_one_text(tmp_path):
    assert SHEETS == ("sufficiency", "contribution", "relevance")
    from evenhand.formats.labels.sheet import sheet_toml

    (tmp_path / "own.toml").write_text(sheet_toml(SUFFICIENCY))
    assert sheet_of("own.toml", tmp_path).seal == SUFFICIENCY.seal


def test_the_settings_of_a_judge_are_those_that_models_take():
    from evenhand.llm.providers.factory import SETTINGS

    assert {*JUDGE_KEYS, "family"} == set(SETTINGS)
