"""A study whose gold set has judgements: precedence, shares, conflicts, and their card in the report."""

import hashlib
import json

import pytest
from tests.miniature import STUDY, make

import evenhand as eh
from evenhand.cli.main import main
from evenhand.corpus.chunk import chunk, rule_of
from evenhand.formats.corpus.read import read_corpus
from evenhand.formats.labels.judgements import write_labels
from evenhand.model.label import Label
from evenhand.report.output.html import render
from evenhand.report.schema.whole_report import check

JUDGED = STUDY.replace('path = "gold.jsonl"', 'path = "gold.jsonl"\njudgements = "judgements.jsonl"')


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """The miniature without judgements, and with: every unit of the document of q00 is graded 0."""
    study = make(tmp_path_factory.mktemp("study") / "s")
    home = study.parent
    before = eh.conduct(eh.read_study(study), home)
    labels = []
    cut = chunk(
        read_corpus(home / "docs"), rule_of("sentences", {"size": 160, "count": "characters"}, where="here")
    )
    source = json.loads((home / "gold.jsonl").read_text(encoding="utf-8").split("\n")[0])["source"]
    units = [unit for unit in cut.ids if unit.startswith(source)]
    for unit in units:
        doc, _, span = unit.rpartition("#")
        start, end = map(int, span.split("-"))
        mark = hashlib.sha256(cut.text(cut.position[unit]).encode()).hexdigest()
        one = {"question": "q00", "doc": doc, "start": start, "end": end, "text_sha256": mark}
        labels.append(Label(judge="ann", grade=0.0, at="2026-11-30T08:00:00Z", **one))
        labels.append(Label(judge="ben", grade=0.0, at="2026-11-30T09:00:00Z", **one))
        labels.append(Label(judge="model", by="panel", grade=2.0, **one))
    labels.append(Label(judge="model", by="panel", grade=1.0, **{**one, "question": "q01"}))
    labels.append(Label(judge="ann", grade=1.0, **{**one, "text_sha256": "0" * 64, "question": "q02"}))
    labels.append(Label(judge="ann", grade=1.0, **{**one, "question": "nobody asked"}))
    labels.append(Label(judge="ann", grade=1.0, **{**one, "end": end - 1}))
    write_labels(home / "judgements.jsonl", labels)
    study.write_text(JUDGED, encoding="utf-8")
    return before, eh.conduct(eh.read_study(study), home), len(units)


def estimate(outcome, system="bm25", metric="nDCG@10"):
    rows = outcome.report["estimates"]
    return next(row for row in rows if (row["system"], row["metric"]) == (system, metric))


def test_a_person_stands_before_the_evidence_and_the_evidence_before_a_panel(outcomes):
    before, after, n = outcomes
    assert estimate(after)["point"] < estimate(before)["point"]
    (used,) = after.report["judgements"]["used"]
    assert used["labels"]["human"] == n
    assert used["labels"]["panel"] == 1
    first = [row for row in used["first_conflicts"] if row["human"] == 0.0]
    assert all(row["grade"] == 0.0 for row in first)
    assert any(row["aligned"] == 2.0 and row["panel"] == 2.0 for row in first)


def test_every_estimate_shows_whose_labels_it_rests_on(outcomes):
    before, after, _ = outcomes
    assert estimate(before)["labels"]["aligned"] == 1.0
    shares = estimate(after)["labels"]
    assert shares["human"] > 0
    assert sum(shares.values()) == pytest.approx(1.0)


def test_conflicts_and_what_could_not_be_used_are_counted_and_said(outcomes):
    _, after, n = outcomes
    (used,) = after.report["judgements"]["used"]
    assert used["conflicts"] == n  # the panel differs from the people on all of them
    assert used["judgements_stale"] == 1
    assert used["judgements_unasked"] == 1
    assert used["judgements_elsewhere"] == 1
    kinds = {one["kind"]: one["count"] for one in after.report["warnings"]}
    assert kinds["conflicts"] == n
    assert kinds["judgements stale"] == 1
    assert kinds["panel alone"] == 1


def test_the_card_with_its_agreement_is_in_the_report_and_on_the_page(outcomes):
    before, after, n = outcomes
    check(json.loads(json.dumps(after.report)))
    made = after.report["judgements"]["card"]
    assert made["agreement"]["pairs"][0]["judges"] == ["ann", "ben"]
    assert made["agreement"]["pairs"][0]["n"] == n
    assert made["labels"]["by_source"]["human"] >= n
    page = render(after.report, plots=False)
    assert 'id="judgements"' in page
    assert "ann and ben agree on" in page
    assert before.report["judgements"] is None
    assert 'id="judgements"' not in render(before.report, plots=False)


def test_the_panel_is_held_against_the_people_and_both_can_be_planned_from(outcomes, capsys):
    _, after, n = outcomes
    (row,) = after.report["judgements"]["calibration"]
    assert (row["judge"], row["grade"], row["n"], row["items"]) == ("model", 2.0, n, n + 1)
    assert (row["lenient"], row["strict"], row["bias"]) == (n, 0, 1.0)
    assert row["phi"]["reason"] == "one column does not vary"
    assert after.report["judgements"]["card"]["agreement"]["pairs"][0]["icc"]["value"] is None
    for plan, kinds in (("agreement", {"agreement"}), ("calibration", {"labels"})):
        assert main(["power", str(after.folder), "--plan", plan, "--json"]) == 0
        made = json.loads(capsys.readouterr().out)["designs"]
        assert {design["kind"] for design in made} == kinds
        # one question: its items count as one
        assert all(design["n_clustered"] == design["n"] * n for design in made)


def test_a_changed_judgement_makes_the_qrels_anew_and_the_runs_not(outcomes, tmp_path):
    _, after, _ = outcomes
    home = after.folder.parent
    path = home / "judgements.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"grade": 0,', '"grade": 2,'), encoding="utf-8")
    again = eh.conduct(eh.read_study(home / "study.toml"), home)
    path.write_text(text, encoding="utf-8")
    assert estimate(again)["point"] > estimate(after)["point"]
    assert again.report["repeat"]["seals"]["judgements"] != after.report["repeat"]["seals"]["judgements"]


def test_a_fault_in_the_judgements_is_named_with_its_line(tmp_path):
    study = make(tmp_path / "s", study=JUDGED)
    with pytest.raises(eh.InputError, match="judgements"):
        eh.read_study(study)
    (study.parent / "judgements.jsonl").write_text('{"question": "q00"}\n')
    with pytest.raises(eh.InputError, match=r"judgements\.jsonl:1: has no 'doc'"):
        eh.conduct(eh.read_study(study), study.parent)
