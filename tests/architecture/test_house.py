"""The rules of the house that no linter knows."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "evenhand"
MODULES = sorted(SOURCE.rglob("*.py"))
CORE = ("text", "model", "stats", "corpus", "gold", "metrics", "labelling", "judge", "gate", "answer")
FORBIDDEN_MODULES = {
    "socket", "subprocess", "time", "datetime", "os", "sys", "shutil", "tempfile", "io", "urllib", "http",
    "httpx2", "requests", "random", "sqlite3", "threading", "multiprocessing", "asyncio", "glob",
}  # fmt: skip
FORBIDDEN_CALLS = {"open", "print", "input", "exec", "eval"}
FORBIDDEN_METHODS = {
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "open",
    "unlink",
    "mkdir",
    "iterdir",
}


def core_modules():
    return [path for path in MODULES if path.relative_to(SOURCE).parts[0] in CORE]


def io_in(tree):
    """What a syntax tree does that the core may not."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names if a.name.split(".")[0] in FORBIDDEN_MODULES]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if (node.module or "").split(".")[0] in FORBIDDEN_MODULES:
                found.append(node.module)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
                found.append(node.func.id)
            if isinstance(node.func, ast.Attribute) and node.func.attr in FORBIDDEN_METHODS:
                found.append(node.func.attr)
    return found


def test_the_core_does_no_input_or_output():
    offences = {str(p.relative_to(SOURCE)): io_in(ast.parse(p.read_text())) for p in core_modules()}
    assert {name: found for name, found in offences.items() if found} == {}


@pytest.mark.parametrize(
    "code",
    ["import os", "from time import sleep", "open('x')", "from pathlib import Path\nPath('x').read_text()"],
)
def test_input_and_output_are_seen_in_a_syntax_tree(code):
    assert io_in(ast.parse(code))


def test_only_cli_prints():
    printing = [
        str(path.relative_to(SOURCE))
        for path in MODULES
        if path.relative_to(SOURCE).parts[0] != "cli"
        and any(
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            for node in ast.walk(ast.parse(path.read_text()))
        )
    ]
    assert printing == []


def test_no_module_has_more_than_400_lines():
    lengths = {str(p.relative_to(SOURCE)): len(p.read_text().splitlines()) for p in MODULES}
    assert {name: n for name, n in lengths.items() if n > 400} == {}


def test_no_folder_has_more_than_20_files():
    files = Counter(str(p.parent.relative_to(SOURCE)) for p in MODULES)
    assert {name: n for name, n in files.items() if n > 20} == {}


# participles and words of housekeeping, of which no stranger can say what is in the file
NO_NAME = {
    "told", "said", "held", "laid", "found", "asked", "taken", "standing", "beside", "apart", "kin", "lying",
    "larder", "shelf", "veil", "purse", "patience", "line", "plain",
}  # fmt: skip


def test_modules_have_the_nouns_of_the_field():
    assert [str(p.relative_to(SOURCE)) for p in MODULES if set(p.stem.split("_")) & NO_NAME] == []


def test_each_package_says_what_lives_there():
    silent = [
        str(p.parent.relative_to(SOURCE))
        for p in MODULES
        if p.name == "__init__.py" and len(ast.get_docstring(ast.parse(p.read_text())) or "") < 20
    ]
    assert silent == []


def loaded_by(statement):
    code = f"import sys; {statement}; print(*sorted(m.split('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HEAVY = {
    "scipy", "polars", "pydantic", "onnxruntime", "onnx", "tokenizers", "bm25s", "Stemmer", "jinja2", "rich",
    "httpx2", "matplotlib", "vl_convert", "trafilatura", "yaml", "rapidfuzz", "numba", "sklearn", "tenacity",
}  # fmt: skip


def test_importing_evenhand_loads_nothing_heavier_than_numpy():
    assert loaded_by("import evenhand") & HEAVY == set()


def test_the_front_door_loads_neither_numpy_nor_anything_heavier():
    assert loaded_by("import evenhand.cli.main") & (HEAVY | {"numpy"}) == set()


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


# written so that this file does not offend against itself
MACHINE = re.compile(
    "|".join(("/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/[a-z]", "/t" + "mp/", "C:\\\\Us" + "ers"))
)
REGISTRY = re.compile("|".join(("py" + "pi\\.org/simple", "files\\.python" + "hosted", "index" + "-url =")))


def test_no_tracked_file_names_a_machine_path_or_a_package_index():
    offences = {}
    for path in tracked():
        text = path.read_bytes().decode("utf-8", "replace")
        found = {hit.group() for pattern in (MACHINE, REGISTRY) for hit in pattern.finditer(text)}
        if found:
            offences[str(path.relative_to(ROOT))] = found
    assert offences == {}


def test_nothing_of_a_run_is_tracked():
    made = [p for p in tracked() if {".evenhand", "results", ".venv", "__pycache__"} & set(p.parts)]
    assert [
        str(p.relative_to(ROOT))
        for p in made
        if not any(kept in str(p) for kept in ("examples/handbook/results", "formats/results"))
    ] == []


def test_the_storeys_are_kept():
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
