"""Every command, output, file and example that the documentation shows."""

import contextlib
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tests.docs.runner import MAKE, ROOT, Page, agree, blocks, renewed, run_page, run_pages

PAGES = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))]
BASE = """
[study]
name = "base"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
[chunking.sentences]
rule = "sentences"
size = 800
[system.bm25]
retriever = "bm25"
[system.dense]
retriever = "dense"
[system.tfidf]
retriever = "tfidf"
[system.hybrid]
fuse = ["bm25", "dense"]
[system.current]
rerank = "hybrid"
by = "status"
"""


LEANING = ("there is no ", "has no judge", "says not wh", "has no system")


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def shown(language):
    return [
        pytest.param(page, block, id=f"{page}:{block.first}")
        for page in PAGES
        for block in blocks(text_of(page))
        if block.language == language
    ]


@pytest.mark.parametrize("page", [page for page in run_pages() if page != "README.md"])
def test_a_page_runs_and_prints_what_it_shows(page):
    told = "\n".join(run_page(page).failures)
    assert not told, f"{told}\n\nrefresh it with: python -m tests.docs.runner --update {page}"


def test_every_page_with_commands_is_run():
    with_commands = {
        page
        for page in PAGES
        for block in blocks(text_of(page))
        if block.language == "console" or "run" in block.notes
    }
    assert with_commands == set(run_pages())
    assert len(with_commands) >= 8


@pytest.mark.parametrize(("page", "block"), shown("python"))
def test_python_compiles(page, block):
    compile(block.text, f"{page}:{block.first}", "exec")


@pytest.mark.parametrize(("page", "block"), shown("json"))
def test_json_parses(page, block):
    for line in block.lines:
        if line.strip():
            assert json.loads(line)


@pytest.mark.parametrize(("page", "block"), shown("json"))
def test_questions_are_well_formed(page, block):
    from evenhand.formats.gold.jsonl import parse_lines

    if '"id"' not in block.text:
        return
    questions, findings = parse_lines(block.text, page)
    assert len(questions) == len([line for line in block.lines if line.strip()])
    assert [str(f) for f in findings if f.severity == "error"] == []


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Some words.\n")
    (tmp_path / "gold.jsonl").write_text("{}\n")
    (tmp_path / "judgements.jsonl").write_text("")
    (tmp_path / "ours.trec").write_text("q1 Q0 a 1 1 ours\n")
    for place in (tmp_path.parent, tmp_path):
        if not (place / "examples").exists():
            (place / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    return tmp_path


@pytest.mark.parametrize(("page", "block"), shown("toml"))
def test_study_sections_are_read_and_systems_built(page, block, folder):
    from evenhand.errors import MissingExtra
    from evenhand.formats.study_file.read import read_study
    from evenhand.formats.study_file.toml_reader import Problems
    from evenhand.retrieve.build import build

    given = tomllib.loads(block.text)
    if "topic" in given:
        return  # topics of generated items; the page's study reads them
    if "shared/" in block.text:
        return  # it names collections that may not be there; it is TOML, and its studies have tests of their own
    if "check" in given:
        from evenhand.formats.study_file.check import read_check

        (folder / "check.toml").write_text(block.text, encoding="utf-8")
        assert read_check(folder / "check.toml")[0]["margins"]
        return
    text = block.text
    if "study" not in given:
        base = tomllib.loads(BASE)
        keep = [
            part
            for part in re.split(r"\n(?=\[)", BASE)
            if (name := part.strip().split("\n")[0].strip("[]"))
            and not (name in given or _inside(given, name) or name.split(".")[0] not in base)
        ]
        text = "\n".join([*keep, block.text])
    (folder / "study.toml").write_text(text, encoding="utf-8")
    for one in blocks(text_of(page)):
        if one.language == "python" and one.title:
            (folder / Path(one.title).name).write_text(one.text, encoding="utf-8")
    wrong = "unknown key" if block.title.startswith("wrong/") else ""
    if wrong:
        with pytest.raises(Exception, match="dens"):
            read_study(folder / "study.toml")
        return
    if '"vectors"' in text:  # what the page makes beforehand
        for name in ("units", "questions"):
            np.save(folder / f"{name}.npy", np.ones((2, 2), dtype=np.float32))
    plan, left = None, ()
    try:
        plan = read_study(folder / "study.toml")
    except Problems as error:  # a part of a study may lean on what the page shows elsewhere
        left = [one.what for one in error.problems if not any(words in one.what for words in LEANING)]
    assert not left
    assert plan is not None or "study" not in given
    for system in plan.systems if plan is not None else ():
        if system.kind == "run" or "python:" in f"{system.what} {dict(system.settings)}":
            continue
        # torch, usearch and some databases' clients are extras that the lock leaves out
        with contextlib.suppress(MissingExtra) if page_extras(system) else contextlib.nullcontext():
            build(system, base_folder=folder)


def page_extras(system):
    torch = ("sentence-transformers", "cross-encoder")
    if {system.what, system.settings.get("embedder")} & set(torch):
        return "torch"
    if system.what in ("lancedb", "elasticsearch", "opensearch"):
        return system.what
    return "approximate" if system.settings.get("index") == "hnsw" else ""


def _inside(given, name):
    here = given
    for part in name.split("."):
        if not isinstance(here, dict) or part not in here:
            return False
        here = here[part]
    return True


def test_commands_that_are_shown_and_not_run_exist():
    import tomllib as toml

    project = toml.loads((ROOT / "pyproject.toml").read_text())["project"]
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    seen = 0
    for page in PAGES:
        for block in blocks(text_of(page)):
            for line in block.lines if block.language in ("sh", "console") else ():
                command = line.removeprefix("$ ").split("#")[0].strip()
                if command.startswith("make "):
                    assert command.split()[1] in targets, f"{page}: {line}"
                    seen += 1
                elif command.startswith(
                    "evenhand serve "
                ):  # runs until it is stopped: its options must exist
                    known = text_of("docs/reference/cli.md").split("## evenhand serve")[1].split("\n## ")[0]
                    for option in re.findall(r"--[a-z-]+", command):
                        assert f"`{option}`" in known, f"{page}: {option}"
                    seen += 1
                elif command.startswith("evenhand ") and block.language == "sh":
                    # needs a key, a person or somebody else's file: command and options must exist
                    words = [
                        w for w in command.split() if re.fullmatch(r"[a-z-]+", w) and not w.startswith("-")
                    ]
                    heads = [f"## {' '.join(words[:n])}\n" for n in (3, 2)]
                    page_ = text_of("docs/reference/cli.md")
                    head = next((h for h in heads if f"\n{h}" in page_), None)
                    assert head, f"{page}: {line}"
                    known = page_.split(f"\n{head}")[1].split("\n## ")[0]
                    for option in re.findall(r"(?<= )--[a-z-]+", command):
                        assert f"`{option}`" in known, f"{page}: {option}"
                    seen += 1
                elif block.language == "sh" and command.startswith("curl "):
                    # of the server while it runs: what is asked for must be in its description
                    [path] = re.findall(r"http://127\.0\.0\.1:8765(/\S+?)\"", command)
                    api = text_of("docs/reference/api.md")
                    assert f"GET {path}`" in api or path == "/j/TOKEN", f"{page}: {path}"
                    seen += 1
                elif block.language == "sh" and command:
                    assert command.startswith("pip install "), f"{page}: {line!r} is neither run nor known"
                    for extras in re.findall(r"\[([a-z,]+)\]", command):
                        assert set(extras.split(",")) <= set(project["optional-dependencies"]), (
                            f"{page}: {line}"
                        )
                    seen += 1
    assert seen >= 4


def test_make_demo_is_the_command_that_is_run_for_it():
    recipe = (ROOT / "Makefile").read_text().split("\ndemo: setup\n")[1].split("\n")[0].strip()
    assert recipe.replace("$(BIN)/", "") == MAKE["make demo"]


def test_make_targets_in_prose_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for page in PAGES:
        for target in re.findall(r"`make ([a-z-]+)`", text_of(page)):
            assert target in targets, f"{page}: make {target}"


@pytest.mark.parametrize(
    ("output", "got", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a", "c"], False),
        (["a"], ["a", "b"], False),
        (["a", "…"], ["a", "b", "c"], True),
        (["a", "…", "c"], ["a", "b", "c"], True),
        (["a", "…", "d"], ["a", "b", "c"], False),
        (["a", "…", "c", "…", "e"], ["a", "b", "c", "d", "e"], True),
        (["a", "…", "x", "…", "e"], ["a", "b", "c", "d", "e"], False),
        (["took 1.2 s"], ["took 7 s"], True),
        ([], ["a"], False),
    ],
)
def test_outputs_agree_or_not(output, got, same):
    assert agree(output, got) is same


def test_an_output_is_renewed_as_far_as_it_was_shown():
    got = ["one 1", "two 2", "the verdict 3", "four 4", "path"]
    assert renewed(["one 0", "…", "the verdict 0", "…", "path"], got) == [
        "one 1",
        "…",
        "the verdict 3",
        "…",
        "path",
    ]
    assert renewed([], got) == got


def page(tmp_path, text):
    made = Page("made-up.md", tmp_path, text)
    return made, made.go()


def test_a_wrong_output_fails_and_is_put_right(tmp_path):
    made, text = page(tmp_path, "```console\n$ echo right\nwrong\n```\n")
    assert len(made.failures) == 1
    assert text == "```console\n$ echo right\nright\n```\n"


def test_a_command_that_fails_without_saying_so_fails(tmp_path):
    assert page(tmp_path, "```console\n$ false\n```\n")[0].failures
    assert not page(tmp_path, "```console\n$ false\n$ echo $?\n1\n```\n")[0].failures


def test_files_are_written_and_python_is_run(tmp_path):
    text = (
        '```text title="a.txt"\nhello\n```\n\n<!-- run -->\n```python\nfrom pathlib import Path\n\nprint(Path("a.txt").read_text().strip())\n```\n\n'
        "```text\n{}\n```\n"
    )
    assert not page(tmp_path, text.format("hello"))[0].failures
    assert page(tmp_path, text.format("goodbye"))[0].failures
