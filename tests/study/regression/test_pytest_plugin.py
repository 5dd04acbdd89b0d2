"""The pytest plugin, in a project of its own and a session of its own."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.front import evenhand
from tests.miniature import make

from evenhand.study.regression import pytest_plugin

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A miniature that was run once, and its baseline."""
    file = make(tmp_path_factory.mktemp("plugin") / "study")
    evenhand("run", file, "--quiet")
    done = evenhand(
        "check", file.parent / "results", "--margin", "0.02", "--save-baseline", file.parent / "kept.json"
    )
    assert done.returncode == 0, done.stderr
    return file


@pytest.fixture
def ran(pytester, study, monkeypatch):
    """Run a test file beside that study; what is written ``STUDY`` is its folder."""

    # whether this installation knows the entry point or not, the module itself is given; and no other is loaded
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(code, *arguments, ini=""):
        pytester.makeini(f"[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n{ini}\n")
        pytester.makepyfile("import pytest\n" + code.replace("STUDY", study.parent.as_posix()))
        return pytester.runpytest_inprocess(
            "-p", "no:cacheprovider", "-rA", *arguments, plugins=[pytest_plugin]
        )

    return run


MARK = '@pytest.mark.evenhand(study="STUDY/study.toml", baseline="STUDY/kept.json", margin=0.02)\n'
READ = MARK.replace("study=", "results=").replace("study.toml", "results")
OPEN = READ.replace("margin=0.02", 'margin=1e-9, system="bm25", against="tfidf"')


def test_a_study_is_conducted_once_and_its_numbers_can_be_asserted_on(ran):
    done = ran(
        MARK + "def test_one(evenhand_results, evenhand_study):\n"
        "    assert evenhand_study('STUDY/study.toml') is evenhand_results\n"
        "    found = evenhand_results.estimate('bm25')\n"
        "    assert found.metric == 'nDCG@10' and found.low < found.point < found.high\n"
        "    one = evenhand_results.contrast('bm25', 'tfidf')\n"
        "    two = evenhand_results.contrast('tfidf', 'bm25')\n"
        "    assert (one.difference, one.low, one.wins) == (-two.difference, -two.high, two.losses)\n"
        "    assert not (evenhand_results.folder / '..' / 'kept.json').exists()\n"
        + MARK
        + "def test_two(evenhand_check):\n"
        "    made = evenhand_check()\n"
        "    assert made['verdict'] == 'pass' and len(made['rows']) == 4\n"
    )
    done.assert_outcomes(passed=2)


def test_a_fail_shows_the_table_and_no_traceback(ran, study):
    done = ran(
        READ.replace("0.02)", '0.02, system="tfidf", against="both")')
        + "def test_it(evenhand_check):\n    evenhand_check(margin={'nDCG@10': 1e-9}, alpha=0.499)\n"
    )
    done.assert_outcomes(failed=1)
    text = done.stdout.str()
    assert "tfidf" in text
    assert "difference" in text
    assert "✗ fail" in text
    assert "worse than the baseline by more" in text
    assert "Failed: 1 of 1 comparison on 18 questions" in text
    assert "pytest_held.py" not in text


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [("", "failed"), ("fail", "failed"), ("skip", "skipped"), ("xfail", "xfailed"), ("pass", "passed")],
)
def test_what_cannot_be_told_goes_by_the_ini_option(ran, policy, outcome):
    ini = f"evenhand_inconclusive = {policy}" if policy else ""
    done = ran(OPEN + "def test_it(evenhand_check):\n    evenhand_check()\n", ini=ini)
    done.assert_outcomes(**{outcome: 1})
    if outcome != "passed":
        assert "cannot be told" in done.stdout.str()


def test_the_option_of_a_run_comes_before_the_ini(ran):
    done = ran(
        OPEN + "def test_it(evenhand_check):\n    evenhand_check()\n",
        "--evenhand-inconclusive=skip",
        ini="evenhand_inconclusive = fail",
    )
    done.assert_outcomes(skipped=1)


def test_expectations_hold_by_the_interval(ran):
    done = ran(
        READ + "def test_held(evenhand_results, evenhand_expect):\n"
        "    evenhand_expect(evenhand_results.estimate('bm25'), at_least=0.01)\n"
        + READ
        + "def test_lost(evenhand_results, evenhand_expect):\n"
        "    evenhand_expect(evenhand_results.estimate('random'), at_least=0.95)\n"
        + READ
        + "def test_open(evenhand_results, evenhand_expect):\n"
        "    found = evenhand_results.estimate('bm25')\n"
        "    evenhand_expect(found, at_most=found.point)\n",
        ini="evenhand_inconclusive = skip",
    )
    done.assert_outcomes(passed=1, failed=1, skipped=1)
    assert "expected at least 0.95: the whole interval lies beyond it" in done.stdout.str()
    assert "it cannot be told, the limit lies within the interval" in done.stdout.str()


WRONG = {
    "": "write @pytest.mark.evenhand(study=",
    '@pytest.mark.evenhand("STUDY/study.toml")\n': "its keys have names",
    '@pytest.mark.evenhand(stuyd="x")\n': "did you mean 'study'?",
    "@pytest.mark.evenhand(margin=0.1)\n": "give either study= (a study file) or results= (a folder)",
    '@pytest.mark.evenhand(study="nowhere.toml")\n': "there is no file",
    '@pytest.mark.evenhand(results="STUDY/results", margin=0.1)\n': "no baseline is named",
    '@pytest.mark.evenhand(results="STUDY/results", baseline="STUDY/kept.json")\n': "no margin is declared",
}


def test_what_is_written_wrongly_is_told_with_its_mend(ran):
    tests = [f"{mark}def test_{i}(evenhand_check):\n    evenhand_check()\n" for i, mark in enumerate(WRONG)]
    # no policy lets through what is a mistake
    done = ran("".join(tests), ini="evenhand_inconclusive = pass")
    outcomes = done.parseoutcomes()
    assert outcomes.get("failed", 0) + outcomes.get("errors", 0) == len(WRONG)
    text = done.stdout.str()
    assert [told for told in WRONG.values() if told not in text] == []
    assert "Traceback" not in text


def test_an_unknown_policy_names_the_known_ones(ran):
    done = ran(
        OPEN + "def test_it(evenhand_check):\n    evenhand_check()\n", ini="evenhand_inconclusive = ski"
    )
    done.assert_outcomes(failed=1)
    assert "did you mean 'skip'?" in done.stdout.str()


def test_the_plugin_loads_nothing_but_itself_at_the_start_of_pytest():
    code = (
        "import sys, pytest; before = set(sys.modules); import evenhand.study.regression.pytest_plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "evenhand",
        "evenhand.study",
        "evenhand.study.regression",
        "evenhand.study.regression.pytest_plugin",
    ]


def test_pyproject_names_the_plugin():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"evenhand": "evenhand.study.regression.pytest_plugin"}
