"""Which estimate is the headline, and from when on: at the edges of each rule."""

import pytest

from evenhand.judge.calibration.columns import Column
from evenhand.judge.calibration.corrected_rate import ALONE, HEADLINE, rates
from evenhand.stats.power.prediction_powered import ppi_labels_needed


def column(human, panel, stratum=None, *, uniform=True, **more):
    stratum = stratum or ["unanimous"] * len(panel)
    settings = {"low": 0.0, "high": 1.0, "share": True} | more
    return Column(human=tuple(human), panel=tuple(panel), stratum=tuple(stratum), uniform=uniform, **settings)


def made(of, held=None, level=0.95):
    return rates(of, held, level=level, half_width=0.1)


def fair(n, rest):
    """*n* labels, half of them yes, and a panel that is wrong on every tenth, either way; *rest* items without."""
    human = [float(i % 2) for i in range(n)]
    panel = [1 - y if i % 20 in (0, 9) else y for i, y in enumerate(human)]
    return human + [None] * rest, panel + [float(i % 2) for i in range(rest)]


@pytest.mark.parametrize(("uniform", "least"), [(True, 30), (False, 100)])
def test_the_panel_is_used_from_30_labels_on_and_where_chances_differ_from_100_on(uniform, least):
    for n, name in ((least - 1, ALONE), (least, HEADLINE)):
        human, panel = fair(n, 200)
        strata = (["unanimous", "unanimous", "split", "split"] * len(panel))[: len(panel)]
        headline, every, _ = made(column(human, panel, strata, uniform=uniform))
        assert every[0]["gain"] > 1
        assert headline["name"] == name
        assert ("judge_unused" in headline["flags"]) == (name == ALONE)


def test_a_panel_that_adds_nothing_is_not_used():
    human, _ = fair(60, 100)
    headline, every, _ = made(column(human, [1.0] * 160))  # it always says the same
    assert every[0]["gain"] == 1.0
    assert (headline["name"], headline["point"]) == (ALONE, 0.5)


def test_few_labels_of_a_stratum_go_with_others_where_all_had_the_same_chance_and_stand_alone_elsewhere():
    human, panel = fair(110, 100)
    strata = ["split"] * 3 + ["unanimous"] * 107 + ["split"] * 20 + ["unanimous"] * 80
    _, every, _ = made(column(human, panel, strata))
    assert len(every[0]["weights"]) == 1
    headline, every, _ = made(column(human, panel, strata, uniform=False))
    assert headline["name"] == ALONE
    assert all(row["point"] is None for row in every if row["name"] != ALONE)


def test_peoples_mean_grade_alone_is_weighted_where_chances_differ():
    human = [2.0, 2.0, 1.0, 0.0] + [0.0, 1.0, 0.0, 1.0] + [None] * 12
    strata = ["split"] * 4 + ["unanimous"] * 4 + ["unanimous"] * 12
    panel = [1.0] * 20
    more = {"high": 2.0, "share": False}
    _, every, _ = made(column(human, panel, strata, uniform=False, **more))
    assert every[1]["name"] == ALONE
    assert every[1]["point"] == pytest.approx(5 / 4 * 4 / 20 + 2 / 4 * 16 / 20)
    _, every, _ = made(column(human, panel, strata, **more))
    assert every[1]["point"] == pytest.approx(7 / 8)


def test_peoples_mean_grade_alone_does_not_listen_to_the_panel():
    human = [2.0, 0.0, 2.0, 0.0] * 5 + [None] * 20
    panel = [2.0, 0.0, 2.0, 0.0] * 5 + [2.0] * 20  # it says that the rest is better
    headline, every, _ = made(column(human, panel, high=2.0, share=False))
    assert every[1]["point"] == pytest.approx(1.0)
    assert every[2]["point"] == pytest.approx(2.0)  # l = 1 believes it
    assert headline["name"] == ALONE


def test_effective_labels_are_labels_times_gain():
    human, panel = fair(60, 200)
    _, every, _ = made(column(human, panel))
    for row in every[:4]:
        assert row["effective_n"] == pytest.approx(row["gain"] * 60, rel=1e-6)
    assert (every[1]["gain"], every[1]["effective_n"]) == (1.0, 60)


def test_a_panel_that_says_the_opposite_saves_no_label():
    human, panel = fair(100, 100)
    _, _, with_it = made(column(human, panel))
    _, _, against = made(column(human, [1 - f for f in panel]))
    assert with_it["rho"] == pytest.approx(0.8)
    assert against["rho"] == pytest.approx(-0.8)
    assert against["labels_needed"] == against["labels_needed_alone"] == 97
    assert with_it["labels_needed"] < 97


def test_labels_still_needed_count_the_items_that_there_are():
    human, panel = fair(100, 100)
    headline, _, outlook = made(column(human, panel))
    rho = outlook["rho"]
    want = ppi_labels_needed(headline["point"], rho, 0.1, items=200).n
    assert outlook["labels_needed"] == want != ppi_labels_needed(headline["point"], rho, 0.1).n
    human, panel = [1.0, 0.0, *[None] * 98], [1.0, 0.0] * 50
    assert made(column(human, panel))[2]["labels_needed"] is not None
    assert made(column([1.0, *[None] * 99], panel))[2]["labels_needed"] is None


def test_a_stratum_without_a_label_leaves_the_whole_unknown_and_the_labels_counted():
    human = [1.0, 0.0] * 10 + [None] * 10
    headline, every, _ = made(column(human, [1.0] * 30, ["split"] * 20 + ["unanimous"] * 10, uniform=False))
    assert [row["name"] for row in every] == [HEADLINE, ALONE]
    for row in (headline, *every):
        assert (row["point"], row["low"], row["n"]) == (None, None, 20)
        assert "no label yet in unanimous" in row["reason"]
