"""The built-in study from the command line: its report is committed and compared byte for byte.

After a change that is meant to change it: ``evenhand demo --out X`` and copy ``X/report.json`` over
``examples/handbook/report.json``.
"""

import json
from pathlib import Path

import pytest
from tests.e2e.test_run import ran

from evenhand.cli.demo import wanting

HANDBOOK = Path(__file__).resolve().parents[2] / "examples" / "handbook"
GONE = wanting()

pytestmark = pytest.mark.skipif(bool(GONE), reason=f"the dense system needs {', '.join(GONE)}")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return folder, ran("demo", cwd=folder, PYTHONHASHSEED="7")


def test_the_report_is_the_committed_one_byte_for_byte(shown):
    made = (shown[0] / "evenhand-demo" / "report.json").read_bytes()
    told = (HANDBOOK / "report.json").read_bytes()
    if made != told:  # say what differs before failing on a megabyte
        one, two = json.loads(made), json.loads(told)
        assert one["repeat"] == two["repeat"]
        assert one["estimates"] == two["estimates"]
        assert {k for k in one if one[k] != two[k]} == set()
    assert made == told


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
