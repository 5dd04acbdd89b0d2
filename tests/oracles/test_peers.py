"""Equality with ir_measures and ranx on complete runs without ties or repeats.

Their values on a small random set are recorded in peers_recorded.json and checked always. With
EVENHAND_PEERS_PYTHON naming an interpreter that has ir_measures, ranx, cwl-eval and pyndeval they are
asked anew, on a larger one.
"""

import json
import os

import pytest
from tests.oracles.against_peers import LOOSE, NAMES, RECORDED, ask, differences, made

PEERS = os.environ.get("EVENHAND_PEERS_PYTHON", "")


def check(data, values):
    found = differences(data, values)
    for (peer, name), difference in found.items():
        assert difference <= LOOSE.get(name, 1e-9), f"{peer} {name}: {difference}"
    return found


def test_the_recorded_values_of_the_peers_are_ours():
    table = json.loads(RECORDED.read_text())
    assert {"ir_measures", "ranx", "cwl-eval", "pyndeval"} <= set(table["versions"])
    assert {peer: set(of) for peer, of in table["values"].items()} == {p: set(of) for p, of in NAMES.items()}
    assert len(check(table["data"], table["values"])) == sum(map(len, NAMES.values()))


@pytest.mark.skipif(
    not PEERS, reason="EVENHAND_PEERS_PYTHON names no interpreter that has ir_measures and ranx"
)
def test_the_peers_asked_anew_say_what_we_say():
    data = made(20241009, 200)
    table = ask(PEERS, data)
    assert table["values"], "the interpreter has neither ir_measures nor ranx"
    print(f"{len(check(data, table['values']))} measures of {table['versions']}")
