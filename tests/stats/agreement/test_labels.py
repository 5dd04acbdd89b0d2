"""Labels out of scale, in every public function that takes labels: scores, words, truth values, None, NaN."""

import inspect
import math
import pkgutil
from importlib import import_module

import numpy as np
import pytest

import evenhand.stats
from evenhand.errors import InputError
from evenhand.stats.agreement.gwet import fleiss_kappa, gwet_ac1, gwet_ac2
from evenhand.stats.agreement.judge_accuracy import judge_against_human
from evenhand.stats.agreement.judge_accuracy_weighted import effective_share, weighted_judge_against_human
from evenhand.stats.agreement.kappa import cohen_kappa, kappa_by_topic, kappa_by_topic_exact
from evenhand.stats.agreement.krippendorff import krippendorff_alpha
from evenhand.stats.agreement.panel_accuracy import panel_against_human
from evenhand.stats.agreement.raw_agreement import no_skill_agreement, panel, raw_agreement, sides
from evenhand.stats.agreement.votes import decided, majority_of_three, median_of_three, plurality
from evenhand.stats.intervals.auc_sources import auc_by_source, auc_by_source_exact
from evenhand.stats.intervals.missing_bounds import mean_readable, paired_readable
from evenhand.stats.intervals.ranking import auc_delong, average_precision, roc_auc, threshold_table
from evenhand.stats.power.prediction_powered import ppi_break_even
from evenhand.stats.prediction_powered.designs import ppi_several_judges, ppi_stratified
from evenhand.stats.prediction_powered.mean import ppi_difference, ppi_mean, ppi_share
from evenhand.stats.prediction_powered.samples import ppi_clustered, ppi_inclusion
from evenhand.stats.selective.folds import folds_by_cluster
from evenhand.stats.selective.logistic import logistic_fit

GOOD = [1, 0, 1, 0, 1, 1, 0, 0, 1, 0]
N = len(GOOD)
SCORES = np.linspace(0, 1, N).tolist()
TOPICS = list("aabbccddee")
UNIT = (0.0, 1.0)
pairs = lambda labels: list(zip(labels, GOOD, strict=True))  # noqa: E731
three = lambda labels: [(one, 0, 1) for one in labels]  # noqa: E731

# name -> (a call with the labels, what it refuses): "yes or no", a declared scale, one scale for all, numbers
CALLS = {
    "judge_against_human": (lambda x: judge_against_human(x, GOOD, resamples=20), "binary"),
    "judge_against_human, people": (lambda x: judge_against_human(GOOD, x, resamples=20), "binary"),
    "sides": (lambda x: sides(x, GOOD, resamples=20), "binary"),
    "raw_agreement": (lambda x: raw_agreement(x, GOOD), "shared"),
    "no_skill_agreement": (no_skill_agreement, "free"),
    "cohen_kappa": (lambda x: cohen_kappa(x, GOOD), "shared"),
    "cohen_kappa, declared": (lambda x: cohen_kappa(x, GOOD, categories=(0, 1)), "declared"),
    "kappa_by_topic": (lambda x: kappa_by_topic(x, GOOD, TOPICS, resamples=20), "shared, all"),
    "kappa_by_topic_exact": (lambda x: kappa_by_topic_exact(x, GOOD, TOPICS), "shared, all"),
    "krippendorff_alpha": (lambda x: krippendorff_alpha(pairs(x), resamples=20), "shared"),
    "gwet_ac1": (lambda x: gwet_ac1(pairs(x), resamples=20), "shared"),
    "gwet_ac2": (lambda x: gwet_ac2(pairs(x), resamples=20), "shared"),
    "fleiss_kappa": (lambda x: fleiss_kappa(pairs(x), resamples=20), "shared"),
    "panel": (lambda x: panel(three(x), resamples=20), "shared"),
    "panel_against_human": (lambda x: panel_against_human(three(x), GOOD, resamples=20), "shared"),
    "weighted_judge_against_human": (
        lambda x: weighted_judge_against_human(x, GOOD, [0.5] * N, resamples=20),
        "binary, all",
    ),
    "effective_share": (lambda x: effective_share(x, [0.5] * N), "scale, all"),
    "ppi_mean": (lambda x: ppi_mean(x, GOOD, GOOD, bounds=UNIT), "scale, all"),
    "ppi_mean, judge": (lambda x: ppi_mean(GOOD, x, GOOD, bounds=UNIT), "scale, all"),
    "ppi_mean, judge alone": (lambda x: ppi_mean(GOOD, GOOD, x, bounds=UNIT), "scale, all"),
    "ppi_share": (lambda x: ppi_share(x, GOOD, GOOD), "binary, all"),
    "ppi_difference": (lambda x: ppi_difference(x, GOOD, GOOD, GOOD), "numbers, some"),
    "ppi_stratified": (lambda x: ppi_stratified(x, GOOD, ["a"] * N, bounds=UNIT), "scale"),
    "ppi_several_judges": (
        lambda x: ppi_several_judges(x, [[a, b] for a, b in zip(GOOD, SCORES, strict=True)], bounds=UNIT),
        "scale",
    ),
    "ppi_clustered": (lambda x: ppi_clustered(x, GOOD, list(range(N)), bounds=UNIT), "scale"),
    "ppi_inclusion": (lambda x: ppi_inclusion(x, GOOD, [0.5] * N, bounds=UNIT), "scale"),
    "ppi_break_even": (lambda x: ppi_break_even(x, GOOD), "numbers"),
    "roc_auc": (lambda x: roc_auc(SCORES, x), "binary, all"),
    "auc_delong": (lambda x: auc_delong(SCORES, x), "binary, all"),
    "average_precision": (lambda x: average_precision(SCORES, x), "binary, all"),
    "threshold_table": (lambda x: len(threshold_table(SCORES, x, TOPICS, [0.5])), "binary, all"),
    "auc_by_source": (lambda x: auc_by_source(SCORES, x, TOPICS, resamples=20), "binary, all"),
    "auc_by_source_exact": (lambda x: auc_by_source_exact(SCORES, x, TOPICS), "binary, all"),
    "folds_by_cluster": (lambda x: folds_by_cluster(x, TOPICS, folds=2, seed=1).tolist(), "binary, all"),
    "logistic_fit": (lambda x: logistic_fit(np.array([SCORES]).T, x, penalty=1.0), "binary, all"),
    "mean_readable": (lambda x: mean_readable(x, scale=UNIT), "scale"),
    "paired_readable": (lambda x: paired_readable(x, GOOD, scale=UNIT), "scale"),
    "majority_of_three": (lambda x: [majority_of_three(row) for row in three(x)], "one form"),
    "median_of_three": (lambda x: [median_of_three(row) for row in three(x)], "one form"),
    "plurality": (plurality, "one form, alone"),
    "decided": (lambda x: [decided(row) for row in three(x)], "one form"),
}
SCORED = [0.9 if label else 0.1 for label in GOOD]
GRADED = [5 if label else 0 for label in GOOD]
WORDS = ["yes" if label else "no" for label in GOOD]
DIGITS = [str(label) for label in GOOD]
BAD = {  # what is wrong -> the labels, and the kinds of function that refuse them
    "scores": (SCORED, ("binary", "shared", "declared")),
    "another scale": (GRADED, ("binary", "declared", "scale")),
    "words": (WORDS, ("binary", "shared", "declared", "scale", "numbers", "one form")),
    "digits as text": (DIGITS, ("binary", "shared", "declared", "scale", "numbers", "one form")),
    "NaN": ([math.nan, *GOOD[1:]], ("binary", "shared", "free", "declared", "scale", "numbers", "one form")),
    "infinite": (
        [math.inf, *GOOD[1:]],
        ("binary", "shared", "free", "declared", "scale", "numbers", "one form"),
    ),
    "None": ([None, *GOOD[1:]], ("all",)),
    "mixed": (["yes", *GOOD[1:]], ("binary", "shared", "free", "declared", "scale", "numbers", "one form")),
}


@pytest.mark.parametrize("what", list(BAD))
@pytest.mark.parametrize("name", list(CALLS))
def test_labels_out_of_scale_are_refused_by_every_function_that_takes_labels(name, what):
    call, kind = CALLS[name]
    labels, refusing = BAD[what]
    first, *more = kind.split(", ")
    refused = first in refusing or (what == "None" and ("all" in more or (first == "numbers" and not more)))
    refused &= not (what in {"words", "digits as text"} and "alone" in more)
    if refused:
        with pytest.raises(InputError) as found:
            call(labels)
        assert found.value.mend
    else:
        call(labels)


@pytest.mark.parametrize("name", list(CALLS))
def test_truth_values_and_whole_floats_are_the_same_labels(name):
    call, _ = CALLS[name]
    assert call([bool(label) for label in GOOD]) == call(GOOD)
    assert call([float(label) for label in GOOD]) == call(GOOD)
    call(np.array(GOOD).tolist())


def test_scores_beside_yes_and_no_are_no_agreement_of_one_half():
    with pytest.raises(InputError, match=r"no label in common"):
        judge_against_human([0.9] * 50 + [0.1] * 50, [1] * 50 + [0] * 50)
    with pytest.raises(InputError, match=r"2 is neither yes \(1\) nor no \(0\)"):
        judge_against_human([1, 0, 2], [1, 0, 0])
    with pytest.raises(InputError, match=r"'perhaps' is neither yes \('yes'\) nor no \('no'\)"):
        judge_against_human(["yes", "no", "perhaps"], ["yes", "no", "no"], positive="yes")


def test_a_rater_who_only_says_one_thing_is_on_the_scale_of_the_others():
    assert cohen_kappa([1, 1, 1], [0, 0, 0]).kappa == 0.0
    assert raw_agreement([2, 2], [0, 1]).value == 0.0
    assert krippendorff_alpha([(1.1, 1.2), (2.1, 2.2), (3.1, 3.0)], scale="interval").value > 0.9


TAKE = {"labels", "human", "judge", "ratings", "votes", "hits"}
INSIDE = {
    "share_of",
    "both_given",
    "labels_of",
    "packed",
    "labelled",
    "coded",
    "allocate_calibration",
    "given_of",
}


def test_the_table_holds_every_public_function_of_the_statistics_that_takes_labels():
    there = set()
    for module in pkgutil.iter_modules(evenhand.stats.__path__):
        of = import_module(f"evenhand.stats.{module.name}")
        for name, function in inspect.getmembers(of, inspect.isfunction):
            own = function.__module__ == of.__name__ and not name.startswith("_")
            if own and TAKE & set(inspect.signature(function).parameters):
                there.add(name)
    assert there - INSIDE <= {name.split(",")[0] for name in CALLS}
