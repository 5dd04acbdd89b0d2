"""What the README says of evenhand beside other tools."""

import math
import re

import numpy as np
from tests.docs.runner import ROOT

import evenhand as eh

README = (ROOT / "README.md").read_text(encoding="utf-8")


def row(start):
    line = next(line for line in README.split("\n") if line.startswith(f"| {start}"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_average_precision_of_one_of_three_is_what_the_table_says():
    qrels = eh.Qrels.of({"q": {"a": 1, "b": 1, "c": 1}})
    run = eh.Run.of("s", {"q": [("a", 1.0)]})
    m = eh.measure(qrels, [run], ["AP@5", "AP(denom=retrieved)@5"])
    said = row("three relevant units")
    assert f"{m.measurement('s', 'AP@5', 'q').value:.3f}" == said[1]
    assert f"{m.measurement('s', 'AP(denom=retrieved)@5', 'q').value:.3f}" == said[2].split(",")[0]


def test_questions_to_settle_a_gap_are_what_the_table_says():
    # a paired spread of 0.155 around 0.012, exactly
    n = 472
    noise = np.resize([1.0, -1.0], n)
    noise *= 0.155 / noise.std(ddof=1)
    value = np.stack([np.full(n, 0.5) + 0.012 + noise, np.full(n, 0.5)])[:, None, :]
    m = eh.Measurements(
        systems=("a", "b"),
        metrics=("nDCG@10",),
        questions=tuple(f"q{i}" for i in range(n)),
        value=value,
        why=np.zeros((2, 1, n), dtype=np.int16),
        unreachable=np.zeros((2, n), dtype=bool),
        missing=np.zeros((2, n), dtype=bool),
    )
    found = m.contrast("a", "b", "nDCG@10")
    assert math.isclose(found.difference, 0.012, abs_tol=1e-12)
    said = int(row("questions to settle")[1].removeprefix("about ").replace(",", ""))
    assert abs(found.needed["n"] - said) <= 10


def test_the_first_screen_says_what_it_has_to():
    first = "\n".join(README.split("\n")[:40])
    for words in (
        "No telemetry",
        "make demo",
        "make test",
        "docs/img/report.png",
        "It refuses one thing",
        "It is for",
    ):
        assert words in first


def test_each_test_that_the_page_of_faults_names_is_there():
    page = (ROOT / "docs" / "explanation" / "what-can-go-wrong.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) > 80
    gone = [
        f"{file}::{name}" for file, name in named if f"def {name}(" not in (ROOT / file).read_text("utf-8")
    ]
    assert gone == []
