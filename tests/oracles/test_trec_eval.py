"""Equality with trec_eval 9 (pytrec_eval-terrier) on random runs with ties, gaps and empty questions."""

import numpy as np
import pytest

from evenhand.formats.runs.trec import read_qrels, read_run
from evenhand.metrics.measure.measure import measure

pytrec_eval = pytest.importorskip("pytrec_eval", reason="the oracle pytrec_eval is not installed")

THEIRS = {
    "map": "map",
    "ndcg": "ndcg",
    "recip_rank": "recip_rank",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "infAP": "infAP",
    "11pt_avg": "11pt_avg",
    "num_ret": "num_ret",
    "num_rel": "num_rel",
    "num_rel_ret": "num_rel_ret",
    "set_P": "set_P",
    "set_recall": "set_recall",
    "set_F": "set_F",
    **{f"ndcg_cut_{k}": f"ndcg_cut.{k}" for k in (1, 3, 10, 50)},
    **{f"map_cut_{k}": f"map_cut.{k}" for k in (1, 5, 20)},
    **{f"P_{k}": f"P.{k}" for k in (1, 5, 30)},
    **{f"recall_{k}": f"recall.{k}" for k in (1, 5, 30)},
    **{f"success_{k}": f"success.{k}" for k in (1, 5)},
    **{f"iprec_at_recall_{x:.2f}": f"iprec_at_recall.{x:.2f}" for x in (0.0, 0.1, 0.5, 1.0)},
    **{f"Rprec_mult_{x:.2f}": f"Rprec_mult.{x:.2f}" for x in (0.2, 1.4)},
}


def made(seed, *, low):
    """Text of qrels and run: ties (some only as float32), questions without ranking, label or relevant unit."""
    rng = np.random.default_rng(seed)
    qrels, run = [], []
    for q in range(25):
        units = [f"d{i}" for i in rng.permutation(60)]
        if rng.random() < 0.9:
            judged = rng.choice(units, rng.integers(1, 30), replace=False)
            grades = rng.integers(low, 4, len(judged)) * (rng.random() > 0.15)
            qrels += [f"q{q} 0 {unit} {grade}" for unit, grade in zip(judged, grades, strict=True)]
        if rng.random() < 0.85:
            scores = rng.integers(-8, 8, 60) / 4 + rng.integers(0, 3, 60) * 1e-9
            depth = int(rng.integers(1, 60))
            run += [
                f"q{q} Q0 {unit} {i} {score!r} x"
                for i, (unit, score) in enumerate(zip(units[:depth], scores[:depth].tolist(), strict=True))
            ]
    order = rng.permutation(len(run))
    return "\n".join(qrels) + "\n", "\n".join(run[i] for i in order) + "\n"


@pytest.fixture
def both(tmp_path, request):
    def both(seed, *, low, level=1):
        qrels, run = made(seed, low=low)
        (tmp_path / "qrels").write_text(qrels)
        (tmp_path / "run").write_text(run)
        ours = measure(read_qrels(tmp_path / "qrels"), read_run(tmp_path / "run", ties="trec9"), list(THEIRS))
        with (tmp_path / "qrels").open() as q, (tmp_path / "run").open() as r:
            judge = pytrec_eval.RelevanceEvaluator(
                pytrec_eval.parse_qrel(q), set(THEIRS.values()), relevance_level=level
            )
            return ours, judge.evaluate(pytrec_eval.parse_run(r))

    return both


@pytest.mark.parametrize("seed", range(40))
def test_every_shared_measure_equals_trec_eval_on_every_question(both, seed):
    ours, theirs = both(seed, low=0)
    assert theirs
    for m, name in enumerate(THEIRS):
        for q, question in enumerate(ours.questions):
            if question in theirs:
                assert ours.value[0, m, q] == pytest.approx(theirs[question][name], abs=1e-9), (
                    name,
                    question,
                )
            else:
                assert ours.missing[0, q]


def test_what_trec_eval_drops_is_here_missing_or_undefined(both):
    ours, theirs = both(3, low=0)
    empty = {question for question, row in theirs.items() if row["num_rel"] == 0}
    assert empty
    for question in empty:
        assert ours.measurement("run", "AP", question).undefined == "no relevant unit is known"
    gone = [q for q, m in zip(ours.questions, ours.missing[0], strict=True) if m]
    assert gone
    assert not set(gone) & set(theirs)


@pytest.mark.parametrize("seed", range(5))
def test_negative_grades_are_judged_and_not_relevant_as_in_trec_eval(both, seed):
    ours, theirs = both(seed, low=-1)
    for m, name in enumerate(THEIRS):
        for q, question in enumerate(ours.questions):
            if question in theirs:
                assert ours.value[0, m, q] == pytest.approx(theirs[question][name], abs=1e-9), (
                    name,
                    question,
                )
