import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared import SHARED, needs_shared

from evenhand.errors import InputError
from evenhand.formats.runs.trec import read_run
from evenhand.model.run import Run
from evenhand.model.text import Corpus, Document, Units
from evenhand.retrieve.combine.fuse import NORMS, Fusion, fuse, identical, normalise, rrf
from evenhand.retrieve.lexical.bm25 import BM25
from evenhand.retrieve.lexical.tfidf import TFIDF
from evenhand.retrieve.search import retrieve

UNITS = Units.of(Corpus((Document(id="b", text="b"),)), "whole", [(0, 0, 1)])
GOLDEN = SHARED / "golden" / "statistics.json"


def _cases(*functions):
    if not GOLDEN.is_file():
        return []
    cases = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return [pytest.param(c, id=c["id"]) for c in cases if c["function"] in functions]


def _runs(lists):
    """Runs over one table, its order that of the ids."""
    names = sorted({unit for ranking in lists for unit, _ in ranking})
    code = {unit: i for i, unit in enumerate(names)}
    return [
        Run(
            system=f"r{i}",
            questions=("q",),
            offsets=np.array([0, len(ranking)]),
            unit=np.array([code[unit] for unit, _ in ranking], dtype=np.int32),
            score=np.array([score for _, score in ranking], dtype=float),
            table=names,
        )
        for i, ranking in enumerate(lists)
    ]


@needs_shared
@pytest.mark.parametrize("case", _cases("rrf"))
def test_reciprocal_ranks_agree_with_golden(case):
    given = case["inputs"]
    runs = _runs([[(unit, 1.0 / (i + 1)) for i, unit in enumerate(r)] for r in given["runs"]])
    found = rrf(runs, k=given["k"], weights=given["weights"]).ranking("q")
    assert [hit.unit for hit in found] == case["expected"]["ranking"]
    assert {h.unit: h.score for h in found} == pytest.approx(
        case["expected"]["scores"], abs=case["tolerance"]
    )


@needs_shared
@pytest.mark.parametrize("case", _cases("score_normalisation"))
def test_normalisation_agrees_with_golden(case):
    scores = case["inputs"]["scores"]
    found = normalise(np.array(list(scores.values()), dtype=float), case["inputs"]["kind"])
    assert dict(zip(scores, found, strict=True)) == pytest.approx(case["expected"], abs=case["tolerance"])


@needs_shared
@pytest.mark.parametrize("case", _cases("score_fusion"))
def test_score_fusion_agrees_with_golden(case):
    given = case["inputs"]
    runs = _runs([sorted(r.items(), key=lambda item: -item[1]) for r in given["runs"]])
    found = fuse(runs, method=given["kind"], norm=given["norm"], weights=given["weights"])
    assert {h.unit: h.score for h in found.ranking("q")} == pytest.approx(case["expected"], abs=1e-12)


def test_a_unit_both_lists_hold_comes_first_b036():
    one, two = ([(unit, 9.0 - i) for i, unit in enumerate(text)] for text in ("mnot", "uvt"))
    found = rrf(_runs([one, two])).ranking("q")
    assert [hit.unit for hit in found] == ["t", "m", "u", "n", "v", "o"]
    expected = [0.031498, 0.016393, 0.016393, 0.016129, 0.016129, 0.015873]
    assert [hit.score for hit in found] == pytest.approx(expected, abs=1e-6)


def test_normalised_equal_scores_are_zeros_and_an_empty_list_stays_empty():
    for norm in ("minmax", "sum", "zscore"):
        assert normalise(np.array([0.1, 0.1, 0.1]), norm).tolist() == [0, 0, 0]
    assert normalise(np.zeros(3), "max").tolist() == [0, 0, 0]
    assert normalise(np.zeros(0), "minmax").tolist() == []


def test_fusing_identical_rankings_changes_no_order_and_is_said():
    ranking = [("b", 3.0), ("a", 2.0), ("c", 1.0)]
    one, two = _runs([ranking, [(unit, score * 10) for unit, score in ranking]])
    assert identical(one, two)
    fused = rrf([one, two])
    assert identical(fused, one)
    assert fused.notes["identical_rankings_fused"] == 1


def test_depth_cuts_and_the_system_form_gives_the_same(units_of):
    units = units_of({"a": "solar panel", "b": "solar roof tiles", "c": "wind farm", "d": "roof"})
    questions = {"q": "solar roof", "r": "farm"}
    fused = retrieve(
        Fusion([BM25(), TFIDF()], k=10), units, questions, depth=2, name="hybrid", times=(t := {})
    )
    by_hand = rrf([retrieve(s, units, questions, depth=2) for s in (BM25(), TFIDF())], k=10, depth=2)
    assert identical(fused, by_hand)
    assert fused.seal == by_hand.seal
    assert fused.system == "hybrid"
    assert set(t) == {"q", "r"}
    assert max(len(fused.ranking(q)) for q in questions) <= 2


@pytest.mark.parametrize(
    "wrong",
    [
        *({"weights": [1]}, {"weights": [0, 0]}, {"weights": [1, -1]}, {"weights": [1, float("nan")]}),
        *({"method": "rff"}, {"norm": "min"}, {"k": -1}, {"k": float("inf")}),
    ],
)
def test_fusion_refuses_what_has_no_meaning(wrong):
    with pytest.raises(InputError):
        fuse(_runs([[("a", 1.0)], [("b", 1.0)]]), **wrong)


def test_runs_over_other_units_questions_or_alone_are_refused():
    one, two = Run.of("x", {"q": [("a", 1.0)]}), Run.of("y", {"q": [("b#0-1", 1.0)]}, units=UNITS)
    with pytest.raises(InputError, match="different units"):
        rrf([one, two])
    with pytest.raises(InputError, match="different questions"):
        rrf([one, Run.of("y", {"p": [("a", 1.0)]})])
    with pytest.raises(InputError, match="two or more"):
        rrf([one])


def _scores(run, question="q"):
    return {hit.unit: hit.score for hit in run.ranking(question)}


def test_r13_two_run_files_of_plain_ids_are_fused(tmp_path):
    for name, ids in (("one", "d1 d2"), ("two", "d2 d3")):
        rows = [f"q Q0 {unit} {i} {9 - i} {name}\n" for i, unit in enumerate(ids.split(), 1)]
        (tmp_path / f"{name}.trec").write_text("".join(rows))
    fused = rrf([read_run(tmp_path / "one.trec"), read_run(tmp_path / "two.trec")])
    assert _scores(fused) == pytest.approx({"d2": 1 / 61 + 1 / 62, "d1": 1 / 61, "d3": 1 / 62}, abs=1e-12)
    assert [hit.unit for hit in fused.ranking("q")] == ["d2", "d1", "d3"]


def test_a_question_that_one_run_lacks_is_fused_from_the_others_and_counted():
    one = Run.of("x", {"q": [("a", 2.0)], "p": [("a", 1.0)]})
    two = Run.of("y", {"p": [("b", 1.0), ("a", 0.5)]})
    fused = rrf([one, two])
    assert fused.questions == ("q", "p")
    assert _scores(fused) == pytest.approx({"a": 1 / 61})
    assert _scores(fused, "p") == pytest.approx({"a": 1 / 61 + 1 / 62, "b": 1 / 61})
    assert fused.notes["not_in_all_runs"] == 1


@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True, max_size=6), min_size=2, max_size=4))
def test_the_order_of_units_and_questions_in_a_table_changes_no_fusion(rankings):
    plain = [
        Run.of(f"r{i}", {"q": [(u, -float(j)) for j, u in enumerate(r)], "p": []})
        for i, r in enumerate(rankings)
    ]
    turned = [
        Run.of(
            one.system,
            {"p": [], "z": [(u, 0.0) for u in "fedcba"], "q": [(h.unit, h.score) for h in one.ranking("q")]},
        )
        for one in plain
    ]
    expected: dict[str, float] = {}
    for ranking in rankings:
        for rank, unit in enumerate(ranking, 1):
            expected[unit] = expected.get(unit, 0.0) + 1 / (60 + rank)
    assert _scores(rrf(plain)) == pytest.approx(expected, abs=1e-12)
    assert rrf(plain).ranking("q") == rrf(turned).ranking("q")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("norm", NORMS)
def test_huge_scores_are_normalised_without_overflow(norm):
    made = normalise(np.array([1.7e308, 0.0, -1.7e308]), norm)
    assert np.isfinite(made).all()
    assert made[0] > made[1] > made[2]
