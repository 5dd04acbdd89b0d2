"""The page of disagreements is what the program computes, and what the peers say where they are installed."""

import os

import pytest
from tests.docs.disagreements import CASES, PAGE, TRUE, ours, render, said, shown
from tests.oracles.against_peers import ask_for

PEERS = os.environ.get("EVENHAND_PEERS_PYTHON", "")


def test_the_page_is_the_one_that_is_computed():
    assert PAGE.read_text(encoding="utf-8") == render(), "make it anew: python -m tests.docs.disagreements"


def test_evenhand_gives_what_the_reference_gives_and_no_name_two_numbers():
    for metric in ("nDCG@5", "AP@5", "R@5"):
        reference = said()[metric][0]["values"]
        assert ours(metric) == reference, metric
    assert (
        ours("RagasContextPrecision@5")
        == ours("AP(denom=retrieved)@5")
        == ["1.000", "1.000", "1.000", "0", "1.000"]
    )


def test_every_number_that_differs_from_the_metric_named_is_marked():
    for metric, rows in said().items():
        for one in rows:
            for text, right in zip(one["values"], ours(TRUE[metric]), strict=True):
                assert text.endswith("*") == (text.strip("*") != right), (metric, one["name"])


@pytest.mark.skipif(
    not PEERS, reason="EVENHAND_PEERS_PYTHON names no interpreter that has ir_measures and ranx"
)
@pytest.mark.parametrize(
    ("peer", "spelt"),
    [
        ("ir_measures", {"nDCG@5": "nDCG@5", "AP@5": "AP@5", "R@5": "R@5"}),
        ("ranx", {"nDCG@5": "ndcg@5", "AP@5": "map@5"}),
    ],
)
def test_the_recorded_rows_are_what_these_peers_say_now(peer, spelt):
    told = {name: returned for name, (_, _, returned) in CASES.items() if returned or peer == "ir_measures"}
    qrels = {name: dict.fromkeys(CASES[name][1], 1) for name in told}
    run = {
        name: {u: float(9 - i) for i, u in reversed(list(enumerate(units)))} for name, units in told.items()
    }
    if peer == "ir_measures":
        run.pop("D")  # it counts 0 by itself
    values = ask_for(PEERS, {"qrels": qrels, "run": run, "subtopics": {}}, {peer: list(spelt.values())})[
        "values"
    ][peer]
    for metric, name in spelt.items():
        row = next(one["values"] for one in said()[metric] if one["package"] == peer)
        expected = {case: text for case, text in zip(CASES, row, strict=True) if case in told}
        assert {case: shown(values[name].get(case, 0.0)) for case in told} == expected
