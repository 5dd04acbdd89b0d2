"""The built-in study from the command line: its report is committed and compared with what is made.

Byte for byte where the vectors are the same bits. Processors with other vector units give vectors that
differ in the last of them: there, scores may differ in their sixth digit, a tie may appear or go, and the
seals of what is made of vectors differ; nothing else may.

After a change that is meant to change it: ``evenhand demo --out X`` and copy ``X/report.json`` over
``examples/handbook/report.json``.
"""

import json
from pathlib import Path

import pytest
from tests.e2e.test_run import ran

from evenhand.cli.study.demo import wanting

HANDBOOK = Path(__file__).resolve().parents[2] / "examples" / "handbook"
GONE = wanting()

pytestmark = pytest.mark.skipif(bool(GONE), reason=f"the dense system needs {', '.join(GONE)}")


@pytest.fixture(scope="module")
def shown(tmp_path_factory, embedded):
    folder = tmp_path_factory.mktemp("demo")
    with embedded(folder / "evenhand-demo" / ".evenhand" / "embeddings"):
        return folder, ran("demo", cwd=folder)


def unlike(one, two, place=""):
    """Where two reports differ by more than the last bits of vectors can make them."""
    if isinstance(one, dict) and isinstance(two, dict):
        for key in sorted({*one, *two}):
            if key not in one or key not in two:
                yield f"{place}.{key}"
            elif key not in ("seal", "seals", "made_of"):
                yield from unlike(one[key], two[key], f"{place}.{key}")
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for i, (x, y) in enumerate(zip(one, two, strict=True)):
            yield from unlike(x, y, f"{place}[{i}]")
    elif isinstance(one, float) and isinstance(two, float):
        if one != pytest.approx(two, abs=5e-6):
            yield f"{place}: {one} {two}"
    elif one != two and not ("tie" in place and abs(one - two) <= 3):
        yield f"{place}: {one} {two}"


def test_the_report_is_the_committed_one(shown):
    made = (shown[0] / "evenhand-demo" / "report.json").read_bytes()
    told = (HANDBOOK / "report.json").read_bytes()
    if made != told:
        one, two = json.loads(made), json.loads(told)
        assert list(unlike(one, two)) == []
        assert (
            one["repeat"]["seals"] != two["repeat"]["seals"]
        )  # else the vectors were the same, and it differs


def test_two_reports_are_told_apart():
    report = json.loads((HANDBOOK / "report.json").read_bytes())
    other = json.loads((HANDBOOK / "report.json").read_bytes())
    other["estimates"][0]["point"] += 1e-4
    other["headline"] += "!"
    assert len(list(unlike(report, other))) == 2


def test_it_ends_with_a_verdict_and_the_path_of_one_self_contained_page(shown):
    folder, done = shown
    assert done.stdout.splitlines()[-1] == str(Path("evenhand-demo") / "report.html")
    assert "leads on nDCG@10" in done.stdout or "share the lead" in done.stdout
    page = (folder / "evenhand-demo" / "report.html").read_text(encoding="utf-8")
    assert not [
        word
        for word in ('src="http', "src='http", '<link rel="stylesheet" href="http', "@import")
        if word in page
    ]


def test_nothing_of_the_holdout_is_in_the_report(shown):
    ids = [
        json.loads(line)["id"] for line in (HANDBOOK / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    report = json.loads((shown[0] / "evenhand-demo" / "report.json").read_bytes())
    assert {row["id"] for row in report["questions"]["rows"]} <= set(ids)


def test_a_second_demo_makes_nothing_anew(shown):
    folder, _ = shown
    ran("demo", "-q", cwd=folder)
    assert json.loads((folder / "evenhand-demo" / "costs.json").read_bytes())["made_now"] == []
