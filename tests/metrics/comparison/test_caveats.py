"""What the chosen metrics cannot show is said beside them."""

import numpy as np

from evenhand.metrics.comparison.caveats import advice
from evenhand.metrics.measure.measure import measure
from evenhand.model.run import Qrels, Run

GRADES = {"q1": {"a": 1, "b": 0, "c": 0, "d": 0}, "q2": {"a": 2, "b": 1}}
RUN = Run.of("s", {"q1": [("a", 1.0)], "q2": [("b", 1.0)]})


def told(metrics, qrels=None, **options):
    qrels = qrels or Qrels.of(GRADES)
    return {one.kind: one for one in advice(measure(qrels, RUN, metrics), qrels, **options)}


def two_facts():
    return Qrels.of(
        GRADES,
        nugget_offsets=np.array([0, 1, 3]),
        vital=np.array([True, True, True]),
        covers=np.array([[0, 0], [4, 0]], np.int32),
    )


def test_precision_that_cannot_reach_1_says_how_far_it_can_by_the_units_that_are_relevant():
    one = told(["nDCG@5", "P@5"])["P@k capped"]
    assert one.text.startswith("P@5 can reach 0.30 at most: a question has 1.5 relevant units")
    assert one.times == 2
    assert "P(rel=2)@2 can reach 0.50" in told(["P(rel=2)@2"])["P@k capped"].text
    assert "P@k capped" not in told(["P@1", "P(rel=3)@5"])


def test_rr_is_blind_to_second_facts_where_there_are_some():
    one = told(["RR@10", "RR(rel=2)"], two_facts())["RR blind"]
    assert (one.times, "RR@10, RR(rel=2) is blind" in one.text) == (1, True)
    assert "RR blind" not in told(["RR@10"])
    assert "RR blind" not in told(["nDCG@10"], two_facts())


def test_a_hit_rate_without_a_metric_of_ranks_is_not_left_alone():
    assert "Success@5 does not see ranks" in told(["Success@5", "R@5", "P@1"])["hit rate alone"].text
    assert "hit rate alone" not in told(["Success@5", "RR"])
    assert "hit rate alone" not in told(["R@5"])


def test_the_tokens_sent_stand_beside_a_hit_rate():
    qrels = Qrels.of(GRADES)
    m = measure(qrels, Run("s", qrels.questions, np.array([0, 1, 2]), np.array([0, 1], np.int32), np.array([1.0, 1.0]),
                           qrels.table), ["Success@5", "RR"], lengths=np.array([10, 30, 1, 1]))  # fmt: skip
    texts = {one.kind: one.text for one in advice(m, qrels)}
    assert texts["tokens sent"] == "tokens that the units of a question hold, on average: s 20 at Success@5"


def test_metrics_of_units_do_not_compare_across_chunkings():
    one = told(["NuggetRecall@5", "nDCG@10", "Success@5", "RR"], two_facts(), chunkings=3)["across chunkings"]
    assert one.text.startswith("nDCG@10, Success@5, RR count units, and 3 chunkings differ")
    assert "across chunkings" not in told(["NuggetRecall@5"], two_facts(), chunkings=3)
    alone = told(["NuggetRecall@5", "RR"], two_facts(), chunkings=3)["across chunkings"]
    assert alone.text.startswith("RR counts units, and 3 chunkings differ in which units are relevant: ")
    assert "across chunkings" not in told(["nDCG@10"])
