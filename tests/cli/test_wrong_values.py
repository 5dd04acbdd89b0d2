"""Every wrong value of a section about models: file and line on standard error, exit code 2, no traceback."""

import re

import pytest
from tests.front import evenhand
from tests.miniature import make
from tests.study.panels import SMALL

KEY = "sk-proj-qzCANARYxw123"
ENDPOINT = {"model": '"openai-compatible:m"', "base_url": '"http://127.0.0.1:9/v1"', "key_env": '""'}
DRAFT = {**ENDPOINT, "single": "1"}
# section -> what it holds else, the command, and key -> wrong values
TABLE = {
    "panel": (
        {},
        ("judge", "panel"),
        {
            "sheet": ["3", '"sufficency"', '"none.toml"'],
            "of": ["1", '"poool"', '"threshold"'],
            "systems": ["3", '["bm52"]', "[1]"],
            "depth": ['"3"', "0", "1.5", "true"],
            "votes": ["1", '"votes.csv"'],
            "repeats": ["0", '"x"'],
            "concurrency": ["0", "nan"],
            "budget": ["-1", '"x"', "inf"],
            "deadline": ["0", "[]"],
            "call_timeout": ["0", '"1 s"'],
            "tries": ["0", "2.5"],
            "max_tokens": ["1", '"x"'],
            "seed": ["-1", '"x"'],
            "judge": ["3", "{ a = 1 }"],
            "depht": ["3"],
        },
    ),
    "panel.judge.a": (
        ENDPOINT,
        ("judge", "panel"),
        {
            "model": ["3", '""', '"gpt-4"', '"opnai:x"', '"openai-compatible:"', '":x"', '"recorded:no.jsonl"',
                      '"recorded:"', '"command:no-such-program-here"', '"command:"', '"command:a \'b"',
                      '"python:none_such:thing"', '"python:json:none_such"', '"python:json"'],
            "base_url": ["3", '"localhost:8931"', '"http://"', '"http://[::1"', '"http://h:port/v1"', '"ftp://x"'],
            "key_env": ["3", f'"{KEY}"', '"sk-abc123def"', '"NO_SUCH_VARIABLE_HERE"', '"a key"'],
            "family": ["3"],
            "parameters": ["3", "{ temperature = 1.0 }", '{ models = ["x"] }', "{ n = 2 }"],
            "rung": ["3", '"json"'],
            "price": ["3", "{ input = 1.0 }", "{ input = -1, output = 1 }", "{ input = 1, output = 1, cahced = 1 }",
                      '{ input = "x", output = 1 }'],
            "api_version": ['"2023-06-01"', "1"],
            "bas_url": ['"http://x"'],
        },
    ),
    "calibration": (
        {},
        ("judge", "calibrate"),
        {
            "n": ["0", '"x"'],
            "by": ["1", '"unifrom"'],
            "sample": ["3"],
            "labels": ["3"],
            "yes": ['"x"', "nan"],
            "half_width": ["0", "0.5", '"x"'],
            "trust": ["3", "{ kapa = 0.4 }", '{ kappa = "x" }'],
            "m": ["3"],
        },
    ),
    "draft": (
        DRAFT,
        ("gold", "draft"),
        {
            "model": ["3", '""', '"gpt-4"', '"opnai:x"', '"openai-compatible:"', '"recorded:no.jsonl"',
                      '"command:no-such-program-here"', '"python:none_such:thing"'],
            "base_url": ["3", '"localhost:8931"', '"http://[::1"'],
            "key_env": ["3", f'"{KEY}"', '"NO_SUCH_VARIABLE_HERE"'],
            "parameters": ["3", "{ temperature = 1.0 }"],
            "rung": ['"json"'],
            "price": ["3"],
            "single": ["-1", '"x"'],
            "window": ["0.5", '"x"'],
            "near": ["2", '"x"'],
            "attempts": ["0", '"x"'],
            "concurrency": ["0"],
            "max_tokens": ["1"],
            "embedder": ['"minilmm"', "3"],
            "out": ['"x.csv"', "3"],
            "rejected": ['"x.csv"'],
            "budget": ["-1"],
            "deadline": ["0"],
            "seed": ["-1"],
            "language": ["3"],
            "family": ["3"],
            "singel": ["1"],
        },
    ),
    "stress": (
        {},
        ("judge", "stress"),
        {
            "only": ["3", '["K99"]'],
            "sheets": ["3", '["none"]', '["none.toml"]'],
            "n": ["0", '"x"'],
            "repeats": ["1", '"x"'],
            "yes": ['"x"'],
            "votes": ['"x.csv"', "3"],
            "items": ['"x.csv"'],
            "result": ['"x.csv"'],
            "texts": ['"none.jsonl"', "3"],
            "answers": ['"none.jsonl"'],
            "pairs": ['"none.jsonl"'],
            "onyl": ["3"],
        },
    ),
}  # fmt: skip
CASES = [
    (section, key, value) for section, (*_, keys) in TABLE.items() for key in keys for value in keys[key]
]


def section_of(name, content):
    return f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in content.items())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make(tmp_path_factory.mktemp("wrong") / "s", study=SMALL).parent


@pytest.mark.parametrize(("section", "key", "value"), CASES)
def test_a_wrong_value_is_told_with_file_and_line(section, key, value, folder):
    content, command, _ = TABLE[section]
    told = {"panel": {"depth": "1"}, "panel.judge.a": ENDPOINT}
    told[section] = {**told.get(section, {}), **content, key: value}
    if value.startswith(('"recorded', '"command', '"python')):
        told[section] = {name: told[section][name] for name in told[section] if name in ("model", "single")}
    if section == "panel" and key == "judge":
        del told["panel.judge.a"]
    text = SMALL + "".join(section_of(name, inner) for name, inner in told.items())
    file = folder / "study.toml"
    file.write_text(text)
    line = text[: text.index(f"\n{key} = {value}\n", text.index(f"[{section}]"))].count("\n") + 2
    done = evenhand(*command, file, NO_SUCH="")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    head = next(one for one in done.stderr.splitlines() if one.startswith("evenhand: "))
    begin = text[: text.index(f"[{section}]")].count("\n") + 1
    assert re.search(rf"study\.toml:(?:{line}|{begin}) \[{re.escape(section)}[\].]", head), done.stderr
    assert "mend: " in done.stderr
    for secret in (KEY, "sk-abc123def", "qzCANARYxw"):
        assert secret not in done.stdout + done.stderr
