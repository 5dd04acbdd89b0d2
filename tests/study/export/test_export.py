"""A system taken away from its study: the snippet ranks as the study did, alone, and says what was measured."""

import ast
import hashlib
import html
import importlib.util
import json
import shutil
import subprocess
import sys
import tomllib

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests import miniature
from tests.front import evenhand
from tests.study.threshold_study import judged
from tests.web.house import client

import evenhand as eh
from evenhand.errors import InputError
from evenhand.formats.study_file.read import read_study
from evenhand.formats.study_file.toml_writer import toml
from evenhand.store.open import create_store
from evenhand.study.export.export import take

GUEST = """\
[system.ours]
retriever = "python:ourown:Search"
boost = 2.5
[system.old]
run = "old.trec"
chunking = "small"
"""
OURS = '''\
"""The guest's own module."""


class Search:
    def __init__(self, boost=1.0):
        self.boost = boost

    def index(self, units):
        self.units = list(units)

    def search(self, question, k):
        words = set(question.lower().split())
        scored = [(u.id, self.boost * len(words & set(u.text.lower().split()))) for u in self.units]
        return sorted(scored, key=lambda one: (-one[1], one[0]))[:k]
'''
TWO = miniature.STUDY.replace(
    "[system.bm25]", '[chunking.parts]\nrule = "headings"\nlevels = 2\n[system.bm25]\nk1 = 0.9\n'
).replace('fuse = ["bm25", "tfidf"]', 'fuse = ["bm25", "tfidf"]\nweights = [2, 1]\n')  # fmt: skip
GATED = miniature.STUDY + '[gate]\nrule = "consensus"\nof = ["bm25", "tfidf", "current"]\n'
HOSTILE = "a \"\"\" b ''' c\\ \u2028import os\x85\r\n[x]\nos.abort() \x1b[31m {q}"


def ran(folder, text):
    file = miniature.make(folder, study=text)
    (folder / "ourown.py").write_text(OURS, "utf-8")
    questions = [json.loads(line)["id"] for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()]
    unit = eh.chunk(eh.read_corpus(folder / "docs"), eh.Sentences(size=160))[0].id
    (folder / "old.trec").write_text("".join(f"{q} Q0 {unit} 1 1.0 old\n" for q in questions), "utf-8")
    done = evenhand("run", file, "-q")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return ran(tmp_path_factory.mktemp("two") / "s", TWO + GUEST)


@pytest.fixture(scope="module")
def gated(tmp_path_factory):
    return ran(tmp_path_factory.mktemp("gated") / "s", GATED)


def taken(study, system, out):
    done = evenhand("take", study / "results", system, "-o", out)
    assert done.returncode == 0, done.stderr
    return done.stdout


def opened(folder, monkeypatch, *, beside=()):
    """The snippet as a module."""
    for place in beside:
        monkeypatch.syspath_prepend(str(place))
    spec = importlib.util.spec_from_file_location(
        f"taken_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}", folder / "search.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def asked(study):
    rows = [json.loads(line) for line in (study / "gold.jsonl").read_text("utf-8").splitlines()]
    return {row["id"]: row["text"] for row in rows}


def exported(study, system):
    (file,) = (study / "results" / "runs").glob(f"{system.replace('/', '-')}*.parquet")
    frame = pl.read_parquet(file)
    found = {}
    for question, unit, rank, score in frame.select("question", "unit", "rank", "score").iter_rows():
        found.setdefault(question, []).append((unit, score, rank))
    return found


@pytest.mark.parametrize(
    "system", ["bm25/small", "bm25/parts", "tfidf/parts", "both/small", "current/parts", "ours/small"]
)
def test_the_snippet_ranks_as_the_study_did(two, system, tmp_path, monkeypatch):
    out = tmp_path / "away"
    taken(two, system, out)
    module = opened(out, monkeypatch, beside=[two] if system.startswith("ours") else [])
    wanted = exported(two, system)
    questions = {q: text for q, text in asked(two).items() if q in wanted}
    run = module.search(questions, module.units())
    assert {q: [tuple(hit) for hit in run.ranking(q)] for q in questions} == wanted
    assert len(wanted) >= 15
    # and one question asked alone is ranked as it was among the others
    one = next(iter(questions))
    alone = module.search({one: questions[one]}, module.units())
    assert [tuple(hit) for hit in alone.ranking(one)] == wanted[one]


def test_the_study_file_plans_the_same_again(two, tmp_path):
    out = tmp_path / "away"
    taken(two, "current/parts", out)
    again, first = read_study(out / "system.toml"), read_study(two / "study.toml")
    assert [one.name for one in again.systems] == ["bm25", "tfidf", "both", "current"]
    assert list(again.systems) == [
        one for one in first.systems if one.name in ("bm25", "tfidf", "both", "current")
    ]
    assert list(again.chunkings) == [cut for cut in first.chunkings if cut.name == "parts"]
    assert again.measure == first.measure
    assert (again.name, again.seed, again.compare.resamples) == (
        first.name,
        first.seed,
        first.compare.resamples,
    )
    for section in (again.corpus, again.gold):
        assert (out / section["path"]).resolve().is_relative_to(two.resolve())
        assert (out / section["path"]).exists()


def test_what_was_measured_is_that_of_the_report(two, tmp_path):
    out = tmp_path / "away"
    taken(two, "bm25/small", out)
    told = json.loads((out / "measured.json").read_text("utf-8"))
    content = (two / "results" / "report.json").read_bytes()
    report = json.loads(content)
    assert told["study"]["report"] == hashlib.sha256(content).hexdigest()
    assert told["study"]["seals"] == report["repeat"]["seals"]
    assert told["study"]["state"] == "provisional"
    assert told["estimates"] == [row for row in report["estimates"] if row["system"] == "bm25/small"]
    assert told["contrasts"] == [row for row in report["contrasts"] if "bm25/small" in (row["a"], row["b"])]
    for name in ("search.py", "system.toml"):
        text = (out / name).read_text("utf-8")
        for row in (row for row in told["estimates"] if row["low"] is not None):
            assert f"{row['point']:.3f} [{row['low']:.3f}, {row['high']:.3f}] n={row['n']:,}" in text, name
        assert "provisional" in text
        assert "% of the counted units have a label" in text
        assert report["repeat"]["seals"]["plan"] in text


def test_it_runs_on_its_own_and_says_when_the_documents_are_others(two, tmp_path, monkeypatch, capsys):
    out = tmp_path / "away"
    taken(two, "bm25/small", out)
    command = [sys.executable, "search.py", "What does the ferry of Alder cost?"]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1].split()[0] == "1"
    assert "alder.md#" in done.stdout
    assert done.stderr == ""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.md").write_text("Nothing costs anything.", "utf-8")
    module = opened(out, monkeypatch)
    assert len(module.units(tmp_path / "other")) == 1
    assert "not those that were measured" in capsys.readouterr().err
    module.units()
    assert capsys.readouterr().err == ""


def test_a_guest_says_what_must_be_brought(two, tmp_path, monkeypatch):
    out = tmp_path / "away"
    said = taken(two, "ours/parts", out)
    assert "to be brought: Search of the module ourown, where Python finds it" in said
    assert "# To be brought: Search of the module ourown" in (out / "search.py").read_text("utf-8")
    monkeypatch.delitem(sys.modules, "ourown", raising=False)
    with pytest.raises(ModuleNotFoundError, match="ourown"):
        opened(out, monkeypatch)


def test_the_page_of_a_system_holds_the_same_files(two, tmp_path):
    store = create_store(tmp_path / "s.sqlite")
    owner = client(store, "me", "owner", results=[two / "results"])
    base = owner.get("/studies.json").json()["studies"][0]["href"]
    twin = owner.get(f"{base}/take.json", params={"system": "ours/small"}).json()
    made = take(two / "results", "ours/small", out=two / "taken")
    assert twin["files"] == {name: text.decode() for name, text in made.files.items()}
    assert twin["brings"] == list(made.brings)
    page = owner.get(f"{base}/take", params={"system": "ours/small"}).text
    assert html.escape("Search of the module ourown", quote=False) in page
    assert f'href="{base}/take/search.py?system=ours%2Fsmall"' in page
    file = owner.get(f"{base}/take/search.py", params={"system": "ours/small"})
    assert file.content == made.files["search.py"]
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.headers["content-type"] == "text/plain; charset=utf-8"
    assert "file of rankings" in owner.get(f"{base}/take.json", params={"system": "old"}).json()["why"]
    assert owner.get(f"{base}/take", params={"system": "older"}).status_code == 404
    assert owner.get(f"{base}/take/search.py", params={"system": "old"}).status_code == 404
    assert owner.get(f"{base}/take/passwd", params={"system": "ours/small"}).status_code == 404
    assert f'href="{base}/take"' in owner.get(base).text
    store.close()


def test_r25_taking_a_system_imports_nothing_that_lies_near_the_results(two, tmp_path):
    inbox = tmp_path / "inbox"
    shutil.copytree(two / "results", inbox / "a" / "results")
    (inbox / "evil.py").write_text("open('imported', 'w').close()\nSplit = str.split\n", "utf-8")
    text = (two / "study.toml").read_text("utf-8")
    for place in (inbox / "x.toml", inbox / "a" / "study.toml"):
        place.write_text(text + '[chunking.x]\nrule = "python:evil:Split"\n', "utf-8")
        (place.parent / "evil.py").write_text("open('imported', 'w').close()\nSplit = str.split\n", "utf-8")
    done = evenhand("take", inbox / "a" / "results", "bm25/small", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no study file beside" in done.stderr
    evenhand("take", inbox / "a" / "results", "bm25/small", "--study", inbox / "x.toml", cwd=tmp_path)
    assert not list(tmp_path.rglob("imported"))
    assert not [name for name in sys.modules if name == "evil"]


def test_what_cannot_be_taken_is_refused(two, tmp_path):
    def refused(*arguments):
        done = evenhand("take", *arguments)
        assert done.returncode == 2
        return done.stderr

    out = tmp_path / "away"
    assert "file of rankings" in refused(two / "results", "old", "-o", out)
    assert "bm25/small" in refused(two / "results", "bm25/smal", "-o", out)
    assert "random" not in refused(two / "results", "random/small", "-o", out).partition("mend")[2]
    assert not out.exists()
    taken(two, "bm25/small", out)
    assert "is there already" in refused(two / "results", "bm25/small", "-o", out)


def test_a_study_that_has_changed_says_nothing_of_these_results(two, tmp_path):
    changed = tmp_path / "study.toml"
    changed.write_text((two / "study.toml").read_text("utf-8").replace("k1 = 0.9", "k1 = 1.1"), "utf-8")
    for name in ("docs", "gold.jsonl", "old.trec", "ourown.py"):
        (tmp_path / name).symlink_to(two / name)
    with pytest.raises(InputError, match="has changed since"):
        take(two / "results", "bm25/small", out=tmp_path / "away", study=changed)
    (tmp_path / "results").symlink_to(two / "results")
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "report.json").write_bytes((two / "results" / "report.json").read_bytes())
    with pytest.raises(InputError, match="no study file beside"):
        take(alone, "bm25/small", out=tmp_path / "away")


def test_a_gate_goes_along_and_decides_as_it_did(gated, tmp_path, monkeypatch):
    out = tmp_path / "away"
    taken(gated, "current", out)
    assert (out / "gate.json").read_bytes() == (gated / "results" / "gate.json").read_bytes()
    module = opened(out, monkeypatch)
    rows = [
        json.loads(line) for line in (gated / "results" / "decisions.jsonl").read_text("utf-8").splitlines()
    ]
    rows = [row for row in rows if row["rule"] == "consensus"]
    texts = asked(gated)
    made = module.decide({row["question"]: texts[row["question"]] for row in rows}, module.units())
    assert {q: one.top for q, one in made.items()} == {row["question"]: row["top"] for row in rows}
    assert len({one.decision for one in made.values()}) == 2
    assert "answered precision" in (out / "search.py").read_text("utf-8")
    # a system that the gate does not answer with goes alone
    taken(gated, "bm25", tmp_path / "bm25")
    assert sorted(path.name for path in (tmp_path / "bm25").iterdir()) == [
        "measured.json",
        "search.py",
        "system.toml",
    ]


def test_a_threshold_goes_along(tmp_path, monkeypatch):
    file, _ = judged(tmp_path / "s")
    assert evenhand("run", file, "-q").returncode in (0, 1, 4)
    study, out = file.parent, tmp_path / "away"
    said = taken(study, "dense", out)
    assert "to be brought: the embedder designed:Designed" in said
    module = opened(out, monkeypatch, beside=[study])
    assert (module.THRESHOLD, module.K) == (0.4, 5)
    found = module.units()
    one, text = next(iter(asked(study).items()))
    hits = module.search({one: text}, found).ranking(one)
    kept = module.above(hits)
    assert kept == [hit for hit in hits[:5] if hit.score >= 0.4 - 1e-9]
    assert len(module.above(hits, threshold=-1.0)) == 5
    told = json.loads((out / "measured.json").read_text("utf-8"))["threshold"]
    assert told["scope"] == "source"
    assert told["sentences"][0] in (out / "search.py").read_text("utf-8")


def test_hostile_words_stay_words(tmp_path):
    text = miniature.STUDY.replace('name = "miniature"', f"name = {json.dumps(HOSTILE)}").replace(
        "[report]", f"[report]\ndoes_not_claim = [{json.dumps(HOSTILE)}]"
    )
    text = text.replace("[system.bm25]", '[system."bm 25\'s"]').replace(
        '["bm25", "tfidf"]', '["bm 25\'s", "tfidf"]'
    )
    study = ran(tmp_path / "s", text)
    out = tmp_path / "away"
    taken(study, "both", out)
    code = (out / "search.py").read_text("utf-8")
    named = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    assert "os" not in named
    assert "\x1b" not in code
    assert "\u2028" not in code
    assert "s_bm_25_s = " in code or "bm_25_s = " in code
    assert tomllib.loads((out / "system.toml").read_text("utf-8"))["study"]["name"] == HOSTILE


scalars = (
    st.text()
    | st.integers(-(2**60), 2**60)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=5)
names = st.text(min_size=1, max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(names, values | st.dictionaries(names, values, max_size=3), max_size=5),
    st.lists(st.text(), max_size=2),
)
def test_toml_gives_back_what_it_was_given(table, above):
    assert tomllib.loads(toml(table, above=above)) == table
