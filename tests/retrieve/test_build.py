import re
import sys

import pytest
from tests.retrieve.conftest import hits

from evenhand.errors import InputError, MissingExtra
from evenhand.model.plan.study import SystemPlan
from evenhand.retrieve.build import build
from evenhand.retrieve.combine.fuse import Fusion
from evenhand.retrieve.combine.rerank import ByModel, ByStatus
from evenhand.retrieve.lexical.bm25 import BM25
from evenhand.retrieve.search import retrieve


def _plan(kind="retriever", what="bm25", of=(), **settings):
    return SystemPlan(name="mine", kind=kind, what=what, of=tuple(of), settings=settings)


def test_a_section_becomes_its_system_with_its_name():
    assert build(_plan(k1=2, stopwords=["the", "a"])) == BM25(
        k1=2, stopwords=("a", "the"), name="mine"
    ) or build(_plan(k1=2, stopwords=["the", "a"])) == BM25(k1=2, stopwords=("the", "a"), name="mine")
    for name in ("tfidf", "random", "popular", "constant"):
        assert build(_plan(what=name)).name == "mine"
    fused = build(_plan("fuse", "", ("a", "b"), method="combsum", weights=[2.0, 1.0]))
    assert fused == Fusion(("a", "b"), method="combsum", weights=(2.0, 1.0), name="mine")
    assert build(_plan("rerank", "status", ("a",), depth=7)) == ByStatus(("a",), depth=7, name="mine")


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (_plan(kk1=2), r"\[system.mine\] has no setting 'kk1'.*\n.*'k1'"),
        (_plan(k1="high"), r"k1 is 'high', expected a number"),
        (_plan(k1=True), r"k1 is True, expected a number"),
        (_plan(method=3), r"method is 3, expected a text"),
        (_plan(method="lucen"), r"\[system.mine\].*'lucen'.*\n.*'lucene'"),
        (_plan(what="bm52"), r"\[system.mine\].*'bm52'.*\n.*'bm25'"),
        (_plan("rerank", "statsu", ("a",)), r"'statsu' is no reranker.*\n.*'status'"),
        (_plan(what="random", seed=1.5), r"seed is 1.5, expected a whole number"),
        (_plan(what="dense", embedder="minlm"), r"'minlm'.*\n.*'minilm'"),
        (_plan(what="dense", embedder="minilm", options={"thread": 1}), r"\[system.mine\] embedder 'minilm'"),
        (_plan(what="python:no_such_module_here:Thing"), r"no module 'no_such_module_here'"),
        (_plan("fuse", "", ("a", "b"), kk=3), r"has no setting 'kk'"),
        (_plan("rerank", "status", ("a",), deep=3), r"has no setting 'deep'.*\n.*'depth'"),
        (_plan("rerank", "no/such/folder", ("a",)), r"no/such/folder"),
        (_plan(what="http://127.0.0.1:9", timeout="long"), r"timeout is 'long'"),
    ],
)
def test_what_a_section_gets_wrong_is_named_with_its_mend(plan, words):
    with pytest.raises(InputError) as caught:
        _ = build(plan).model.seal  # a folder that is not there is found when it is looked into
    assert re.search(words, str(caught.value)), str(caught.value)


@pytest.mark.parametrize("wrong", [{"b": 2}, {"backend": "cuda"}, {"stemmer": "klingon"}])
def test_values_out_of_range_are_refused_when_built(wrong):
    with pytest.raises(InputError, match=r"\[system.mine\]"):
        build(_plan(**wrong))


def test_guests_are_found_beside_the_study_file(tmp_path, units_of, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "our_test_guest.py").write_text(
        "class Search:\n"
        "    def __init__(self, order=1): self.order = order\n"
        "    def index(self, units): self.ids = list(units.ids)\n"
        "    def search(self, question, k): return self.ids[::self.order][:k]\n"
        "def plain(question, k): return ['b']\n"
        "def rank(question, texts): return [len(t) for t in texts]\n"
    )
    units = units_of({"a": "x", "b": "yyy"})
    guest = build(_plan(what="python:our_test_guest:Search", order=-1), base_folder=tmp_path)
    assert guest.searches_units
    assert [unit for unit, _ in hits(retrieve(guest, units, {"q": "?"}))] == ["b", "a"]
    plain = build(_plan(what="python:our_test_guest:plain"), base_folder=tmp_path)
    assert not plain.searches_units
    assert retrieve(plain, units, {"q": "?"}).system == "mine"
    model = build(_plan("rerank", "python:our_test_guest:rank", ("base",), depth=5), base_folder=tmp_path)
    assert isinstance(model, ByModel)
    base = retrieve(guest, units, {"q": "?"})
    run = model.combine([base], name="again", depth=9, questions={"q": "?"})
    assert hits(run) == [("b", 3.0), ("a", 1.0)]
    assert sys.path.count(str(tmp_path)) == 1
    assert sys.path[-1] == str(tmp_path)
    with pytest.raises(InputError, match="settings"):
        build(_plan(what="python:our_test_guest:Search", ordre=-1), base_folder=tmp_path)
    with pytest.raises(InputError, match="'Serch'"):
        build(_plan(what="python:our_test_guest:Serch"), base_folder=tmp_path)


def test_models_of_an_extra_name_it():
    if "sentence_transformers" in sys.modules:
        pytest.skip("the extra is installed")
    plan = _plan("rerank", "cross-encoder", ("a",), model="any/model")
    with pytest.raises(MissingExtra):
        _ = build(plan).model.seal


def test_the_package_is_the_verb_when_called(units_of):
    import evenhand.retrieve as package

    run = package(BM25(), units_of({"a": "solar"}), {"q": "solar"})
    assert len(run.unit) == 1
