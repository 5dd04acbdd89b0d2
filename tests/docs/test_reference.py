"""Nothing that the program knows is missing from the reference, and the reference knows nothing else."""

import ast
import re
import tomllib
from dataclasses import MISSING, fields

import pytest
from tests.docs import api_reference, cli_reference, metrics_reference
from tests.docs.runner import ROOT

REFERENCE = ROOT / "docs" / "reference"
STALE = "make it anew with: python -m tests.docs.runner --update"


def reference(name):
    return (REFERENCE / name).read_text(encoding="utf-8")


def sections(text):
    """Heading to what stands under it, up to the next heading of any level; headings in code left out."""
    found, name, code = {}, "", False
    for line in text.split("\n"):
        code ^= line.startswith("```")
        if not code and line.startswith("#"):
            name = line.lstrip("#").strip()
            found[name] = []
        elif name:
            found[name].append(line)
    return found


def rows(lines):
    """Cells of each row of the tables in *lines*, heads left out."""
    table = [line for line in lines if line.startswith("|") and not re.match(r"\|[-| ]+\|$", line)]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in table][1:]


def keys(lines):
    return [re.findall(r"`([^`]+)`", row[0])[0] for row in rows(lines) if "`" in row[0]]


# --- command line -----------------------------------------------------------------------------------------


def test_the_command_line_reference_is_the_one_the_commands_make():
    assert reference("cli.md") == cli_reference.render(), STALE


def test_the_reference_of_the_server_is_the_one_it_gives_itself():
    assert reference("api.md") == api_reference.render(), STALE


def test_every_command_and_option_is_documented():
    text = sections(reference("cli.md"))
    commands = list(cli_reference.commands(cli_reference.front()))
    assert len(commands) >= 7
    for path, node in commands:
        body = "\n".join(text[" ".join(path)])
        arguments, options = cli_reference.parameters(node)
        for one in (*arguments, *options):
            for name in one.opts if one in options else [cli_reference.metavar(one)]:
                assert f"`{name}`" in body, f"{' '.join(path)}: {name}"
            assert one.help, f"{' '.join(path)}: {one.name} has no help"


# --- metrics ----------------------------------------------------------------------------------------------


def test_the_catalogue_of_metrics_is_the_one_the_code_makes():
    text = reference("metrics.md")
    assert text == metrics_reference.render(text), STALE


def test_every_metric_is_documented_with_formula_and_source():
    from evenhand.metrics.catalogue.registry import CATALOGUE

    found = sections(reference("metrics.md"))
    assert len(CATALOGUE) >= 20
    for name, kind in CATALOGUE.items():
        body = "\n".join(found[name])
        assert kind.source.split(" ")[0] in body
        for parameter in kind.params:
            assert f"`{parameter}`" in body


def test_every_metric_has_its_page_and_every_page_a_metric():
    from evenhand.metrics.catalogue.documentation import PAGES
    from evenhand.metrics.catalogue.registry import CATALOGUE

    assert set(PAGES) == set(CATALOGUE)
    for name, page in PAGES.items():
        assert page.formula, name
        assert page.misleads, name
        for tool, difference in page.elsewhere:
            assert tool, name
            assert difference, name


def test_metric_names_in_prose_are_metrics():
    from evenhand.metrics.catalogue.names import parse

    head = reference("metrics.md").split(metrics_reference.BEGIN)[0]
    named = set(re.findall(r"`([A-Za-z_0-9]+(?:\([^)`]*\))?@[0-9]+(?:tokens)?)`", head))
    assert len(named) >= 10
    for name in named:
        parse(name)


# --- study file -------------------------------------------------------------------------------------------


def keys_in_code():
    """The keys that the reader of study files takes, by the function that takes them."""
    tree = ast.parse((ROOT / "src/evenhand/formats/study_file/read.py").read_text())
    found = {}
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        taken = found.setdefault(function.name, set())
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                first = node.args[0]
                if (node.func.attr in ("take", "texts", "name") and isinstance(first, ast.Constant)) or (
                    node.func.attr == "get" and getattr(node.func.value, "attr", "") == "content"
                ):
                    taken.add(first.value)
            elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple):
                taken |= {c.value for c in node.iter.elts if isinstance(c, ast.Constant)}
    return found


@pytest.mark.parametrize(
    ("section", "function"),
    [
        ("`[study]`", "read_study"),
        ("`[corpus]`", "_corpus"),
        ("`[gold]`", "_gold"),
        ("`[chunking.NAME]`", "_chunkings"),
        ("`[measure]`", "_measure"),
        ("`[compare]`", "_compare"),
        ("`[report]`", "_report"),
    ],
)
def test_every_key_of_a_section_is_documented_and_no_other(section, function):
    taken = keys_in_code()[function]
    assert taken
    assert set(keys(sections(reference("study-file.md"))[section])) == taken


@pytest.mark.parametrize(
    ("heading", "module", "kind", "elsewhere"),
    [
        (
            "`[panel]`",
            "study_file.panel",
            "PanelPlan",
            {"systems", "call_timeout", "tries", "max_tokens", "prompt", "seed"},
        ),
        ("`[calibration]`", "study_file.calibration", "CalibrationPlan", set()),
        ("`[stress]`", "study_file.stress", "StressPlan", set()),
        ("`[draft]`", "study_file.draft", "DraftPlan", set()),
    ],
)
def test_keys_of_a_panel_are_documented_with_their_defaults(heading, module, kind, elsewhere):
    from importlib import import_module

    from evenhand.model.plan import sections as analysis

    source = (ROOT / f"src/evenhand/formats/{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    assert import_module(f"evenhand.formats.{module}").read
    plan = {f.name: f for f in fields(getattr(analysis, kind))}
    said = {
        re.findall(r"`([^`]+)`", row[0])[0]: row[2]
        for row in rows(sections(reference("study-file.md"))[heading])
    }
    assert set(said) == (set(plan) - {"judges", "settings"}) | elsewhere
    for name, default in said.items():
        assert f'"{name}"' in source, name
        if name in plan and plan[name].default not in (MISSING, None, (), ""):
            assert tomllib.loads(f"x = {default.strip('`')}")["x"] == plan[name].default, name


def test_keys_of_answers_are_documented_with_their_defaults():
    from evenhand.model.plan.sections import AnswersPlan

    plan = {("from" if f.name == "source" else f.name): f.default for f in fields(AnswersPlan)}
    source = (ROOT / "src/evenhand/formats/study_file/answers.py").read_text(encoding="utf-8")
    text = sections(reference("study-file.md"))
    said = {re.findall(r"`([^`]+)`", row[0])[0]: row[2] for row in rows(text["`[answers]`"])}
    own = set(plan) - {"settings", "only", "checks", "panel"}
    assert set(said) == own | {"call_timeout", "tries"}
    assert {"`[answers.checks]`", "`[answers.panel]`"} <= set(text)
    for name, default in said.items():
        assert f'"{name}"' in source, name
        if name in plan and plan[name] not in (MISSING, None, (), "", 0):
            assert tomllib.loads(f"x = {default.strip('`')}")["x"] == plan[name], name


def test_keys_of_a_judge_are_documented():
    from evenhand.formats.study_file.panel import JUDGE_KEYS, LIMIT

    found = sections(reference("study-file.md"))["`[panel.judge.NAME]`"]
    assert set(keys(found)) == {"model", "family", LIMIT, *JUDGE_KEYS}


def test_every_key_of_systems_is_documented_and_no_other():
    from evenhand.formats.study_file.read import MADE_OF

    found, code = sections(reference("study-file.md")), keys_in_code()
    assert set(keys(found["`[system.NAME]`"])) == {*MADE_OF, "chunking"}
    assert code["_systems"] == {"chunking"}
    for kind, function in (("fuse", "_fuse"), ("rerank", "_rerank"), ("run", "_run")):
        extra = {"options"} if kind == "rerank" else set()
        assert set(keys(found[f"`{kind}`"])) == (code[function] - {kind}) | extra, kind


def test_every_section_is_documented():
    from evenhand.formats.study_file.read import SECTIONS
    from evenhand.formats.study_file.sections import ANALYSES

    found = sections(reference("study-file.md"))
    for name in (*SECTIONS, *ANALYSES):
        assert any(head.startswith((f"`[{name}]`", f"`[{name}.")) for head in found), name


def kinds():
    """Heading of the reference, and the record whose fields are its keys."""
    from evenhand.corpus.chunking_config import RULES
    from evenhand.llm import Embeddings
    from evenhand.retrieve import null
    from evenhand.retrieve.dense import dense
    from evenhand.retrieve.guests import remote
    from evenhand.retrieve.indexes.elasticsearch import Elasticsearch
    from evenhand.retrieve.indexes.index import Index
    from evenhand.retrieve.indexes.lancedb import LanceDB
    from evenhand.retrieve.indexes.opensearch import OpenSearch
    from evenhand.retrieve.indexes.pgvector import PgVector
    from evenhand.retrieve.indexes.qdrant import Qdrant
    from evenhand.retrieve.lexical import bm25, tfidf
    from evenhand.retrieve.models import minilm, onnx_cross_encoder, sentence_transformer
    from evenhand.retrieve.vectors import precomputed

    yield from ((f'`rule = "{name}"`', kind, ()) for name, kind in RULES.items())
    yield '`retriever = "bm25"`', bm25.BM25, ()
    yield '`retriever = "tfidf"`', tfidf.TFIDF, ()
    yield '`retriever = "dense"`', dense.Dense, ()
    yield '`retriever = "vectors"`', precomputed.Vectors, ()
    own = tuple(f.name for f in fields(Index))
    yield "Databases", Index, ()
    yield '`retriever = "qdrant"`', Qdrant, own
    yield '`retriever = "pgvector"`', PgVector, own
    yield '`retriever = "lancedb"`', LanceDB, own
    yield '`retriever = "elasticsearch"` and `"opensearch"`', Elasticsearch, own
    yield '`retriever = "elasticsearch"` and `"opensearch"`', OpenSearch, own
    yield '`retriever = "random"`', null.Random, ()
    yield '`retriever = "http://…"`', remote.Endpoint, ("url",)
    yield '`embedder = "minilm"`', minilm.MiniLM, ()
    yield '`embedder = "openai"`', Embeddings, ()
    yield '`embedder = "sentence-transformers"`', sentence_transformer.SentenceTransformer, ()
    yield "`by` a folder", onnx_cross_encoder.CrossEncoder, ("path",)
    yield '`by = "cross-encoder"`', sentence_transformer.CrossEncoder, ()


@pytest.mark.parametrize(("heading", "kind", "hidden"), list(kinds()), ids=lambda value: str(value)[:40])
def test_settings_are_documented_with_their_defaults(heading, kind, hidden):
    documented = {
        re.findall(r"`([^`]+)`", row[0])[0]: row[2]
        for row in rows(sections(reference("study-file.md"))[heading])
    }
    known = {f.name: f for f in fields(kind) if f.name not in ("name", *hidden)}
    assert set(documented) == set(known)
    for name, field in known.items():
        default = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        said = documented[name]
        if default is MISSING:
            assert said == "required", name
        elif default is None:
            assert said == "none", name
        else:
            value = tomllib.loads(f"x = {said.strip('`')}")["x"]
            assert value == (list(default) if isinstance(default, tuple) else default), name


def test_defaults_of_the_plan_are_the_documented_ones():
    from evenhand.model.plan.study import Compare, MeasurePlan, Plan

    found = sections(reference("study-file.md"))
    for section, kind, names in (
        ("`[study]`", Plan, ("seed",)),
        ("`[measure]`", MeasurePlan, ("primary", "slices", "depth")),
        ("`[compare]`", Compare, ("pairs", "adjust", "level", "resamples", "signs")),
    ):
        said = {re.findall(r"`([^`]+)`", row[0])[0]: row[2].strip("`") for row in rows(found[section])}
        defaults = {f.name: f.default for f in fields(kind)}
        for name in names:
            default = defaults[name]
            value = tomllib.loads(f"x = {said[name]}")["x"]
            assert value == (list(default) if isinstance(default, tuple) else default), name


def test_built_in_names_are_documented():
    from evenhand.plugins import BUILT_IN

    text = reference("study-file.md")
    for kind, names in BUILT_IN.items():
        for name in names:
            if (kind, name) != ("reranker", "onnx"):  # called by its folder
                assert f"`{name}`" in text or f'"{name}"' in text, f"{kind} {name}"


def test_formats_of_corpus_and_gold_are_documented():
    from evenhand.formats.corpus.read import _SUFFIXES
    from evenhand.formats.gold.gold_set import FORMATS

    found = sections(reference("study-file.md"))
    for section, names in (("`[corpus]`", _SUFFIXES), ("`[gold]`", FORMATS)):
        row = next(row for row in rows(found[section]) if row[0] == "`format`")
        assert set(re.findall(r"`(\w+)`", row[3])) == set(names)


# --- gold set, report, errors, python, extras -------------------------------------------------------------


def test_every_key_of_a_question_is_documented():
    from evenhand.formats.gold import jsonl

    source = (ROOT / "src/evenhand/formats/gold/fields.py").read_text() + (
        ROOT / "src/evenhand/formats/gold/jsonl.py"
    ).read_text()
    documented = set(keys(sections(reference("gold-set.md"))["Gold set"]))
    for key in documented:
        assert f'"{key.split(".")[-1]}"' in source, key
    assert jsonl.__doc__
    example = next(line for line in reference("gold-set.md").split("\n") if line.startswith('{"id"'))
    import json

    assert set(json.loads(example)) <= documented


def test_every_key_of_the_report_is_documented():
    from evenhand.report.schema.whole_report import ContrastRow, EstimateRow, Report

    found = sections(reference("report.md"))

    def named(section):
        return {name for row in rows(found[section]) for name in re.findall(r"`([^`]+)`", row[0])}

    assert named("report.json") == set(Report.model_fields)
    assert named("An estimate") | {"system", "metric"} == set(EstimateRow.model_fields)
    assert named("A contrast") | {"seed", "resamples", "n", "undefined", "reason"} == set(
        ContrastRow.model_fields
    )


def test_every_error_and_exit_code_is_documented():
    from evenhand import errors
    from evenhand.cli.main import INTERRUPTED, UNEXPECTED

    found = sections(reference("errors.md"))
    classes = {re.findall(r"`(\w+)`", row[0])[0]: int(row[1]) for row in rows(found["Errors in Python"])}
    known = {
        name: thing.exit_code
        for name in errors.__all__
        if isinstance(thing := getattr(errors, name), type) and issubclass(thing, errors.EvenhandError)
    }
    assert classes == known
    codes = {int(row[0]) for row in rows(found["Exit codes"])}
    assert codes == {0, 1, *known.values(), UNEXPECTED, INTERRUPTED}


def test_every_public_name_is_in_the_python_reference():
    import evenhand

    text = reference("python.md")
    named = set(re.findall(r"^::: evenhand\.(\w+)$", text, flags=re.MULTILINE))
    assert named == set(evenhand.__all__) - {"__version__"}
    assert "`evenhand.__version__`" in text


def test_every_extra_is_documented_with_what_it_brings():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = sections((ROOT / "docs" / "install.md").read_text(encoding="utf-8"))
    documented = {
        re.findall(r"`([\w-]+)`", row[0])[0]: set(row[2].split(", ")) for row in rows(page["Extras"])
    }
    expected = {
        name: {re.split(r"[\[<>=;! ]", package)[0] for package in packages}
        for name, packages in project["optional-dependencies"].items()
    }
    assert documented == expected


def test_words_of_the_glossary_that_code_uses_are_in_the_glossary():
    text = reference("glossary.md")
    for word in (
        "unit",
        "chunking",
        "nugget",
        "cluster",
        "contrast",
        "standing",
        "in play",
        "unreachable",
        "seal",
    ):
        assert f"**{word}**" in text, word
