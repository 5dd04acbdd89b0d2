"""A thousand random runs at once: equality with trec_eval 9 on every measure it has, to 1e-9."""

import numpy as np
import pytest

from evenhand.metrics.catalogue.names import parse
from evenhand.metrics.measure.measure import measure
from evenhand.metrics.measure.trec_eval_mode import totals
from evenhand.model.run import Qrels, Run

pytrec_eval = pytest.importorskip("pytrec_eval", reason="the oracle pytrec_eval is not installed")

RUNS, QUESTIONS = 1000, 6
CUTS = dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P", "success"), (1, 3, 5, 10, 40))
CUTS["iprec_at_recall"] = tuple(f"{i / 10:.2f}" for i in range(11))
CUTS["Rprec_mult"] = ("0.20", "0.80", "1.40", "2.00")
PLAIN = [
    "map",
    "recip_rank",
    "Rprec",
    "bpref",
    "infAP",
    "11pt_avg",
    "gm_map",
    "gm_bpref",
    "binG",
    "G",
    "ndcg",
    "ndcg_rel",
    "Rndcg",
    "utility",
    "set_P",
    "set_recall",
    "set_F",
    "set_map",
    "set_relative_P",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "num_nonrel_judged_ret",
]
GEOMETRIC = ("gm_map", "gm_bpref")  # pytrec_eval gives the logarithm of a question's value
NAMES = [*PLAIN, *(f"{name}_{cut}" for name, cuts in CUTS.items() for cut in cuts)]
ASKED = {*PLAIN, *(f"{name}.{','.join(map(str, cuts))}" for name, cuts in CUTS.items())}


def made(low):
    """Grades and scores by question, named after the run they belong to; ties, some of them only as float32."""
    rng = np.random.default_rng(20241009 + low)
    grades, scores = {}, {}
    for run in range(RUNS):
        for q in range(QUESTIONS):
            name, size = f"r{run}/q{q}", int(rng.integers(1, 45))
            units = [f"d{i}" for i in rng.permutation(60)]
            if rng.random() < 0.9:
                judged = rng.choice(units, rng.integers(1, 30), replace=False)
                level = rng.integers(low, 4, len(judged)) * (
                    rng.random() > 0.15
                )  # some without a relevant unit
                grades[name] = dict(zip(judged.tolist(), level.tolist(), strict=True))
            if rng.random() < 0.85:
                value = rng.integers(-8, 8, size) / 4 + rng.integers(0, 3, size) * 1e-9
                scores[name] = dict(zip(units[:size], value.tolist(), strict=True))
    return grades, scores


@pytest.mark.parametrize(("low", "level"), [(0, 1), (0, 2), (-1, 1)])
def test_a_thousand_random_runs_equal_trec_eval_on_every_measure(low, level):
    grades, scores = made(low)
    theirs = pytrec_eval.RelevanceEvaluator(grades, ASKED, relevance_level=level).evaluate(scores)
    names = [_at(name, level) for name in NAMES]
    ours = measure(
        Qrels.of(grades), Run.of("s", {q: list(s.items()) for q, s in scores.items()}), names, ties="trec9"
    )
    both = [(i, q) for i, q in enumerate(ours.questions) if q in theirs]
    assert len(theirs) > 0.7 * RUNS * QUESTIONS
    assert {q for q in grades if q in scores} == set(theirs)
    at = np.array([i for i, _ in both])
    for name, metric in zip(NAMES, names, strict=True):
        expected = np.array([theirs[q][name] for _, q in both])
        got = ours.value[0, ours.metrics.index(str(parse(metric)))][at]
        if name in GEOMETRIC:
            got = np.log(np.maximum(got, 1e-5))
        assert np.abs(got - expected).max() <= 1e-9, name
    assert ours.missing[0].sum() == len(grades) - len(theirs)


def _at(name, level):
    metric = parse(name)
    from evenhand.metrics.measure.trec_eval_mode import at_level

    return str(at_level(metric, level))


@pytest.mark.parametrize("complete", [False, True])
def test_what_is_summed_up_over_the_questions_equals_trec_eval(complete):
    grades, scores = made(0)
    for run in range(20):
        of = {q: x for q, x in grades.items() if q.startswith(f"r{run}/")}
        has = {q: x for q, x in scores.items() if q.startswith(f"r{run}/")}
        theirs = pytrec_eval.RelevanceEvaluator(of, ASKED).evaluate(has)
        ours = measure(
            Qrels.of(of), Run.of("s", {q: list(s.items()) for q, s in has.items()}), NAMES, ties="trec9"
        )
        found = {one.metric: one for one in totals(ours, complete=complete)}
        for name in NAMES:
            values = [row[name] for row in theirs.values()]
            n = len(of) if complete else len(values)
            one = found[str(parse(name))]
            if one.how == "sum":
                if not (complete and name == "num_rel"):  # counts the relevant units of missing questions too
                    assert one.value == sum(values), name
            elif name in GEOMETRIC:
                gone = n - len(values)
                assert np.log(one.value) == pytest.approx(
                    (sum(values) + gone * np.log(1e-5)) / n, abs=1e-9
                ), name
            else:
                assert one.value == pytest.approx(sum(values) / n, abs=1e-9), name
