"""Two sides held together: verdicts, what is refused, what is counted."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.study.sides import only, side

from evenhand.errors import InputError
from evenhand.model.plan.check import CheckPlan
from evenhand.study.regression.compare import check

PLAN = CheckPlan(margins={"": 0.03})
DICE = np.random.default_rng(8)
NOISY = side(n=60)
NOISE = {
    key: [x + e for x, e in zip(column, DICE.normal(-0.02, 0.15, 60).tolist(), strict=True)]
    if key[1] == "nDCG@10"
    else column
    for key, column in NOISY.values.items()
}


def verdicts(made):
    return {(row["system"], row["metric"]): row["verdict"] for row in made["rows"]}


@pytest.mark.parametrize(
    ("shift", "verdict", "code"), [(0.0, "pass", 0), (0.2, "pass", 0), (-0.2, "fail", 1)]
)
def test_results_pass_or_fail_by_the_margin(shift, verdict, code):
    made = check(side(shift=shift), side(), PLAN)
    assert (made["verdict"], made["exit_code"]) == (verdict, code)
    assert made["questions"]["paired"] == 60
    assert made["rows"][0]["difference"] == pytest.approx(shift)


@pytest.mark.parametrize(("policy", "code"), [("4", 4), ("fail", 1), ("pass", 0)])
def test_what_cannot_be_told_goes_by_the_declared_policy(policy, code):
    made = check(side(NOISE), side(), replace(PLAN, inconclusive=policy))
    assert made["verdict"] == "inconclusive"
    assert made["exit_code"] == code
    row = made["rows"][0]
    assert row["low"] < -0.03 < row["high"]
    assert row["needed"]["if_equal"] > 60
    assert f"{row['needed']['if_equal']:,} questions would decide it" in row["sentence"]


def test_a_fail_is_not_hidden_by_what_cannot_be_told():
    values = {**NOISE, ("b", "nDCG@10"): [x - 0.5 for x in NOISE["b", "nDCG@10"]]}
    made = check(side(values), side(), replace(PLAN, inconclusive="pass"))
    assert verdicts(made) == {("a", "nDCG@10"): "inconclusive", ("b", "nDCG@10"): "fail"}
    assert made["exit_code"] == 1


def test_questions_are_paired_by_id_and_not_by_place():
    turned = side()
    backwards = replace(
        turned,
        questions=turned.questions[::-1],
        values={key: column[::-1] for key, column in turned.values.items()},
    )
    made = check(backwards, side(), PLAN)
    assert made["rows"][0]["ties"] == 60
    assert made == check(side(), side(), PLAN)


def test_one_system_is_held_against_another():
    made = check(side(), side(), replace(PLAN, systems=("a",), against="b"))
    assert [(row["system"], row["against"]) for row in made["rows"]] == [("a", "b")]
    assert made["rows"][0]["wins"] > 0


def test_several_metrics_are_a_family_where_that_is_declared():
    plan = CheckPlan(margins={"nDCG@10": 0.03, "Success(rel=2)@5": 0.1}, adjust="holm")
    made = check(side(), side(), plan)
    assert made["family"] == 4
    assert {row["metric"]: row["test"] for row in made["rows"]} == {
        "nDCG@10": "paired t",
        "Success(rel=2)@5": "Newcombe method 10",
    }
    assert made["rows"][0]["level"] == pytest.approx(1 - 2 * 0.05 / 4)


# --- what is refused --------------------------------------------------------------------------------------


def test_other_questions_are_refused_by_name_unless_the_common_ones_are_asked_for():
    new = only(side(), side().questions[5:])
    new = replace(new, content={**new.content, "q010": "another seal"})
    with pytest.raises(
        InputError, match=r"0 questions only in the results, 5 only in the baseline, 1 changed"
    ) as caught:
        check(new, side(), PLAN)
    assert "q010" in caught.value.what
    assert "54 common questions by name: --common" in caught.value.mend
    made = check(new, side(), replace(PLAN, common=True))
    assert made["questions"]["paired"] == 54
    assert made["questions"]["changed"] == ["q010"]
    assert [one["count"] for one in made["warnings"]] == [5, 1]


def test_another_split_is_refused():
    with pytest.raises(InputError, match="split 'holdout' against 'dev'"):
        check(side(split="holdout"), side(), PLAN)


def test_no_common_question_is_refused_even_when_asked_for():
    new = side()
    new = replace(new, questions=tuple(f"x{q}" for q in new.questions), gold="h" * 64)
    with pytest.raises(InputError, match="no question is common"):
        check(new, side(), replace(PLAN, common=True))


def test_gold_sets_that_differ_in_what_no_metric_reads_are_the_same():
    made = check(side(gold="h" * 64), side(), PLAN)
    assert made["verdict"] == "pass"
    assert [one["kind"] for one in made["warnings"]] == ["gold"]


def test_gold_sets_whose_questions_are_not_known_one_by_one_are_refused():
    with pytest.raises(InputError, match="the baseline cannot tell which questions are the same"):
        check(side(gold="h" * 64), side(content=None), replace(PLAN, common=True))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"definitions": {"nDCG@10": "nDCG@10: with other gains"}}, "nDCG@10 is “nDCG@10: graded"),
        ({"spans": "any"}, "evidence counts by 'nuggets' in the results and by 'any' in the baseline"),
        ({"judgements": "x"}, "the results used no judgements"),
    ],
)
def test_what_is_measured_otherwise_is_refused_also_on_common_questions(change, told):
    with pytest.raises(InputError, match=told):
        check(side(), side(**change), replace(PLAN, common=True))


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"margins": {"Success(rel=2)@5": 0.1}}, "nDCG@10, the primary metric, has no margin"),
        ({"margins": {"": 0.1, "nDCG@10": 0.2}}, "given twice"),
        ({"margins": {"": 0.1, "nDCG@5": 0.2}}, "nDCG@5 was not measured"),
        ({"systems": ("c",)}, "no system 'c'"),
        ({"against": "b"}, "held against nothing"),
        ({"systems": ("a",), "against": "z"}, "the baseline has no system 'z'"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(plan, told):
    with pytest.raises(InputError, match=told):
        check(side(), side(), replace(PLAN, **plan))


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"margins": {}}, "no margin is declared"),
        ({"margins": {"": 0.0}}, "the margin of the primary metric is 0"),
        ({"margins": {"": 0.1}, "inconclusive": "skip"}, "inconclusive 'skip' is not known"),
        ({"margins": {"": 0.1}, "alpha": 0.0}, "alpha is 0"),
        ({"margins": {"": 0.1}, "systems": ("a", "b"), "against": "a"}, "2 systems are held against 'a'"),
    ],
)
def test_a_plan_that_declares_nothing_sound_is_refused(plan, told):
    with pytest.raises(InputError, match=told):
        CheckPlan(**plan)


def test_systems_without_a_name_in_common_are_named():
    values = {("z", m): column for (s, m), column in side().values.items() if s == "a"}
    with pytest.raises(InputError, match="z in the results, a, b in the baseline"):
        check(side(values), side(), PLAN)


# --- what is counted and said -----------------------------------------------------------------------------


def test_a_question_undefined_on_one_side_is_no_pair_and_is_counted():
    values = {key: list(column) for key, column in side().values.items()}
    values["a", "nDCG@10"][0] = None
    made = check(side(values), side(), PLAN)
    assert [(row["n"], row["undefined_results"]) for row in made["rows"]] == [(59, 1), (60, 0)]
    assert made["warnings"][0]["text"] == "1 question undefined in the results alone, which makes no pair"


def test_a_system_that_could_not_be_asked_everything_does_not_pass():
    made = check(side(not_run={"a": 7}), side(), PLAN)
    assert verdicts(made) == {("a", "nDCG@10"): "inconclusive", ("b", "nDCG@10"): "pass"}
    assert made["exit_code"] == 4
    assert "7 questions could not be asked" in made["rows"][0]["sentence"]
    failed = check(side(not_run={"a": 7}, shift=-0.3), side(), PLAN)
    assert failed["verdict"] == "fail"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"corpus": "d" * 64}, "corpus"),
        ({"versions": {"evenhand": "0.2.0"}}, "version"),
        ({"notes": ("three wait",)}, "provisional"),
    ],
)
def test_what_may_bias_a_check_is_warned_of(change, kind):
    made = check(side(**change), side(), PLAN)
    assert [one["kind"] for one in made["warnings"]] == [kind]


def test_a_system_that_is_gone_is_warned_of_unless_systems_are_named():
    values = {key: column for key, column in side().values.items() if key[0] == "a"}
    assert [one["kind"] for one in check(side(values), side(), PLAN)["warnings"]] == ["systems"]
    assert check(side(values), side(), replace(PLAN, systems=("a",)))["warnings"] == []


def test_questions_that_belong_together_are_warned_of_until_the_test_reckons_with_them():
    gaps = np.repeat(np.random.default_rng(4).normal(0, 0.1, 12), 5).tolist()
    clusters = {f"q{i:03}": f"c{i // 5}" for i in range(60)}
    new = side({("a", "nDCG@10"): gaps}, cluster=clusters)
    old = side({("a", "nDCG@10"): [0.0] * 60}, cluster=clusters)
    made = check(new, old, PLAN)
    assert [(one["kind"], one["count"]) for one in made["warnings"]] == [("clusters", 12)]
    assert check(new, old, replace(PLAN, test="clusters"))["warnings"] == []


def test_few_questions_are_warned_of():
    assert [w["kind"] for w in check(side(n=12), side(n=12), PLAN)["warnings"]] == ["few"]


CRITERIA = {
    "of": 1,
    "met": 0,
    "not_met": 1,
    "undecided": 0,
    "rows": [
        {
            "name": "good", "on": "a.nDCG@10", "at_least": 0.9, "at_most": None, "by": "point", "level": 0.95,
            "role": "success", "point": 0.5, "bound": 0.4, "verdict": "not met",
        }
    ],
}  # fmt: skip


def test_criteria_of_the_report_are_stated_again_and_count_where_that_is_declared():
    old = side(criteria={"rows": [{"name": "good", "verdict": "met"}]})
    made = check(side(criteria=CRITERIA), old, PLAN)
    assert (made["verdict"], made["exit_code"]) == ("pass", 0)
    assert made["criteria"]["rows"][0]["before"] == "met"
    assert "0 of 1 met (good not); met in the baseline: good; they do not count here" in made["sentences"][-1]
    assert check(side(criteria=CRITERIA), old, replace(PLAN, criteria=True))["exit_code"] == 1


def of_criteria(*verdicts, **changes):
    """Criteria of a report with one row a verdict."""
    rows = [
        {**CRITERIA["rows"][0], "name": f"c{i}", "verdict": one, **changes} for i, one in enumerate(verdicts)
    ]
    tally = {
        key: verdicts.count(word)
        for key, word in (("met", "met"), ("not_met", "not met"), ("undecided", "cannot be decided"))
    }
    return {"of": len(rows), **tally, "rows": rows}


WORDS = {"Passed": "pass", "Failed": "fail", "Inconclusive": "inconclusive"}


def voices(made, capsys):
    """What each output of a check says of it: pass, fail or inconclusive."""
    from xml.etree import ElementTree as ET

    from evenhand.cli.study.check import _say
    from evenhand.report.sections.regression.ci_formats import github_lines, junit, summary

    top = ET.fromstring(junit(made))  # noqa: S314
    notes = [line.partition(" ")[0] for line in github_lines(made, file="a.toml", lines={})]
    _say(made, json=False)
    first = next(line for line in capsys.readouterr().out.splitlines() if line.partition(":")[0] in WORDS)
    _say(made, json=True)
    shown = json.loads(capsys.readouterr().out)
    return {
        "status": made["status"],
        "exit code": {0: "pass", 1: "fail", 4: "inconclusive"}[made["exit_code"]],
        "sentence": WORDS[made["sentences"][0].partition(":")[0]],
        "terminal": WORDS[first.partition(":")[0]],
        "json": shown["status"],
        "markdown": summary(made).splitlines()[0].split()[-1],
        "mark": {"✓": "pass", "✗": "fail", "?": "inconclusive"}[summary(made).split()[1]],
        "junit": "fail"
        if int(top.get("failures"))
        else "inconclusive"
        if int(top.get("skipped"))
        else "pass",
        "annotations": "fail" if "::error" in notes else "inconclusive" if "::warning" in notes else "pass",
    }


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("policy", ["4", "fail", "pass"])
@pytest.mark.parametrize("rows", ["pass", "fail", "inconclusive"])
@pytest.mark.parametrize(
    "criteria",
    [
        None,
        of_criteria("met", "met"),
        of_criteria("met", "not met"),
        of_criteria("cannot be decided", "met"),
        of_criteria("cannot be decided", "not met"),
        {**of_criteria("not met", role="descriptive"), "of": 0, "not_met": 0},
        {**of_criteria("not met", planned={"withdrawn": True}), "of": 0, "not_met": 0},
    ],
    ids=["none", "met", "not met", "undecided", "both", "descriptive", "withdrawn"],
)
def test_every_output_of_a_check_speaks_with_one_voice(rows, criteria, policy, counts, capsys):
    new = {"pass": side(), "fail": side(shift=-0.2), "inconclusive": side(NOISE)}[rows]
    plan = replace(PLAN, inconclusive=policy, criteria=counts and criteria is not None)
    made = check(replace(new, criteria=criteria), side(), plan)
    found = {row["verdict"] for row in made["rows"]} - ({"pass"} if rows != "pass" else set())
    assert found == {rows}
    said = voices(made, capsys)
    assert len(set(said.values())) == 1, said
    counted = (criteria or {}) if plan.criteria else {}
    if rows == "fail" or counted.get("not_met"):
        assert made["status"] == "fail"
    elif rows == "inconclusive" or counted.get("undecided"):
        assert made["status"] == {"4": "inconclusive"}.get(policy, policy)
    else:
        assert made["status"] == "pass"


def test_criteria_that_are_to_count_and_are_not_there_are_no_pass():
    with pytest.raises(InputError, match="criteria are to count, and the report has none"):
        check(side(), side(), replace(PLAN, criteria=True))
