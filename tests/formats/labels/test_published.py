"""Published labels of people and machines give the published figures, read as any labels are read."""

import json

import pytest
from tests.shared import SHARED, needs_shared

from evenhand.errors import InputError
from evenhand.formats.guests.published.registry import SETS, read_published
from evenhand.formats.labels.judgements import labels_text, parse_labels
from evenhand.formats.labels.votes import parse_votes, votes_text
from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.paired_labels import human_of
from evenhand.judge.calibration.rank_correlation import correlated
from evenhand.labelling.desk.agreement import agreement
from evenhand.model.plan.calibration_sample import Case

DATA = SHARED / "data"
FEW = {"resamples": 20}


def golden(name):
    file = SHARED / "golden" / "judging.json"
    return next(e for e in json.loads(file.read_text("utf-8"))["items"] if e["id"] == name)["expected"]


def census(found, judge, yes, scale=(0.0, 1.0)):
    """One machine against people on all that it judged, as `evenhand judge calibrate --votes --labels` does."""
    people = human_of(found.labels)
    rows = [
        Case(
            item=vote.item,
            cluster=vote.question,
            panel=vote.grade,
            status="unanimous" if vote.grade is not None else "undecided",
            votes=(vote.grade,),
            human=people[vote.item][0],
        )
        for vote in found.votes
        if vote.judge == judge
    ]
    return calibrate(rows, None, yes=yes, scale=scale, judges=[judge], **FEW)


@needs_shared
@pytest.mark.parametrize(
    ("model", "cut", "f1", "accuracy"),
    [("gpt-4-0613", 1.0, 61.0, 77.0), ("gpt-3.5-turbo-0613", 0.5, 39.3, 32.0)],
)
def test_wice_figures_are_those_of_the_paper(model, cut, f1, accuracy):
    """WiCE, Table 6; the cut of GPT-3.5 is the one that its authors picked on the test labels."""
    found = read_published(DATA / "wice", "wice", cut=cut)
    made = census(found, model, 1.0)
    assert round(100 * made["positive"]["value"], 1) == f1
    assert round(100 * made["agreement"]["value"], 1) == accuracy
    expected = golden("R6.wice_gpt")[f"{model}@{cut}"]
    assert made["kappa"]["value"] == pytest.approx(expected["kappa"], abs=1e-6)
    assert made["sample_panel_rate"]["value"] == pytest.approx(expected["judge_rate"])
    assert made["rate"]["point"] == pytest.approx(expected["human_rate"])
    assert made["sample"]["design"] == "census"


@needs_shared
@pytest.mark.parametrize("aspect", ["correctness", "completeness", "overall"])
def test_ragchecker_correlations_are_those_of_table_2(aspect):
    found = read_published(DATA / "ragchecker-meta", "ragchecker-meta", aspect=aspect)
    made = correlated(found.labels, found.votes)
    expected = golden("R4.ragchecker_meta")[f"{aspect}_label"]
    (machine,) = made["machines"]
    (people,) = made["people"]
    told = [
        machine["pearson"]["value"],
        machine["spearman"]["value"],
        people["pearson"]["value"],
        people["spearman"]["value"],
    ]
    assert [round(100 * value, 2) for value in told] == pytest.approx(expected["published_recalled"])
    assert (machine["n"], machine["items"], people["n"]) == (560, 280, 280)
    pair = agreement(found.labels, **FEW)["pairs"][0]
    assert pair["raw"]["value"] == pytest.approx(expected["human_raw_agreement"])
    assert pair["kappa"]["value"] == pytest.approx(expected["human_kappa"], abs=1e-6)


@needs_shared
@pytest.mark.parametrize("aspect", ["correctness_topical", "coverage_deep", "quality_overall"])
def test_crowdrag_workers_agree_as_computed_from_the_file(aspect):
    found = read_published(DATA / "webis-crowdrag25", "crowdrag25", aspect=aspect)
    workers = [label for label in found.labels if label.by == "human"]
    assert len(workers) == 1352 * 5  # of seven aspects: 47,320 as published
    made = agreement(workers, **FEW)["all"]
    expected = golden("R5.webis_crowd5")[aspect]
    assert made["pairwise"]["value"] == pytest.approx(expected["mean_pairwise"], abs=1e-6)
    assert made["unanimous"]["value"] == pytest.approx(expected["unanimity"], abs=1e-6)
    assert made["alpha"]["value"] == pytest.approx(expected["alpha_ordinal"], abs=1e-6)


@needs_shared
@pytest.mark.parametrize(
    ("aspect", "swapped", "gold"),
    [("coverage_deep", 0.69, 0.47), ("coherence_logical", 0.89, 0.40), ("quality_overall", 0.82, 0.59)],
)
def test_gpt_4o_on_crowdrag_keeps_its_word_when_swapped_as_often_as_told(aspect, swapped, gold):
    """The README: consistency .69 (coverage_deep) to .89 (coherence_logical), with the gold .40 to .59."""
    found = read_published(DATA / "webis-crowdrag25", "crowdrag25", aspect=aspect)
    by_item = {}
    for vote in found.votes:
        by_item.setdefault(vote.item, {})[vote.judge] = vote.grade
    both = [(v["gpt-4o combined"], v["gpt-4o combined swapped"]) for v in by_item.values()]
    assert sum(a == b for a, b in both) / len(both) == pytest.approx(swapped, abs=0.005)
    truth = {label.item: label.grade for label in found.labels if label.by == "adjudicated"}
    right = [v["gpt-4o combined"] == truth[item] for item, v in by_item.items()]
    assert sum(right) / len(right) == pytest.approx(gold, abs=0.0051)


@needs_shared
def test_alce_utility_and_automatic_correctness_go_together_a_little():
    made = correlated(*_parts(read_published(DATA / "alce-utility", "alce-utility")))
    expected = golden("R8.alce_asqa_utility")
    (machine,) = made["machines"]
    assert machine["n"] == expected["n"]
    assert machine["pearson"]["value"] == pytest.approx(expected["pearson"], abs=1e-6)
    assert machine["spearman"]["value"] == pytest.approx(expected["spearman"], abs=1e-6)


def _parts(found):
    return found.labels, found.votes


@needs_shared
@pytest.mark.parametrize(
    ("folder", "name"),
    [("wice", "wice"), ("alce-utility", "alce-utility"), ("ragchecker-meta", "ragchecker-meta")],
)
def test_what_is_read_survives_our_own_files(folder, name):
    found = read_published(DATA / folder, name)
    assert parse_labels(labels_text(found.labels), "x") == list(found.labels)
    assert sorted(parse_votes(votes_text(found.votes), "x"), key=str) == sorted(found.votes, key=str)


@pytest.mark.parametrize("name", SETS)
def test_a_folder_without_the_files_is_told(tmp_path, name):
    with pytest.raises(InputError, match="there is no file") as told:
        read_published(tmp_path, name)
    assert "published" in told.value.mend


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ('{"label": "perhaps", "claim": "c", "evidence": [], "meta": {"id": "x"}}', "1: label is 'perhaps'"),
        ('{"claim": "c"}', "has not the form of wice"),
        ("[1]", "1: is no object"),
        ("{", "claim_test.jsonl:1"),
    ],
)
def test_a_file_of_another_form_is_told(tmp_path, line, match):
    (tmp_path / "claim_test.jsonl").write_text(line + "\n")
    with pytest.raises(InputError, match=match):
        read_published(tmp_path, "wice")


def test_unknown_sets_and_aspects_name_the_nearest(tmp_path):
    with pytest.raises(InputError, match="wise") as told:
        read_published(tmp_path, "wise")
    assert "'wice'" in told.value.mend
    with pytest.raises(InputError, match="no aspect 'overal'") as told:
        read_published(tmp_path, "ragchecker-meta", aspect="overal")
    assert "overall" in told.value.mend


def test_ragchecker_files_that_do_not_belong_together_are_refused(tmp_path):
    (tmp_path / "human_labeled_data.json").write_text('[{"instance_id": 1, "overall_label": 0}]')
    (tmp_path / "baseline_ragchecker.json").write_text("[]")
    with pytest.raises(InputError, match="1 labels of 0 pairs"):
        read_published(tmp_path, "ragchecker-meta")
