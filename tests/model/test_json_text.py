"""Everything that comes from outside as JSON or TOML is read by one guarded reader."""

import ast
from pathlib import Path

import pytest

import evenhand
from evenhand.model.json_text import deep_line, loads, toml_loads

SOURCES = Path(evenhand.__file__).parent
HOME = SOURCES / "model" / "json_text.py"
READERS = {("json", "loads"), ("json", "load"), ("tomllib", "loads"), ("tomllib", "load")}


def test_no_other_module_reads_json_or_toml_by_itself():
    found = []
    for file in sorted(SOURCES.rglob("*.py")):
        if file == HOME:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = (node.value.id, node.attr)
            elif isinstance(node, ast.ImportFrom):
                name = next(
                    ((node.module, one.name) for one in node.names if (node.module, one.name) in READERS),
                    None,
                )
            else:
                continue
            if name in READERS:
                found.append(f"{file.relative_to(SOURCES)}:{node.lineno}")
    assert found == []


@pytest.mark.parametrize("sign", ["[", '{"a":'])
def test_nesting_without_end_is_a_value_error_with_its_line(sign):
    for text in ("\n\n" + sign * 100_000, ("\n\n" + sign * 100_000).encode()):
        with pytest.raises(ValueError, match="nested too deeply from line 3 on"):
            loads(text)


def test_nested_toml_is_a_value_error_with_its_line():
    with pytest.raises(ValueError, match="line 2"):
        toml_loads("a = 1\nb = " + "[" * 100_000)


def test_brackets_that_close_again_are_not_deep():
    assert deep_line("[]" * 1000 + "\n" + "[" * 101) == 2
