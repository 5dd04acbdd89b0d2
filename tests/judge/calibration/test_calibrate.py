"""A panel held against people: nothing dropped, rates put right, the missing bounded."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judge.calibrated import all_drawn, cases_from, world

from evenhand.errors import InputError
from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.comparisons import against
from evenhand.judge.calibration.human_sample import draw, further
from evenhand.judge.calibration.numbers import numbers_of
from evenhand.judge.calibration.rate_bounds import trust_words
from evenhand.judge.calibration.section import told_of
from evenhand.judge.calibration.trust_thresholds import lines_of
from evenhand.judge.calibration.trust_verdict import trust
from evenhand.model.plan.calibration_sample import Drawn
from evenhand.stats.agreement.judge_accuracy import judge_against_human
from evenhand.stats.prediction_powered.designs import ppi_stratified

FAST = {"resamples": 100}


def hidden(cases, sample):
    """People have labelled only what was drawn."""
    return [case if case.item in sample.position else replace(case, human=None) for case in cases]


def test_everything_that_stands_beside_an_agreement_is_that_of_the_statistics():
    cases = world(300)
    sample = draw({case.item: case.cluster for case in cases}, 100, seed=3)
    made = calibrate(hidden(cases, sample), sample, judges=("a", "b", "c"))
    both = [case for case in cases if case.item in sample.position]
    held = judge_against_human([int(c.panel) for c in both], [int(c.human) for c in both])
    assert made["confusion"]["both_yes"] == held.both_yes
    assert made["agreement"]["value"] == pytest.approx(held.agreement.value)
    assert made["agreement"]["low"] == pytest.approx(held.agreement.interval.low)
    assert made["kappa"]["value"] == pytest.approx(held.kappa.kappa)
    assert made["sensitivity"]["value"] == pytest.approx(held.sensitivity.value)
    assert made["agreement"]["by_question"]["method"].endswith("over clusters")
    human = [case.human if case.item in sample.position else None for case in cases]
    found = ppi_stratified(human, [c.panel for c in cases], [c.status for c in cases], bounds=(0.0, 1.0))
    assert made["rate"]["point"] == pytest.approx(found.point)
    assert made["rate"]["name"] == "PPI++, stratified"
    assert [row["name"] for row in made["rates"]] == [
        "PPI++, stratified",
        "people alone",
        "PPI, l = 1",
        "PPI++",
        "Rogan-Gladen",
    ]
    assert made["sample"]["share"] == pytest.approx(100 / 300)
    assert [one["judge"] for one in made["singles"]] == ["a", "b", "c"]
    assert made["ceiling"]["reason"].startswith("no item was labelled by two people")


def test_the_corrected_rate_finds_the_truth_where_the_panel_does_not():
    cases = world(2000)
    truth = sum(case.human for case in cases) / len(cases)
    biased = [
        replace(c, panel=1.0, votes=(1.0,) * 3, status="unanimous") if i % 6 == 0 else c
        for i, c in enumerate(cases)
    ]
    sample = draw({case.item: case.cluster for case in biased}, 200, seed=1)
    made = calibrate(hidden(biased, sample), sample, **FAST)
    assert abs(made["panel_rate"]["value"] - truth) > 0.08
    assert made["rate"]["low"] <= truth <= made["rate"]["high"]
    assert made["rate"]["gain"] > 1


@pytest.mark.parametrize("design", ["stratified", "further"])
def test_unequal_chances_are_weighted_and_do_not_bias(design):
    cases = world(1500)
    questions = {case.item: case.cluster for case in cases}
    status = {case.item: case.status for case in cases}
    truth = sum(case.human for case in cases) / len(cases)
    agree = sum(case.human == case.panel for case in cases) / len(cases)
    rate, agreed, plain = [], [], []
    for seed in range(40):
        if design == "stratified":
            sample = draw(questions, 100, by="stratified", seed=seed, status=status)
        else:
            sample = further(draw(questions, 60, seed=seed), questions, 60, seed=seed, status=status)
        made = calibrate(hidden(cases, sample), sample, resamples=20)
        assert made["confusion"]["weighted"]
        rate.append(made["rate"]["point"])
        agreed.append(made["agreement"]["value"])
        drawn = [case for case in cases if case.item in sample.position]
        plain.append(sum(case.human == case.panel for case in drawn) / len(drawn))
    assert sum(rate) / 40 == pytest.approx(truth, abs=0.02)
    assert sum(agreed) / 40 == pytest.approx(agree, abs=0.015)
    assert sum(plain) / 40 < agree - 0.01  # unweighted, the split labels would make the panel look worse


def test_undecided_items_are_counted_bounded_and_corrected_for():
    cases = cases_from([1.0, 0.0, None, None] * 25, [1.0, 0.0, 1.0, 1.0] * 25)
    made = calibrate(cases, all_drawn(cases), **FAST)
    assert made["population"]["undecided"] == 50
    assert made["confusion"]["panel_undecided"] == 50
    assert made["confusion"]["n"] == 50
    rate = made["panel_rate"]
    assert (rate["low"], rate["high"]) == pytest.approx(
        (0.3664, 0.6336), abs=1e-4
    )  # Wilson: one item a question
    assert {key: rate[key] for key in ("value", "n", "of", "missing", "least", "most")} == {
        "value": 0.5,
        "n": 50,
        "of": 100,
        "missing": 50,
        "least": 0.25,
        "most": 0.75,
    }
    assert made["rate"]["point"] == pytest.approx(0.75)  # all items, not only those with a decision
    assert made["disputed"]["value"] == 0.5


def test_what_people_could_not_tell_is_counted_and_bounded():
    cases = world(400)
    sample = draw({case.item: case.cluster for case in cases}, 120, seed=2)
    seen = hidden(cases, sample)
    for item in [one.item for one in sample.items][:12]:
        at = next(i for i, case in enumerate(seen) if case.item == item)
        seen[at] = replace(seen[at], human=None, said="cannot-tell")
    made = calibrate(seen, sample, **FAST)
    assert (made["sample"]["drawn"], made["sample"]["labelled"]) == (120, 108)
    assert (made["sample"]["cannot_tell"], made["sample"]["waiting"]) == (12, 0)
    found = made["if_missing"]
    assert found["missing"] == 12
    assert found["least"] < made["rate"]["point"] < found["most"]
    assert found["low"] < found["least"]


def test_labels_of_items_that_were_not_drawn_do_not_count():
    cases = world(200)
    sample = draw({case.item: case.cluster for case in cases}, 60, seed=2)
    made = calibrate(cases, sample, **FAST)  # people have labelled everything
    assert made["sample"]["outside"] == 140
    assert made == {**calibrate(hidden(cases, sample), sample, **FAST), "sample": made["sample"]}


def test_without_a_sample_nothing_is_corrected():
    made = calibrate([*world(99), replace(world(1)[0], item="x", human=None)], None, **FAST)
    assert made["rate"] is None
    assert made["rates"] == []
    numbers = numbers_of(made)
    assert numbers["rate"]["reason"] == "no human sample was drawn"
    assert trust(numbers, lines_of({"gullibility": False})[0])["withheld"]


def test_a_sample_of_other_items_is_refused():
    cases = world(50)
    with pytest.raises(InputError, match="drawn from 50 items, and 49 are judged"):
        calibrate(cases[1:], all_drawn(cases))


def test_grades_have_a_corrected_mean_b058():
    """B058: a failed verdict is never 0; bounds say what it could have been."""
    a = calibrate(cases_from([5.0, 4.0, 5.0, None, 5.0], [None] * 5), None, scale=(1.0, 5.0), **FAST)
    b = calibrate(cases_from([4.0] * 5, [None] * 5), None, scale=(1.0, 5.0), yes=4.0, **FAST)
    panel = a["grade"]["panel"]
    assert (panel["value"], panel["n"], panel["of"]) == (4.75, 4, 5)
    assert (panel["least"], panel["most"]) == (4.0, 4.8)
    assert (b["grade"]["panel"]["value"], b["grade"]["panel"]["n"]) == (4.0, 5)
    assert a["panel"]["completeness"]["value"] == 0.8


def test_graded_sheets_correct_the_mean_grade():
    cases = world(600)
    graded = [
        replace(c, panel=c.panel * 2, human=c.human * 2, votes=tuple(v * 2 for v in c.votes)) for c in cases
    ]
    sample = draw({case.item: case.cluster for case in graded}, 150, seed=2)
    made = calibrate(hidden(graded, sample), sample, scale=(0.0, 2.0), yes=1.0, **FAST)
    truth = sum(case.human for case in graded) / len(graded)
    assert made["grade"]["corrected"]["low"] <= truth <= made["grade"]["corrected"]["high"]
    assert made["grade"]["corrected"]["point"] == pytest.approx(2 * made["rate"]["point"], abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, None]), st.sampled_from([0.0, 1.0, None])),
        min_size=1,
        max_size=30,
    ),
    st.data(),
)
def test_whatever_is_missing_no_number_is_invented(pairs, data):
    panel, human = zip(*pairs, strict=True)
    cases = cases_from(panel, human)
    n = data.draw(st.integers(1, len(cases)))
    sample = draw({case.item: case.cluster for case in cases}, n, seed=1)
    made = calibrate(cases, sample, resamples=20)
    counts = made["confusion"]
    assert (
        counts["both_yes"] + counts["panel_only"] + counts["people_only"] + counts["both_no"] == counts["n"]
    )
    whole = made["sample"]
    assert (
        whole["labelled"] + whole["cannot_tell"] + whole["skipped"] + whole["waiting"] == whole["drawn"] == n
    )
    for row in [made["rate"], *made["rates"]]:
        if row["point"] is None:
            assert row["reason"]
        elif row["low"] is not None:
            assert 0 <= row["low"] <= row["point"] + 1e-9
            assert row["point"] - 1e-9 <= row["high"] <= 1
    held = trust(numbers_of(made), lines_of({})[0])
    assert held["withheld"]  # gullibility was not measured: it cannot have passed
    assert all(line["reason"] for line in held["lines"] if line["value"] is None)


def test_a_stratum_without_a_label_leaves_the_whole_unknown():
    cases = world(300)
    questions = {case.item: case.cluster for case in cases}
    status = {case.item: case.status for case in cases}
    sample = draw(questions, 60, by="stratified", seed=2, status=status)
    easy = [replace(c, human=None) if c.status == "split" else c for c in hidden(cases, sample)]
    made = calibrate(easy, sample, **FAST)
    assert made["unlabelled"] == ["split"]
    assert made["rate"]["point"] is None
    assert "no label yet in split" in made["rate"]["reason"]
    assert made["agreement"]["value"] is None
    assert trust(numbers_of(made), lines_of({})[0])["exit"] == 4


@pytest.mark.parametrize("few", [1, 2, 4])
@pytest.mark.parametrize("graded", [False, True])
def test_strata_drawn_with_unequal_chances_are_never_put_together(few, graded):
    # 500 unanimous items at a rate of .1 and 500 split ones at .9: one label of the split stands for hundreds
    top = 2.0 if graded else 1.0
    panel = [top * (i % 2) for i in range(1000)]
    human = [top * (i % 10 == 0 if i < 500 else i % 10 != 0) for i in range(1000)]
    status = ["unanimous"] * 500 + ["split"] * 500
    cases = cases_from(panel, human, status=status)
    questions = {case.item: case.cluster for case in cases}
    by_item = {case.item: case.status for case in cases}
    sample = draw(questions, 240, by="stratified", seed=4, status=by_item)
    done = [one.item for one in sample.items if one.stratum == "split"][:few]
    seen = [
        c if c.status == "unanimous" or c.item in done else replace(c, human=None)
        for c in hidden(cases, sample)
    ]
    scale = (0.0, top)
    told = told_of(seen, sample, scale=scale, judges=("a", "b", "c"))
    assert told["thin"] == {"split": few}
    made = told["grade"] if graded else told
    rate = made["corrected"] if graded else made["rate"]
    assert (rate["name"], rate["method"]) == ("people alone", "Wilson on the effective number of items")
    assert rate["low"] < 0.5 * top < rate["high"]
    if graded:
        assert made["people"]["value"] == rate["point"]
    labels = "label" if few == 1 else "labels"
    for row in made["rates"]:
        if row["name"] != "people alone":
            why = f"split has {few} {labels}, fewer than 5 of a stratum"
            assert (row["point"], row["low"], row["reason"]) == (None, None, why)
    assert any(f"Split has {few} {labels}, fewer than 5 of a stratum: strata" in s for s in told["sentences"])
    # with enough of each the panel helps again
    enough = told_of(hidden(cases, sample), sample, scale=scale, judges=("a", "b", "c"))
    assert enough["thin"] == {}
    assert enough["rates"][0]["low"] < 0.5 < enough["rates"][0]["high"]


def test_more_items_are_at_least_five_of_each_stratum():
    cases = [replace(c, panel=None, status="undecided") if i < 12 else c for i, c in enumerate(world(800))]
    questions = {case.item: case.cluster for case in cases}
    status = {case.item: case.status for case in cases}
    sample = further(draw(questions, 100, seed=1), questions, 30, seed=1, status=status)
    assert min(sample.phases[-1].drawn[name] for name in ("split", "undecided")) >= 5


def uneven():
    """900 unanimous items on which people always agree and 100 split ones on half; 60 labels of each."""
    panel = [float(i % 2) for i in range(900)] + [1.0] * 100
    human = [float(i % 2) if i < 60 or 900 <= i < 960 else None for i in range(1000)]
    votes = [(p,) * 3 if i < 900 else (1.0, 1.0, 0.0) for i, p in enumerate(panel)]
    status = ["unanimous"] * 900 + ["split"] * 100
    cases = cases_from(panel, human, status=status, votes=votes)
    questions = {case.item: case.cluster for case in cases}
    sample = draw(questions, 120, by="stratified", seed=1, status={c.item: c.status for c in cases})
    labelled = [case for case in cases if case.human is not None]
    there = {"unanimous": 900, "split": 100}
    return cases, replace(
        sample,
        items=tuple(
            Drawn(item=c.item, question=c.cluster, stratum=c.status, probability=60 / there[c.status])
            for c in labelled
        ),
        phases=(replace(sample.phases[0], drawn={"unanimous": 60, "split": 60}),),
    )


def test_disputed_and_single_judges_are_weighted_as_the_agreement_is():
    cases, sample = uneven()
    made = calibrate(cases, sample, judges=("a", "b", "c"), **FAST)
    assert made["agreement"]["value"] == pytest.approx(0.95)
    disputed = made["disputed"]
    assert disputed["value"] == pytest.approx(0.05)
    assert disputed["low"] == pytest.approx(1 - made["agreement"]["high"])
    assert disputed["high"] == pytest.approx(1 - made["agreement"]["low"])
    assert (disputed["n"], disputed["k"]) == (120, None)
    for row in made["singles"]:
        assert row["agreement"] == pytest.approx(0.95)
        assert row["low"] == pytest.approx(made["agreement"]["low"])
        assert row["rate"] == pytest.approx(0.45 + (0.1 if row["judge"] != "c" else 0.0))
        assert row["n"] == 120
    # without a label of the split items nothing is said of the whole
    bare = [replace(c, human=None) if c.status == "split" else c for c in cases]
    made = calibrate(bare, sample, judges=("a", "b", "c"), **FAST)
    for row in (made["disputed"]["value"], made["singles"][0]["agreement"], made["singles"][0]["rate"]):
        assert row is None
    assert "no label yet in split" in made["disputed"]["reason"]
    assert "no label yet in split" in made["singles"][0]["reason"]


@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_over_chance_have_the_bound_of_the_agreement_and_not_a_shares(weighted):
    said = [1, 1] * 3 + [0, 0] * 3
    clusters = [str(i // 2) for i in range(12)]
    chance = [0.5] * 12 if weighted else None
    _, made = against(said, said, clusters, chance, {"level": 0.95, "resamples": 200, "seed": 1})
    low = made["agreement"]["by_question"]["low"]
    assert low == pytest.approx(0.61, abs=0.005)
    for name in ("ac1", "kappa"):
        found = made[name]["by_question"]
        assert (found["low"], found["high"]) == (pytest.approx((low - 0.5) / 0.5), 1.0)
        assert found["method"] == "through the bound of agreement"
        assert made[name]["low"] == pytest.approx((made["agreement"]["low"] - 0.5) / 0.5)
    for name in ("positive", "negative"):
        assert (made[name]["low"], made[name]["no_interval"]) == (None, "no variation seen")


def test_raters_who_never_vary_have_a_degenerate_ac1_weighted_or_not():
    options = {"level": 0.95, "resamples": 50, "seed": 1}
    for chance in (None, [0.5] * 40):
        _, made = against([1] * 40, [1] * 40, list(map(str, range(40))), chance, options)
        assert made["ac1"]["degenerate"]
        assert made["ac1"]["low"] is None


def test_waiting_items_do_not_shift_the_weights():
    cases = world(1500)
    questions = {case.item: case.cluster for case in cases}
    status = {case.item: case.status for case in cases}
    truth = sum(case.human for case in cases) / len(cases)
    found = {"PPI, l = 1": [], "people alone": []}
    for seed in range(40):
        sample = further(draw(questions, 80, seed=seed), questions, 60, seed=seed, status=status)
        late = {one.item for one in sample.items if one.phase == 2}
        seen = [replace(c, human=None) if c.item in late else c for c in hidden(cases, sample)]
        for row in calibrate(seen, sample, resamples=20)["rates"]:
            if row["name"] in found:
                found[row["name"]].append(row["point"])
    for points in found.values():
        assert sum(points) / 40 == pytest.approx(truth, abs=0.025)


def test_below_100_labels_a_sample_that_is_not_uniform_goes_by_people_alone():
    cases = world(1500)
    questions = {case.item: case.cluster for case in cases}
    status = {case.item: case.status for case in cases}
    for n, name in ((80, "people alone"), (120, "PPI++, stratified")):
        sample = draw(questions, n, by="stratified", seed=1, status=status)
        assert calibrate(hidden(cases, sample), sample, **FAST)["rate"]["name"] == name
    uniform = draw(questions, 80, seed=1)
    assert calibrate(hidden(cases, uniform), uniform, **FAST)["rate"]["name"] == "PPI++, stratified"


def test_where_no_value_varies_the_corrected_rates_have_no_interval_and_people_alone_have_wilsons():
    cases = cases_from([0.0] * 4, [0.0] * 4)
    made = calibrate(cases, all_drawn(cases), **FAST)
    rows = {row["name"]: row for row in made["rates"]}
    assert (rows["PPI++"]["low"], rows["PPI++"]["reason"]) == (None, "no variation seen")
    assert rows["people alone"]["high"] > 0.4
    assert made["rate"]["name"] == "people alone"
    cases = cases_from([None] * 4, [0.0] * 4)
    made = calibrate(cases, all_drawn(cases), **FAST)
    told = trust_words(trust(numbers_of(made), lines_of({})[0]))
    assert "No item has both a person's label and a decision of the panel." in told


def test_where_the_panel_decided_nothing_there_is_nothing_of_it_to_correct():
    cases = cases_from([None] * 60, [1.0, 0.0, 1.0] * 20)
    made = calibrate(cases, all_drawn(cases), **FAST)
    assert [row["name"] for row in made["rates"]] == ["people alone"]
    assert made["rate"]["point"] == pytest.approx(2 / 3)
    assert "judge_unused" in made["rate"]["flags"]
