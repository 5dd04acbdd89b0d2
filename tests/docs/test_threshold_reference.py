"""The keys of [threshold] and of the sections in it are documented with their defaults, and no others."""

import re
import tomllib
from dataclasses import MISSING, fields

import pytest
from tests.docs.runner import ROOT
from tests.docs.test_reference import keys, reference, rows, sections

from evenhand.formats.study_file.panel import JUDGE_KEYS
from evenhand.model.plan.sections import ThresholdPlan

SECTIONS = {
    "`[threshold]`": {
        "system", "grid", "primary", "scope", "k", "min_n", "min_sources", "chunking", "sufficiency", "role", "types",
    },
    "`[threshold.relaxation]`": {"grid", "primary", "reason"},
    "`[threshold.corpus]`": {"words", "documents", "roles", "seal"},
    "`[threshold.arms.CHUNKING]`": {"documents", "name"},
    "`[threshold.typing]`": {"model", "family", "file"},
}  # fmt: skip


@pytest.mark.parametrize("heading", SECTIONS)
def test_keys_are_documented(heading):
    found = sections(reference("study-file.md"))[heading]
    assert set(keys(found)) == SECTIONS[heading]
    source = (ROOT / "src/evenhand/formats/study_file/threshold.py").read_text(encoding="utf-8")
    assert all(f'"{name}"' in source for name in SECTIONS[heading])
    if heading == "`[threshold.typing]`":
        assert all(f"`{name}`" in "\n".join(found) for name in JUDGE_KEYS)


def test_the_reader_takes_no_key_that_is_not_documented():
    source = (ROOT / "src/evenhand/formats/study_file/threshold.py").read_text(encoding="utf-8")
    taken = set(re.findall(r'(?:table\.(?:take|name|texts)|values?)\((?:table, )?"(\w+)"', source))
    assert taken == set().union(*SECTIONS.values())


def test_defaults_are_those_of_the_plan():
    plan = {one.name: one.default for one in fields(ThresholdPlan)}
    for row in rows(sections(reference("study-file.md"))["`[threshold]`"]):
        name, default = re.findall(r"`([^`]+)`", row[0])[0], row[2]
        if plan[name] not in (MISSING, None, (), ""):
            assert tomllib.loads(f"x = {default.strip('`')}")["x"] == plan[name], name
