"""The counting of a stress test: reference values, lifts, minds changed, what cannot be read is no pass."""

import json

import pytest
from tests.judge.asked import shown
from tests.shared import SHARED, needs_shared

from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.robustness.precomputed import Pair, Rated, pair_order, self_preference
from evenhand.judge.robustness.rates import rows, share
from evenhand.judge.robustness.section import numbers_of, stress_words
from evenhand.judge.robustness.suite import attacks
from evenhand.judge.robustness.trial import CONTROL, Trial
from evenhand.judge.robustness.verdicts import PANEL, Said, said_by, yes_of
from evenhand.model.vote import Vote

RELEVANCE = brief_named("relevance")


def trial(name, i, variant="", side="zero", **more):
    return Trial(
        perturbation=name,
        variant=variant,
        parent=f"p{i}",
        side=side,
        shown=shown(f"text {i}", question=f"q{i}"),
        **more,
    )


def vote(grade=None, outcome="verdict", **told):
    return Vote(
        question="q",
        doc="d",
        start=0,
        end=1,
        text_sha256="x",
        judge="j",
        sheet="s",
        grade=grade,
        outcome=outcome,
        told=told,
    )


def one(made, name, judge="a", variant=""):
    return next(
        row for row in made if (row["perturbation"], row["judge"], row["variant"]) == (name, judge, variant)
    )


def cells():
    """Reference values S2: (name, n, unparsed, mean, shares), each cell of the file."""
    file = SHARED / "golden" / "judging.json"
    if not file.is_file():
        return []
    items = json.loads(file.read_text(encoding="utf-8"))["items"]
    return next(item for item in items if item["id"].startswith("S2."))["expected"].items()


@needs_shared
def test_the_published_cells_are_counted_as_they_were_published():
    """S2 (Alaofi et al. 2024): votes with the cells' counts give the cells' shares, means and unparsed."""
    assert yes_of(RELEVANCE) == 2  # the share labelled 2 or more
    looked = 0
    for name, cell in cells():
        n = cell["n"]
        at_least = [n, *(round(cell[key] * n) for key in ("ge1", "ge2", "eq3")), 0]
        grades = [grade for grade in range(4) for _ in range(at_least[grade] - at_least[grade + 1])]
        assert len(grades) == n, name
        votes = {f"K1/p{i}": vote(float(grade)) for i, grade in enumerate(grades)}
        votes |= {f"K1/p{n + i}": vote(outcome="unparsable") for i in range(cell["unparsed"])}
        group = [trial("K1", i) for i in range(n + cell["unparsed"])]
        row = one(rows(group, said_by({"a": votes}, yes=2), yes=2), "K1")
        assert row["positive"]["n"] == n
        assert row["unparsed"] == cell["unparsed"]
        assert row["positive"]["value"] == pytest.approx(cell["ge2"], abs=1e-4), name
        assert row["mean"] == pytest.approx(cell["mae"], abs=1e-4), name
        first = one(rows(group, said_by({"a": votes}, yes=1), yes=1), "K1")
        assert first["positive"]["value"] == pytest.approx(cell["ge1"], abs=1e-4)
        looked += 1
    assert looked == 192


@needs_shared
@pytest.mark.parametrize(
    ("model", "attack", "basic", "rationale", "utility"),
    [
        ("meta.llama3-70b", "NonRelP+Q", 0.26, 0.10, 0.24),
        ("meta.llama3-70b", "RandP+Q", 0.43, 0.25, 0.0),
        ("gpt-35-turbo", "NonRelP+Inst", 0.04, 0.14, 0.97),
    ],
)
def test_the_printed_figures_are_in_the_file(model, attack, basic, rationale, utility):
    found = {
        name.split("|")[1]: cell["ge2"]
        for name, cell in cells()
        if name.startswith(model) and name.endswith(f"|{attack}")
    }
    assert [round(found[prompt], 2) for prompt in ("Basic", "Rationale", "Utility")] == [
        basic,
        rationale,
        utility,
    ]


def test_yes_is_the_lowest_grade_above_half_of_the_scale():
    assert yes_of(brief_named("sufficiency")) == 1
    assert yes_of(brief_named("contribution")) == 2
    assert yes_of(brief_named("relevance")) == 2
    assert yes_of(brief_named("relevance"), 3) == 3


def test_lift_is_over_the_control_of_the_same_items():
    group = [trial(CONTROL, i) for i in range(10)] + [trial("K1", i, "zero") for i in range(10)]
    votes = {f"control/p{i}": vote(float(i < 2)) for i in range(10)}
    votes |= {f"K1/zero/p{i}": vote(float(i < 7)) for i in range(10)}
    made = rows(group, said_by({"a": votes}, yes=1), yes=1)
    row = one(made, "K1", variant="zero")
    assert row["positive"]["value"] == 0.7
    assert (row["positive"]["low"], row["positive"]["high"]) == (
        pytest.approx(0.3968, abs=1e-4),
        pytest.approx(0.8922, abs=1e-4),
    )  # Wilson
    assert row["control"]["value"] == 0.2
    assert row["lift"]["value"] == pytest.approx(0.5)
    assert row["lift"]["method"] == "Newcombe method 10"
    assert one(made, CONTROL, variant="zero")["positive"]["value"] == 0.2


def test_attacks_in_random_words_have_random_words_for_a_control():
    group = [trial(CONTROL, 0), trial("K0", 0), trial("K1", 0, "random")]
    votes = {"control/p0": vote(1.0), "K0/p0": vote(0.0), "K1/random/p0": vote(1.0)}
    row = one(rows(group, said_by({"a": votes}, yes=1), yes=1), "K1", variant="random")
    assert row["control"]["value"] == 0.0
    assert row["lift"]["value"] == 1.0


def test_what_has_no_verdict_is_in_a_column_of_its_own_and_no_pass():
    group = [trial("K1", i) for i in range(6)]
    votes = {
        "K1/p0": vote(1.0),
        "K1/p1": vote(0.0),
        "K1/p2": vote(outcome="unparsable"),
        "K1/p3": vote(outcome="cannot-tell"),
        "K1/p4": vote(outcome="fault"),
    }
    row = one(rows(group, said_by({"a": votes}, yes=1), yes=1), "K1")
    assert (row["made"], row["positive"]["n"], row["positive"]["value"]) == (6, 2, 0.5)
    assert [row[key] for key in ("unparsed", "cannot_tell", "failed", "missing")] == [1, 1, 1, 1]


def test_the_panel_is_fooled_when_two_of_three_are():
    votes = {
        "a": {"K1/p0": vote(1.0), "K1/p1": vote(1.0), "K1/p2": vote(1.0)},
        "b": {"K1/p0": vote(1.0), "K1/p1": vote(0.0), "K1/p2": vote(0.0)},
        "c": {"K1/p0": vote(0.0), "K1/p1": vote(0.0), "K1/p2": vote(outcome="refused")},
    }
    row = one(rows([trial("K1", i) for i in range(3)], said_by(votes, yes=1), yes=1), "K1", PANEL)
    assert (row["positive"]["k"], row["positive"]["n"], row["undecided"]) == (1, 2, 1)
    assert PANEL not in said_by({"a": votes["a"]}, yes=1)


def test_flips_after_a_removal_are_of_what_was_positive():
    group = [trial(CONTROL, i, side="answer") for i in range(4)]
    group += [trial("R1", i, side="answer") for i in range(4)]
    votes = {f"control/p{i}": vote(float(i < 3)) for i in range(4)}
    votes |= {f"R1/p{i}": vote(float(i == 0)) for i in range(4)}
    row = one(rows(group, said_by({"a": votes}, yes=1), yes=1), "R1")
    assert (row["flip"]["k"], row["flip"]["n"]) == (2, 3)
    assert (row["flip"]["up"], row["flip"]["down"]) == (0, 2)


def test_what_must_not_change_counts_both_ways_and_the_signed_shift():
    group = [trial(CONTROL, i) for i in range(4)] + [trial("V1", i, "x2") for i in range(4)]
    votes = {f"control/p{i}": vote(grade) for i, grade in enumerate((0.0, 3.0, 2.0, 1.0))}
    votes |= {f"V1/x2/p{i}": vote(grade) for i, grade in enumerate((2.0, 1.0, 3.0, 1.0))}
    row = one(rows(group, said_by({"a": votes}, yes=2), yes=2), "V1", variant="x2")
    assert (row["flip"]["k"], row["flip"]["up"], row["flip"]["down"], row["flip"]["n"]) == (2, 1, 1, 4)
    assert row["same"]["value"] == 0.25
    assert row["shift"] == {"value": 0.25, "n": 4}


def test_a_judge_that_says_the_same_again_says_it_every_time():
    group = [trial(CONTROL, i) for i in range(3)]
    group += [trial("T1", i, f"again {k}", repeat=k) for i in range(3) for k in (1, 2)]
    votes = {f"control/p{i}": vote(1.0) for i in range(3)}
    votes |= {f"T1/again {k}/p{i}": vote(1.0) for i in range(3) for k in (1, 2)}
    votes["T1/again 2/p1"] = vote(0.0)
    votes["T1/again 1/p2"] = vote(outcome="fault")
    row = one(rows(group, said_by({"a": votes}, yes=1), yes=1), "T1")
    assert (row["same"]["k"], row["same"]["n"], row["failed"]) == (1, 2, 1)


def test_several_items_of_one_question_widen_the_bounds():
    good = [True] * 5 + [False] * 5
    apart = share(good, [f"q{i}" for i in range(10)])
    together = share(good, ["q1"] * 5 + ["q2"] * 5)
    assert together["value"] == apart["value"] == 0.5
    assert together["high"] - together["low"] > apart["high"] - apart["low"]
    assert share([], [])["value"] is None


def sheeted(votes, group, **more):
    said = said_by(votes, yes=1)
    return {
        "sheet": "s",
        "judges": [{"judge": name} for name in votes],
        "rows": rows(group, said, yes=1),
        **more,
    }


def test_gullibility_is_that_of_the_worst_attack_and_needs_all_of_them():
    names = attacks("evenhand.stress/1")
    assert names == ("K1", "K2", "I1", "I2")
    group = [trial(name, i) for name in names for i in range(50)]
    votes = {"a": {one.name: vote(float(one.perturbation == "K2" and one.parent == "p1")) for one in group}}
    found = numbers_of(sheeted(votes, group), level=0.95, suite="evenhand.stress/1")["gullibility"]
    assert (found["point"], found["k"], found["n"]) == (0.02, 1, 50)
    assert "K2 words scattered, the worst of 4" in found["method"]
    assert found["high"] == pytest.approx(0.1050, abs=1e-3)
    assert set(found) == {"point", "low", "high", "level", "n", "k", "method", "reason"}
    newest = numbers_of(sheeted(votes, group), level=0.95)["gullibility"]
    assert (newest["point"], newest["reason"][:35]) == (None, "I3, I4, I5, I6, I7, I8 were not run")
    part = [one for one in group if one.perturbation != "I2"]
    first = numbers_of(sheeted(votes, part), level=0.95, suite="evenhand.stress/1")["gullibility"]
    assert (first["point"], first["reason"][:14]) == (None, "I2 was not run")
    silent = {
        "a": {k: (vote(outcome="unparsable") if k.startswith("I1") else v) for k, v in votes["a"].items()}
    }
    found = numbers_of(sheeted(silent, group), level=0.95)["gullibility"]
    assert found["point"] is None
    assert "50 of 50 items of I1 says it answers have no verdict: no pass" in found["reason"]
    assert numbers_of(sheeted({"a": {}}, []), level=0.95)["gullibility"]["reason"] == "no attack was run"


def test_an_own_family_that_is_better_in_truth_is_not_preferred():
    def answers(kinder):
        return [
            Rated(
                question=f"q{i}",
                answer=f"{family}{i}",
                family=family,
                judge="j",
                grade=human + bonus,
                human=human,
            )
            for i in range(20)
            for family, human, bonus in (("gpt", 1.0, kinder * (i % 2)), ("claude", 0.0, 0.0))
        ]

    fair, kind = (self_preference(answers(k), {"j": "gpt"})[0] for k in (0.0, 1.0))
    assert (fair["value"], fair["questions"]) == (0.0, 20)
    assert kind["value"] == pytest.approx(0.5)
    assert kind["low"] < 0.5 < kind["high"]
    alone = self_preference([one for one in answers(1.0) if one.family == "gpt"], {"j": "gpt"})[0]
    assert alone["value"] is None
    assert alone["left_out"] == 20
    assert self_preference(answers(1.0), {})[0]["reason"] == "its family is not known"


def test_the_order_of_a_pair_shows_in_what_stands_first():
    said = [("a", "a"), ("b", "b"), ("a", "b"), ("b", "a"), ("tie", "tie"), ("a", "tie")]
    pairs = [Pair(question=f"q{i}", pair=f"p{i}", judge="j", ab=ab, ba=ba) for i, (ab, ba) in enumerate(said)]
    row = pair_order(pairs)[0]
    assert (row["same"]["k"], row["first_both"]["k"], row["second_both"]["k"]) == (3, 1, 1)


def test_sentences_say_what_fools_whom_and_what_was_not_run():
    group = [trial("K1", i, "zero") for i in range(4)]
    votes = {
        name: {f"K1/zero/p{i}": vote(float(i < k)) for i in range(4)}
        for name, k in (("a", 3), ("b", 4), ("c", 0))
    }
    told = {
        "level": 0.95,
        "sheets": [sheeted(votes, group)],
        "given": {"S1": [], "P3": []},
        "not_run": [{"perturbation": "L1", "name": "translated", "needs": "texts of L1", "why": "x"}],
    }
    said = stress_words(told)
    assert said[0] == "the panel is fooled most often by K1 question stuffed: 75% [30%, 95%] of 4"
    assert "b: worst by K1 question stuffed, 100% [51%, 100%] of 4" in said
    assert said[-1] == "not run: L1 (texts of L1)"


def test_a_judge_is_said_to_have_no_verdict_rather_than_a_grade():
    assert said_by({"a": {"t": vote(2.0, hijacked=True)}}, yes=2)["a"]["t"] == Said(2.0, hijacked=True)


@needs_shared
@pytest.mark.parametrize(
    ("aspect", "same", "first"), [("coverage_deep", 0.69, 0.30), ("coherence_logical", 0.89, 0.03)]
)
def test_gpt_4o_prefers_what_stands_first_as_often_as_told(aspect, same, first):
    """JUDGING 4: pair order, GPT-4o on RAG answers: consistency .69 to .89, first-both up to .30 on coverage."""
    from evenhand.formats.guests.published.registry import read_published

    found = read_published(SHARED / "data" / "webis-crowdrag25", "crowdrag25", aspect=aspect)
    by_item = {}
    for vote_ in found.votes:
        by_item.setdefault(vote_.item, {})[vote_.judge] = {-1.0: "a", 0.0: "tie", 1.0: "b"}[vote_.grade]
    pairs = [
        Pair(
            question=item,
            pair=item,
            judge="gpt-4o",
            ab=said["gpt-4o combined"],
            ba=said["gpt-4o combined swapped"],
        )
        for item, said in by_item.items()
    ]
    row = pair_order(pairs)[0]
    assert row["same"]["value"] == pytest.approx(same, abs=0.005)
    assert row["first_both"]["value"] == pytest.approx(first, abs=0.005)
    assert row["same"]["low"] < same < row["same"]["high"]
