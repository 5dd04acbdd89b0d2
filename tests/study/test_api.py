"""The Python API: every public name, and the lines of the design."""

import subprocess
import sys

import pytest
from tests.miniature import make

import evenhand as eh


def test_every_public_name_is_there():
    for name in eh.__all__:
        assert getattr(eh, name) is not None
    assert set(eh.__all__) <= set(dir(eh))


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(AttributeError, match="did you mean 'measure'"):
        _ = eh.mesure


def test_a_name_is_loaded_when_it_is_used_and_not_before():
    code = (
        "import sys, evenhand as eh; before = 'evenhand.retrieve.lexical.bm25' in sys.modules; "
        "eh.BM25; print(before, 'evenhand.retrieve.lexical.bm25' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_the_lines_of_the_design_work(tmp_path):
    folder = make(tmp_path / "mini").parent
    corpus = eh.read_corpus(folder / "docs")
    gold = eh.read_gold(folder / "gold.jsonl", corpus)
    units = eh.chunk(corpus, eh.Sentences(size=160, count="characters"))
    runs = [eh.retrieve(system, units, gold, depth=50) for system in (eh.BM25(), eh.TFIDF())]
    m = eh.measure(eh.align(gold, units), runs, ["nDCG@10", "R@5", "Judged@10"])
    assert str(m.estimate("bm25", "nDCG@10")).endswith("n=18")
    assert "W/T/L" in str(m.contrast("tfidf", "bm25", "nDCG@10"))
    assert eh.rrf(runs).system == "rrf"


def test_tokens_are_those_of_the_embedded_embedder_unless_told_otherwise():
    pytest.importorskip("tokenizers", reason="the extra dense is not installed")
    corpus = eh.Corpus((eh.Document(id="d", text="one two three four five six seven eight nine ten"),))
    assert len(eh.chunk(corpus, eh.Fixed(size=5, count="tokens"))) == 2


def test_conduct_is_the_study_of_the_command_line(tmp_path):
    study = make(tmp_path / "mini")
    outcome = eh.conduct(eh.read_study(study), study.parent)
    assert outcome.page.is_file()
    assert outcome.report["study"]["name"] == "miniature"
    assert eh.conduct(eh.read_study(study), study.parent).fresh == ()
