"""What a section says is known is all that it takes: the keys of the reference, neither more nor fewer."""

import re

import pytest
from tests.docs.test_reference import keys, reference, sections

from evenhand.errors import InputError
from evenhand.formats.study_file.read import read_study

STUDY = {
    "study": 'name = "small"',
    "corpus": 'path = "docs"',
    "gold": 'path = "gold.jsonl"',
    "chunking.whole": 'rule = "document"',
    "system.bm25": 'retriever = "bm25"',
}
JUDGE = 'model = "vllm:x"'
THRESHOLD = 'system = "bm25"\ngrid = [1.0]\nprimary = 1.0'
ANSWERS = 'model = "vllm:x"\nsystem = "bm25"'
MODEL = {"base_url", "key_env", "parameters", "rung", "price", "api_version"}
# section -> how the reference calls it, sections it needs, and what it takes that has a table of its own
CASES = {
    "study": ("[study]", {}, set()),
    "corpus": ("[corpus]", {}, set()),
    "gold": ("[gold]", {}, set()),
    "measure": ("[measure]", {}, set()),
    "compare": ("[compare]", {}, set()),
    "report": ("[report]", {}, set()),
    "panel": ("[panel]", {"panel.judge.a": JUDGE}, {"judge"}),
    "panel.judge.a": ("[panel.judge.NAME]", {"panel.judge.a": JUDGE}, set()),
    "calibration": ("[calibration]", {}, set()),
    "threshold": (
        "[threshold]",
        {"threshold": THRESHOLD},
        {"arms", "corpus", "relaxation", "typing"},
    ),
    "threshold.corpus": ("[threshold.corpus]", {"threshold": THRESHOLD}, set()),
    "threshold.relaxation": ("[threshold.relaxation]", {"threshold": THRESHOLD}, set()),
    "threshold.arms.whole": ("[threshold.arms.CHUNKING]", {"threshold": THRESHOLD}, set()),
    "threshold.typing": (
        "[threshold.typing]",
        {"threshold": THRESHOLD, "threshold.typing": JUDGE},
        MODEL,
    ),
    "stress": ("[stress]", {}, set()),
    "draft": ("[draft]", {"draft": 'model = "vllm:x"\nsingle = 3'}, MODEL),
    "answers": ("[answers]", {"answers": ANSWERS}, MODEL | {"checks", "panel"}),
    "gate": ("[gate]", {"gate": 'rule = "consensus"\nof = ["bm25", "two"]', "system.two": 'retriever = "tfidf"'}, set()),
}  # fmt: skip


def study_of(folder, section, more, line):
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "a.md").write_text("A boat floats.")
    (folder / "gold.jsonl").write_text("")
    told = {**STUDY, **more}
    told[section] = f"{told.get(section, '')}\n{line}"
    file = folder / "study.toml"
    file.write_text("".join(f"[{name}]\n{text}\n" for name, text in told.items()))
    return file


@pytest.mark.parametrize("section", CASES)
def test_the_list_of_what_is_known_is_complete(section, tmp_path):
    heading, more, inner = CASES[section]
    documented = set(keys(sections(reference("study-file.md"))[f"`{heading}`"]))
    file = study_of(tmp_path, section, more, "zzqqxxzzqqxx = 1")
    with pytest.raises(InputError) as told:
        read_study(file)
    (mend,) = [one.mend for one in told.value.problems if "zzqqxx" in one.what]
    assert set(re.fullmatch(r"use one of: (.*)", mend)[1].split(", ")) == documented | inner


def test_a_typo_in_the_panel_is_told_with_its_line_and_the_nearest_key(tmp_path):
    file = study_of(tmp_path, "panel", {"panel.judge.a": JUDGE}, "depht = 3")
    with pytest.raises(InputError, match=r"study.toml:\d+ \[panel\] depht: unknown key") as told:
        read_study(file)
    assert told.value.mend.startswith("did you mean 'depth'?")
