"""Study files: what is read, and what is said of what cannot be read."""

import pytest

from evenhand.errors import InputError
from evenhand.formats.study_file.read import read_study

BASE = """
[study]
name = "mini"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
[chunking.whole]
rule = "document"
[system.bm25]
retriever = "bm25"
"""


@pytest.fixture
def write(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "gold.jsonl").write_text("")

    def put(more="", *, base=BASE):
        file = tmp_path / "study.toml"
        file.write_text(base + more, encoding="utf-8")
        return file

    return put


def refused(file):
    with pytest.raises(InputError) as caught:
        read_study(file)
    return getattr(caught.value, "problems", (caught.value,))


def test_what_is_not_written_has_the_documented_default(write):
    plan = read_study(write())
    assert (plan.name, plan.seed) == ("mini", 20241009)
    assert (plan.measure.primary, plan.measure.depth) == ("nDCG@10", 100)
    assert (plan.compare.pairs, plan.compare.adjust, plan.compare.level) == ("all", "holm", 0.95)
    assert (plan.compare.resamples, plan.compare.signs) == (10_000, 20_000)


def test_all_four_ways_to_make_a_system_are_read(write, tmp_path):
    (tmp_path / "ours.trec").write_text("")
    plan = read_study(
        write("""
[system.tfidf]
retriever = "tfidf"
[system.hybrid]
fuse = ["bm25", "tfidf"]
weights = [2, 1]
[system.current]
rerank = "hybrid"
[system.ours]
run = "ours.trec"
""")
    )
    made = {system.name: system for system in plan.systems}
    assert made["hybrid"].of == ("bm25", "tfidf")
    assert made["hybrid"].settings == {"method": "rrf", "k": 60, "weights": [2.0, 1.0]}
    assert (made["current"].kind, made["current"].what, made["current"].of) == (
        "rerank",
        "status",
        ("hybrid",),
    )
    assert (made["ours"].kind, made["ours"].what) == ("run", "ours.trec")


def test_settings_of_a_retriever_are_passed_on(write):
    plan = read_study(write('[system.other]\nretriever = "bm25"\nk1 = 0.9\n'))
    assert plan.systems[1].settings == {"k1": 0.9}


def test_metric_names_are_read_in_any_spelling_and_kept_in_one(write):
    plan = read_study(write('[measure]\nprimary = "ndcg_cut_10"\nsecondary = ["P_5", "nDCG@10"]\n'))
    assert plan.measure.primary == "nDCG@10"
    assert plan.measure.secondary == ("P@5",)


def test_the_same_file_gives_the_same_seal_and_a_changed_one_another(write):
    seal = read_study(write()).seal
    assert read_study(write()).seal == seal
    assert read_study(write("[measure]\ndepth = 50\n")).seal != seal


WRONG = {
    "an unknown key": ("[measure]\nprimry = 'nDCG@10'\n", "primry: unknown key", "did you mean 'primary'"),
    "an unknown section": ("[mesure]\nx = 1\n", "unknown section", "did you mean 'measure'"),
    "a section that nobody knows": ("[treshold]\nk = 5\n", "unknown section", "did you mean 'threshold'"),
    "a text for a number": ("[measure]\ndepth = 'ten'\n", "found 'ten', expected a whole number", "depth"),
    "true for a number": ("[measure]\ndepth = true\n", "found True, expected a whole number", "depth"),
    "a depth of nothing": ("[measure]\ndepth = 0\n", "found 0, expected at least 1", "depth"),
    "a metric nobody knows": ("[measure]\nprimary = 'nDGC@10'\n", "no metric is called 'nDGC'", "nDCG"),
    "a cutoff of nothing": ("[measure]\nprimary = 'nDCG@0'\n", "cutoff 0", "at least 1"),
    "a metric deeper than the runs": (
        "[measure]\nprimary = 'R@50'\ndepth = 10\n",
        "runs end at 10",
        "depth = 50",
    ),
    "k of nothing": (
        "[system.h]\nfuse = ['bm25', 'g']\nk = 0\n[system.g]\nretriever = 'tfidf'\n",
        "found 0",
        "k",
    ),
    "an unknown system in fuse": (
        "[system.h]\nfuse = ['bm25', 'bm52']\n",
        "no system 'bm52'",
        "did you mean 'bm25'",
    ),
    "one system to fuse": ("[system.h]\nfuse = ['bm25']\n", "found 1 system", "fused"),
    "a system fused with itself": ("[system.h]\nfuse = ['bm25', 'bm25']\n", "twice", "weight"),
    "an unknown system in rerank": (
        "[system.h]\nrerank = 'bm26'\n",
        "no system 'bm26'",
        "did you mean 'bm25'",
    ),
    "a ring": (
        "[system.a]\nfuse = ['bm25', 'b']\n[system.b]\nrerank = 'a'\n",
        "is made from itself: a → b → a",
        "do not need it",
    ),
    "a system made in two ways": (
        "[system.h]\nretriever = 'bm25'\nrerank = 'bm25'\n",
        "made in 2 ways",
        "one of",
    ),
    "a misspelt way to make a system": (
        "[system.h]\nretreiver = 'bm25'\n",
        "retreiver: unknown key",
        "did you mean 'retriever'",
    ),
    "a number that is none": (
        "[system.h]\nretriever = 'bm25'\nk1 = nan\n",
        "k1: found nan, expected a finite number",
        "digits",
    ),
    "an endless number in a table": (
        "[system.h]\nretriever = 'dense'\noptions = { x = [inf] }\n",
        "expected a finite number",
        "digits",
    ),
    "a system made in no way": ("[system.h]\nk1 = 2\n", "says not what it is", "one of"),
    "weights that do not fit": (
        "[system.g]\nretriever = 'tfidf'\n[system.h]\nfuse = ['bm25', 'g']\nweights = [1]\n",
        "found 1 for 2 systems",
        "one weight",
    ),
    "an unknown rule": (
        "[chunking.x]\nrule = 'sentence'\n",
        "is called 'sentence'",
        "did you mean 'sentences'",
    ),
    "a setting a rule has not": (
        "[chunking.x]\nrule = 'fixed'\nsize = 9\nsizes = 1\n",
        "no setting 'sizes'",
        "did you mean 'size'",
    ),
    "an overlap as large as the size": (
        "[chunking.x]\nrule = 'fixed'\nsize = 9\noverlap = 9\n",
        "overlap = 9 is not smaller",
        "overlap",
    ),
    "an unknown chunking": (
        "[system.h]\nretriever = 'bm25'\nchunking = 'hole'\n",
        "no chunking 'hole'",
        "whole",
    ),
    "a format for a run file, which is told by content": (
        "[system.h]\nrun = 'study.toml'\nformat = 'trec'\n",
        "format: unknown key",
        "run",
    ),
    "a run file that is not there": ("[system.h]\nrun = 'no.trec'\n", "there is no file", "relative"),
    "an unknown null system": ("[compare]\nnull = ['randm']\n", "no null system 'randm'", "random"),
    "a level above one": ("[compare]\nlevel = 95\n", "found 95", "level = 0.95"),
    "a pair with itself": ("[compare]\npairs = [['bm25', 'bm25']]\n", "with itself", "two different"),
    "pairs that are none": ("[compare]\npairs = 'some'\n", "found 'some'", 'pairs = "all"'),
    "a name with a slash": ("[system.'a/b']\nretriever = 'bm25'\n", "cannot be a name", "'/'"),
    "names that differ by capitals": (
        "[system.BM25]\nretriever = 'bm25'\n",
        "only by capitals",
        "another name",
    ),
}


@pytest.mark.parametrize(("more", "what", "mend"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_file_section_found_and_mend(write, more, what, mend):
    file = write(more)
    problems = refused(file)
    assert len(problems) == 1, [p.what for p in problems]
    assert str(file) in problems[0].what
    assert what in problems[0].what
    assert mend in problems[0].mend
    assert "\n" not in problems[0].what + problems[0].mend


def test_the_line_of_a_wrong_key_is_named(write):
    file = write("[measure]\nprimary = 'nDCG@10'\ndepht = 5\n")
    line = file.read_text().splitlines().index("depht = 5") + 1
    assert f"{file}:{line} [measure] depht" in refused(file)[0].what


def test_all_problems_of_a_file_are_told_at_once(write):
    problems = refused(write("[measure]\ndepth = 0\n[compare]\nlevel = 2\n[gate]\nrule = 'x'\n"))
    assert len(problems) == 3


@pytest.mark.parametrize(
    "gone", ['[study]\nname = "mini"', 'path = "docs"', 'path = "gold.jsonl"', 'rule = "document"']
)
def test_what_a_study_cannot_do_without_is_asked_for(write, gone):
    assert len(refused(write(base=BASE.replace(gone, "")))) == 1


def test_a_file_that_is_not_there_is_one_error_with_its_mend(tmp_path):
    (problem,) = refused(tmp_path / "no.toml")
    assert "there is no file" in problem.what
    assert "evenhand new" in problem.mend


def test_a_section_written_twice_is_told_with_its_line(write):
    (problem,) = refused(write('[system.bm25]\nretriever = "bm25"\n'))
    assert "is not TOML" in problem.what
    assert "line" in problem.what


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "study.toml").write_bytes(b'[study]\nname = "caf\xe9"\n')
    assert "not UTF-8" in refused(tmp_path / "study.toml")[0].what


def test_a_corpus_that_is_not_there_is_told_before_anything_is_done(write):
    problems = refused(write(base=BASE.replace('"docs"', '"nodocs"')))
    assert "there is no" in problems[0].what
    assert "nodocs" in problems[0].what
