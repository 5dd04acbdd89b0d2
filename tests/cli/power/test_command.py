"""``evenhand power``: from assumptions and from a pilot, through the front door."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.report.output.test_settles import report

from evenhand.cli.main import main
from evenhand.formats.labels.judgements import write_labels
from evenhand.metrics.planning.pilot import upper_spread
from evenhand.model.label import Label
from evenhand.report.output.assemble import dumps
from evenhand.stats.intervals.proportion import n_for_wilson_halfwidth, wilson
from evenhand.stats.power.mcnemar import discordant_shares, mcnemar_sample_size
from evenhand.stats.power.paired import power_paired_t, sample_size_paired


def said(capsys, line, code=0):
    assert main(["power", *line.split()]) == code
    return capsys.readouterr()


def as_json(capsys, line):
    return json.loads(said(capsys, f"{line} --json").out)


def one(capsys, line):
    (design,) = as_json(capsys, line)["designs"]
    return design


@pytest.fixture
def pilot(tmp_path):
    def made(**options):
        folder = tmp_path / "results"
        folder.mkdir(exist_ok=True)
        (folder / "report.json").write_bytes(dumps(report(**options)))
        return folder

    return made


def test_paired_means_are_planned_by_the_noncentral_t(capsys):
    got = one(capsys, "--effect 0.36 --sd 1")
    assert got["n"] == 63  # the published study's number
    assert one(capsys, "--effect 0.36 --sd 1 --comparisons 3")["n"] == 84
    assert got["curve_n"][0] == 2
    at = got["curve_n"][len(got["curve_n"]) // 2]
    assert got["curve"][len(got["curve"]) // 2] == pytest.approx(power_paired_t(0.36, at))


def test_a_family_is_adjusted_and_both_numbers_are_shown(capsys):
    got = as_json(capsys, "--effect 0.05 --sd 0.3 --of 4")
    assert got["comparisons"] == 6
    assert got["alpha_each"] == pytest.approx(0.05 / 6)
    (design,) = got["designs"]
    assert design["n"] == sample_size_paired(0.05 / 0.3, alpha=0.05 / 6).n_t
    assert design["n_alone"] == sample_size_paired(0.05 / 0.3).n_t
    out = said(capsys, "--effect 0.05 --sd 0.3 --of 4").out
    assert "one test alone" in out
    assert "in a family of 6 comparisons by Holm" in " ".join(out.split())


def test_questions_at_hand_have_a_power_and_a_smallest_difference(capsys):
    at = one(capsys, "--effect 0.05 --sd 0.3 -n 120")["at"]
    assert at["power"] == pytest.approx(power_paired_t(0.05 / 0.3, 120))
    assert power_paired_t(at["detectable"] / 0.3, 120) == pytest.approx(0.8)


def test_hit_rates_are_planned_by_the_exact_mcnemar_test(capsys):
    got = one(capsys, "--rate 0.6 --rate 0.7 --together 0.4")
    assert got["n"] == mcnemar_sample_size(*discordant_shares(0.6, 0.7, phi=0.4)).n
    assert one(capsys, "--rate 0.6 --rate 0.7")["n"] > got["n"]
    assert one(capsys, "--rate 0.6 --rate 0.7 --discordant 0.2")["n"] == mcnemar_sample_size(0.05, 0.15).n


def test_agreement_kappa_labels_and_a_bound_have_their_numbers(capsys):
    assert one(capsys, "--agreement .85 --width .05")["n"] == n_for_wilson_halfwidth(0.85, 0.05) == 196
    got = one(capsys, "--agreement .85 --at-least .75")
    assert got["n"] == 73
    assert got["notes"] == ["at least 63 of 73 must then pass"]
    assert one(capsys, "--kappa .6 --positives .3 --width .1")["n"] == 296
    plain, judged = (one(capsys, f"--labels .3 --width .05 {x}") for x in ("", "--rho .7 --items 2000"))
    assert judged["n"] < plain["n"] == 320
    assert judged["n_alone"] == 320
    assert two_kinds(capsys) == {"agreement", "labels"}


def two_kinds(capsys):
    got = as_json(capsys, "--agreement .85 --labels .3 --width .05")
    return {design["kind"] for design in got["designs"]}


def test_clusters_multiply_what_is_needed(capsys):
    got = one(capsys, "--effect .1 --sd .3 --per-cluster 5 --icc .2")
    assert got["n_clustered"] == int(np.ceil(got["n"] * 1.8))
    assert "in clusters of 5" in got["sentence"]


def test_a_pilot_is_planned_by_the_upper_limit_of_its_spread(capsys, pilot):
    folder = pilot(systems=3)
    got = as_json(capsys, f"{folder} --effect 0.05")
    assert got["comparisons"] == 3
    assert len(got["designs"]) == 3
    for d in got["designs"]:
        sd, n = d["assumed"]["pilot_sd"], d["assumed"]["pilot_n"]
        top = upper_spread(sd, n)
        assert d["n"] == sample_size_paired(0.05 / top, alpha=0.05 / 3).n_t
        assert d["assumed"]["n_by_spread_seen"] == sample_size_paired(0.05 / sd, alpha=0.05 / 3).n_t
        assert d["n"] > d["assumed"]["n_by_spread_seen"]
    assert got["largest"] == max(d["n"] for d in got["designs"])
    out = " ".join(said(capsys, f"{folder} --effect 0.05").out.split())
    assert "no effects to plan by" in out


def test_a_pilot_of_hit_rates_is_planned_by_how_often_its_systems_differ(capsys, pilot):
    folder = pilot(systems=2, metric="Success@5", n=80)
    (d,) = as_json(capsys, f"{folder} --effect 0.1")["designs"]
    made = json.loads((folder / "report.json").read_text())["contrasts"][0]
    differ = made["counts"]["only_a"] + made["counts"]["only_b"]
    most = wilson(differ, 80, level=0.8, side="upper").high
    assert d["kind"] == "hits"
    assert d["n"] == mcnemar_sample_size((most + 0.1) / 2, (most - 0.1) / 2).n


def test_the_upper_limit_of_a_spread_covers_it_as_often_as_it_says():
    dice = np.random.default_rng(0)
    sds = dice.normal(size=(4000, 15)).std(axis=1, ddof=1)
    assert np.mean([upper_spread(sd, 15) >= 1 for sd in sds]) == pytest.approx(0.8, abs=0.02)
    assert upper_spread(0.3, 1) is None


def test_the_curves_are_written_as_svg_or_vega_lite(capsys, tmp_path):
    pytest.importorskip("vl_convert", reason="the extra plots is not installed")
    svg = tmp_path / "power.svg"
    said(capsys, f"--effect .05 --effect .1 --sd .3 --plot {svg}")
    root = ET.fromstring(svg.read_text())  # noqa: S314 - our own picture
    assert "difference of 0.05, spread 0.3: 285" in root[1].text
    first = svg.read_bytes()
    said(capsys, f"--effect .05 --effect .1 --sd .3 --plot {svg}")
    assert svg.read_bytes() == first
    spec = tmp_path / "power.json"
    said(capsys, f"--labels .3 --width .05 --plot {spec}")
    assert json.loads(spec.read_text())["$schema"].startswith("https://vega.github.io/schema/vega-lite")
    assert sorted(x.name for x in tmp_path.iterdir()) == ["power.json", "power.svg"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "nothing is asked"),
        ("nowhere", "does not exist"),
        ("--effect .05", "--effect and --sd belong together"),
        ("--effect 0 --sd .3", "--effect is 0"),
        ("--effect .05 --sd nan", "--sd is nan"),
        ("--effect .05 --sd -1", "--sd is -1"),
        ("--rate .6", "--rate is given once"),
        ("--rate .6 --rate 1.7", "--rate is 1.7"),
        ("--rate .6 --rate .7 --together .4 --discordant .2", "both --together and --discordant"),
        ("--rate .6 --rate .7 --discordant .05", "cannot differ on 0.05"),
        ("--rate .6 --rate .7 --together 1", "cannot correlate by 1"),
        ("--together .4", "say how hit rates differ"),
        ("--agreement .85", "needs the width"),
        ("--width .05", "--width belongs to an interval"),
        ("--agreement 85 --width .05", "--agreement is 85"),
        ("--kappa -.9 --positives .2 --width .1", "impossible"),
        ("--labels .3 --width 0", "half_width is 0"),
        ("--labels .3 --width .05 --rho 2", "rho is 2"),
        ("--effect .05 --sd .3 --power 1", "power is 1"),
        ("--effect .05 --sd .3 --alpha 0", "alpha is 0"),
        ("--effect .05 --sd .3 --comparisons 0", "0 comparisons"),
        ("--effect .05 --sd .3 --of 1", "--of is 1"),
        ("--effect .05 --sd .3 --of 3 --comparisons 3", "both --comparisons and --of"),
        ("--effect .05 --sd .3 --icc 2", "icc 2"),
        ("--effect .05 --sd .3 -n 1", "-n is 1"),
        ("--effect .05 --sd .3 --plot curve.png", "neither .svg nor .json"),
        ("--effect .05 --sd .3 --plot no/such/folder/x.json", "cannot be written"),
        ("--effect .05 --sd .3 --labels .3 --width .05 --plot x.svg", "one kind of curve"),
    ],
)
def test_bad_input_is_told_in_two_lines(capsys, tmp_path, monkeypatch, line, told):
    monkeypatch.chdir(tmp_path)
    got = said(capsys, line, code=2)
    assert got.out == ""
    lines = got.err.splitlines()
    assert len(lines) == 2
    assert told in lines[0]
    assert lines[1].startswith("  mend: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[1, 2", "is not a report"),
        ("[]", "is not a report of a comparison"),
        ('{"kind": "comparison"}', "contrasts are not of this form"),
        ('{"kind": "comparison", "study": {"primary": "x"}, "contrasts": [{"a": 1}]}', "not of this form"),
        ('{"kind": "comparison", "study": {"primary": "x"}, "contrasts": []}', "compares no two systems"),
    ],
)
def test_a_pilot_that_is_none_is_told(capsys, tmp_path, content, told):
    (tmp_path / "report.json").write_text(content)
    got = said(capsys, str(tmp_path), code=2)
    assert told in got.err.splitlines()[0]
    assert len(got.err.splitlines()) == 2


def test_a_pilot_whose_systems_never_differ_gives_nothing_to_plan_by(capsys, pilot):
    folder = pilot(systems=2)
    made = json.loads((folder / "report.json").read_text())
    made["contrasts"] = [{**c, "sd": 0.0, "d_z": None} for c in made["contrasts"]]
    (folder / "report.json").write_text(json.dumps(made))
    assert "no pair differs" in said(capsys, str(folder), code=2).err


def test_a_pilot_can_be_planned_for_another_of_its_metrics(capsys, pilot):
    folder = pilot(systems=3)
    made = json.loads((folder / "report.json").read_text())
    primary = made["study"]["primary"]
    others = [{**c, "metric": "P@5", "exploratory": True, "sd": c["sd"] * 2} for c in made["contrasts"]]
    (folder / "report.json").write_text(json.dumps(made | {"contrasts": made["contrasts"] + others}))
    plain = as_json(capsys, str(folder))
    got = as_json(capsys, f"{folder} -m P_5")
    assert {d["assumed"]["metric"] for d in plain["designs"]} == {primary}
    assert {d["assumed"]["metric"] for d in got["designs"]} == {"P@5"}
    assert got["comparisons"] == plain["comparisons"] == 3
    assert all(d["n"] > e["n"] for d, e in zip(got["designs"], plain["designs"], strict=True))
    assert "did you mean 'P@5'" in said(capsys, f"{folder} -m P@50", code=2).err


def test_no_realistic_number_is_said_so(capsys):
    assert "no realistic number would do" in one(capsys, "--effect 0.0001 --sd 1")["sentence"]
    assert "realistic" not in one(capsys, "--effect 0.05 --sd 0.3")["sentence"]
    got = one(capsys, "--agreement .75 --at-least .75")
    assert got["n"] is None
    assert "no number of items is enough" in got["sentence"]


@pytest.fixture
def labels(tmp_path):
    """Sixty items of twelve questions: two people, and a panel that is right on most."""
    file = tmp_path / "judgements.jsonl"
    dice, rows = np.random.default_rng(4), []
    for i in range(60):
        one = {
            "question": f"q{i // 5}",
            "doc": "d.md",
            "start": 10 * i,
            "end": 10 * i + 9,
            "text_sha256": "a" * 64,
        }
        truth = int(dice.random() < 0.4)
        for judge, by, wrong in (("ann", "human", 0.05), ("ben", "human", 0.15), ("model", "panel", 0.1)):
            rows.append(Label(judge=judge, by=by, grade=float(truth ^ (dice.random() < wrong)), **one))
    write_labels(file, rows)
    return file


def kept(folder, judgements):
    """A results folder whose report has these judgements."""
    made = json.loads((folder / "report.json").read_text())
    (folder / "report.json").write_text(json.dumps(made | {"judgements": judgements}))
    return folder


def of_labels(file):
    from evenhand.formats.labels.judgements import read_labels
    from evenhand.judge.calibration.overlap import calibration
    from evenhand.labelling.desk.agreement import agreement
    from evenhand.labelling.desk.data_card import card_of_labels

    rows = read_labels(file)
    return {
        "card": card_of_labels(rows, agreement(rows)),
        "calibration": calibration(rows),
        "used": [],
    }


def test_agreement_is_planned_from_the_people_of_a_pilot(capsys, labels):
    raw, kappa = as_json(capsys, f"{labels} --plan agreement")["designs"]
    assert (raw["kind"], kappa["kind"]) == ("agreement", "kappa")
    assert raw["target"] == kappa["target"] == 0.05
    assert raw["assumed"]["pilot_n"] == 60
    assert raw["assumed"]["pilot_questions"] == 12
    seen = raw["assumed"]["pilot_agreement"]
    assert raw["assumed"]["agreement"] < seen
    assert raw["assumed"]["n_as_seen"] == n_for_wilson_halfwidth(seen, 0.05) < raw["n"]
    assert kappa["n"] > raw["n"]
    assert raw["curve"][-1] < 0.05 < raw["curve"][1]
    out = " ".join(said(capsys, f"{labels} --plan agreement").out.split())
    assert "ann and ben: agreement to ±0.05" in out
    assert "as seen" in out
    assert "Planned with the 80% limit of each value seen" in out
    assert "spread seen" not in out


def test_a_threshold_and_a_width_of_agreement_are_planned_together(capsys, labels):
    kinds = [d["kind"] for d in as_json(capsys, f"{labels} --plan agreement --at-least .6")["designs"]]
    assert kinds == ["bound"]
    line = f"{labels} --plan agreement --at-least .6 --width .1 -n 300"
    designs = as_json(capsys, line)["designs"]
    assert [d["kind"] for d in designs] == ["agreement", "kappa", "bound"]
    assert set(designs[0]["at"]) == {"n", "half_width"}
    assert "The 300 at hand give a lower bound of" in designs[2]["sentence"]


def test_calibration_is_planned_from_the_panel_and_the_people_of_a_pilot(capsys, labels):
    (got,) = as_json(capsys, f"{labels} --plan calibration --width .08 --items 2000")["designs"]
    assert got["kind"] == "labels"
    known = got["assumed"]
    assert known["judge"] == "model"
    assert 0 < known["rho"] < known["pilot_phi"] <= 1
    assert abs(known["share"] - 0.5) <= abs(known["pilot_rate"] - 0.5)
    assert known["items"] == 2000
    assert known["gain"] > 1
    assert got["n"] < got["n_alone"]
    out = " ".join(said(capsys, f"{labels} --plan calibration --items 2000").out.split())
    assert "without judge" in out
    assert "the judge labels 2,000 items" in out
    assert "random sample" in out


def test_a_results_folder_gives_what_its_labels_give(capsys, pilot, labels):
    folder = kept(pilot(systems=2), of_labels(labels))
    for line in ("--plan agreement --width .07", "--plan calibration"):
        assert said(capsys, f"{folder} {line} --json").out == said(capsys, f"{labels} {line} --json").out
    kinds = {d["kind"] for d in as_json(capsys, f"{folder} --plan differences --plan agreement")["designs"]}
    assert kinds == {"means", "agreement", "kappa"}
    assert {d["kind"] for d in as_json(capsys, str(folder))["designs"]} == {"means"}


def test_clusters_of_a_pilot_can_be_replaced(capsys, labels):
    line = f"{labels} --plan agreement --per-cluster 8 --icc .25"
    for design in as_json(capsys, line)["designs"]:
        assert (design["per_cluster"], design["icc"]) == (8, 0.25)
        assert design["n_clustered"] == int(np.ceil(design["n"] * 2.75))
    assert as_json(capsys, line)["largest"] == max(d["n_clustered"] for d in as_json(capsys, line)["designs"])


def test_agreement_and_calibration_are_drawn_in_one_picture(capsys, labels, tmp_path):
    spec = tmp_path / "x.json"
    said(capsys, f"{labels} --plan agreement --plan calibration --plot {spec}")
    text = spec.read_text()
    assert "ann and ben: kappa" in text
    assert "model, grade 1 or more" in text


@pytest.mark.parametrize(
    ("change", "line", "told", "mend"),
    [
        (lambda _: None, "--plan agreement", "holds no judgements", "[gold] judgements"),
        (
            lambda j: j | {"calibration": []},
            "--plan calibration",
            "have a label of people and one of a panel",
            "--rho",
        ),
        (lambda j: {"card": j["card"]}, "--plan calibration", "have no calibration", "make the report again"),
        (lambda j: j | {"card": {}}, "--plan agreement", "have no agreement", "make the report again"),
        (
            lambda j: j | {"card": {"agreement": {"pairs": []}}},
            "--plan agreement",
            "by two people",
            "--overlap",
        ),
        (
            lambda j: j | {"card": {"agreement": {"pairs": [{"judges": ["a", "b"], "n": 3}]}}},
            "--plan agreement",
            "has no 'questions'",
            "make the report again",
        ),
        (
            lambda j: j | {"calibration": [j["calibration"][0] | {"phi": 3}]},
            "--plan calibration",
            "not of this form",
            "make the report again",
        ),
        (lambda _: [], "--plan agreement", "not of this form", "make the report again"),
    ],
)
def test_a_pilot_that_lacks_labels_says_what_and_how_to_get_it(  # noqa: PLR0917
    capsys, pilot, labels, change, line, told, mend
):
    folder = kept(pilot(systems=2), change(of_labels(labels)))
    got = said(capsys, f"{folder} {line}", code=2)
    assert told in got.err.splitlines()[0]
    assert mend in got.err.splitlines()[1]
    assert len(got.err.splitlines()) == 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{labels}", "holds labels and compares no systems"),
        ("{labels} --plan kappa", "--plan kappa is not known"),
        ("{labels} --plan agreement --effect .1", "--effect belongs to differences"),
        ("{labels} --plan agreement -m nDCG@10", "--metric belongs to differences"),
        ("{labels} --plan agreement --width 2", "half_width is 2"),
        ("{labels} --plan agreement --icc 2", "icc 2"),
        ("{labels} --plan calibration --at-least .7", "--at-least belongs to an agreement"),
        ("--plan agreement", "--plan agreement belongs to a pilot"),
        ("--at-least .7", "--at-least belongs to an agreement"),
    ],
)
def test_bad_plans_are_told(capsys, labels, line, told):
    got = said(capsys, line.format(labels=labels), code=2)
    assert told in got.err.splitlines()[0]
    assert len(got.err.splitlines()) == 2


def test_a_plan_never_asks_for_fewer_labels_than_the_correction_takes(capsys):
    perfect = one(capsys, "--labels 0.3 --width 0.05 --rho 1 --items 2000")
    assert perfect["n"] == 30
    assert "below 30 the judge is not used" in perfect["notes"][-1]
    wide = one(capsys, "--labels 0.3 --width 0.3 --rho 0.9")
    assert wide["n"] == n_for_wilson_halfwidth(0.3, 0.3)  # fewer than 30 do without the judge


def test_a_kappa_at_which_nothing_varies_cannot_be_planned(capsys):
    design = one(capsys, "--kappa 1 --width 0.1")
    assert (design["n"], "nothing varies" in design["reason"]) == (None, True)
