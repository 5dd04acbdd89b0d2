"""A gate leaves its study as a file and decides alike, in plain Python, or refuses with words."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.errors import InputError
from evenhand.formats.results.gate import gate_bytes, write_gate
from evenhand.gate.columns import decisions_of
from evenhand.gate.production.exported import SCHEMA, Gate, gate_of
from evenhand.gate.production.learned import Learned
from evenhand.gate.production.rules import Always, Consensus, decide, threshold_rule
from evenhand.gate.production.scales import SCALES, Scale
from evenhand.gate.rankings import rankings_of
from evenhand.gate.signals import signal
from evenhand.model.run import Run

OF = ("bm25", "dense", "current")
SCALE = {
    "bm25": SCALES["bm25"],
    "dense": SCALES["cosine"],
    "current": Scale("distance", 0.0, 9.0, higher=False),
}
LEARNED = Learned(
    signals=tuple(
        signal(name, OF, SCALE)
        for name in ("score(bm25)", "margin(dense)", "rbo(p=0.8)@5", "margin(current)")
    ),
    centre=(5.0, 0.1, 0.5, 0.2),
    spread=(2.0, 0.1, 0.2, 1.0),
    coefficients=(0.5, 0.25, 0.125, 1e-9),
    intercept=-0.123456789,
    threshold=0.561307786358,
)
RULES = [
    Consensus(OF),
    threshold_rule("score(dense)", 0.1, OF, SCALE),
    threshold_rule("score(current)", 0.3, OF, SCALE),
    threshold_rule("agreement@3", 2 / 3, OF, SCALE),
    LEARNED,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_gate_goes_round(rule, tmp_path):
    gate = Gate(
        rule,
        SCALE,
        study={"name": "handbook", "seal": "ab" * 32, "split": "holdout", "n": 36},
        measured=(
            {
                "name": "answered_precision",
                "k": 17,
                "n": 20,
                "rate": 0.85,
                "low": 0.64,
                "high": 0.948,
                "level": 0.95,
                "method": "Wilson",
            },
        ),
        guarantee={"alpha": 0.1, "delta": 0.05, "method": "fixed_sequence", "n": 80},
        notes=("does not claim other corpora",),
    )
    path = tmp_path / "gate.json"
    write_gate(path, gate)
    again = eh.load_gate(path)
    assert again == gate
    assert gate_bytes(again) == path.read_bytes()
    assert path.read_bytes().decode().startswith('{\n  "schema": "evenhand.gate/1",\n  "rule"')


rows = st.lists(st.tuples(st.sampled_from("uvwxyz"), st.floats(0, 1)), max_size=8).map(
    lambda found: sorted(found, key=lambda row: -row[1])
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(OF, rows)), min_size=1, max_size=4))
def test_production_decides_as_the_study_did(worlds):
    runs = [Run.of(name, {f"q{i}": world[name] for i, world in enumerate(worlds)}) for name in OF]
    ranked = rankings_of(runs, [f"q{i}" for i in range(len(worlds))], scales=SCALE)
    for rule in RULES:
        loaded = gate_of(json.loads(gate_bytes(Gate(rule, SCALE))))
        assert [loaded.decide(world) for world in worlds] == list(decisions_of(rule, ranked).made)


def test_deciding_loads_neither_numpy_nor_anything_heavier(tmp_path):
    for i, rule in enumerate(RULES):
        write_gate(tmp_path / f"{i}.json", Gate(rule, SCALE))
    code = (
        "import sys, evenhand as eh\n"
        f"for i in range({len(RULES)}):\n"
        f"    gate = eh.load_gate({str(tmp_path)!r} + f'/{{i}}.json')\n"
        "    gate.decide({n: [('x', .9), ('y', 1.1)] for n in ('bm25', 'dense', 'current')})\n"
        "print(*sorted({m.split('.')[0] for m in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "evenhand" in loaded
    assert (
        loaded & {"numpy", "scipy", "polars", "pydantic", "rich", "typer", "jinja2", "httpx2", "bm25s"}
        == set()
    )


def made(**changes):
    thing = Gate(threshold_rule("score(dense)", 0.7, OF, SCALE), SCALE).as_json()
    return {key: value for key, value in {**thing, **changes}.items() if value != "DROP"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"schema": "evenhand.gate/9"}, "schema is 'evenhand.gate/9'"),
        ({"schema": "DROP"}, "schema is None"),
        ({"rule": "treshold"}, "rule is 'treshold'"),
        ({"treshold": 1}, "unknown key 'treshold'"),
        ({"threshold": "DROP"}, "threshold is missing"),
        ({"threshold": "0,7"}, "threshold is '0,7', which is not a number"),
        ({"threshold": None}, "threshold is None, which is missing"),
        ({"threshold": True}, "threshold is True"),
        ({"threshold": 1.2}, "threshold is 1.2, outside the scale −1..1"),
        ({"signal": "score(nobody)"}, "a system the gate does not have"),
        ({"of": "dense"}, "of is 'dense', not a list"),
        ({"of": []}, "no list of systems"),
        ({"answers": "bm25"}, "answers is 'bm25'"),
        ({"scales": {"dense": {"name": "cosine"}}}, "scale of 'dense'"),
        ({"scales": {"dense": {"name": "c", "low": 1.0, "high": 0.0, "higher": True}}}, "ends before"),
        ({"scales": []}, "not an object"),
        ({"measured": {}}, "not a list"),
    ],
)
def test_a_file_of_another_form_is_refused_by_name(changes, says, tmp_path):
    path = tmp_path / "g.json"
    path.write_text(json.dumps(made(**changes)))
    with pytest.raises(InputError) as raised:
        eh.load_gate(path)
    assert says in raised.value.what
    assert str(path) in raised.value.what


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a gate"),
        ("[]", "holds no object"),
        ('{"schema": NaN}', "NaN is not a JSON value"),
        ('{"schema": 1, "schema": 2}', "occurs twice"),
        ("[" * 100_000, "not a gate"),
        (" " * 1_000_001, "more than 1 MB"),
    ],
)
def test_a_file_that_is_no_gate_is_told(text, says, tmp_path):
    path = tmp_path / "g.json"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        eh.load_gate(path)
    with pytest.raises(InputError, match="cannot be read"):
        eh.load_gate(tmp_path / "nowhere.json")


def test_a_learned_file_with_text_among_its_numbers_is_refused():
    thing = Gate(LEARNED, SCALE).as_json()
    for key, value in (
        ("centre", ["5", 0.1, 0.5, 0.2]),
        ("intercept", None),
        ("spread", [1, 1, 1]),
        ("threshold", 2),
    ):
        with pytest.raises(InputError, match="gate: "):
            gate_of({**thing, key: value})


def test_b070_production_defers_on_a_missing_score_flagged():
    gate = gate_of(made())
    rankings = {"bm25": ["x"], "dense": [("x", float("nan"))], "current": ["x"]}
    decision = gate.decide(rankings)
    assert (decision.decision, decision.flagged) == ("defer", True)
    assert gate.decide({**rankings, "dense": [("x", 0.7)]}).decision == "answer"
    with pytest.raises(InputError, match="needs a ranking of 'current'"):
        gate.decide({"bm25": ["x"], "dense": [("x", 1.0)]})


def test_only_rules_that_decide_are_exported():
    with pytest.raises(InputError, match="no gate to export"):
        Gate(Always(OF)).as_json()
    assert made()["schema"] == SCHEMA
    assert decide(replace(LEARNED, threshold=0.0), {n: [("x", 0.9), ("y", 0.95)] for n in OF}).flagged
