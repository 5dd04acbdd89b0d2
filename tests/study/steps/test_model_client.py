"""What a plan says of its calls holds wherever they are made: a study run cuts a slow model off too."""

import sys

from tests.miniature import make
from tests.study.answering import answered, by_rule, record
from tests.study.panels import SMALL

from evenhand.formats.answers.jsonl import read_answers
from evenhand.formats.labels.votes import read_votes
from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct

SLOW = """\
import time
open("asked.txt", "a").write("x")
try:
    open("first.txt", "x")
    time.sleep(60)
except FileExistsError:
    pass
print('{"verdict": "yes", "evidence": [], "contribution": "2", "mode": "none"}')
"""
CALL = f'model = "command:{sys.executable} slow.py"\n'
CUT = "call_timeout = 3.0\ntries = 1\n"


def run(file):
    """Run the study; its first call is of a program that would take a minute."""
    (file.parent / "slow.py").write_text(SLOW)
    return conduct(read_study(file), file.parent).report


def cut_off(file, outcomes):
    """The one slow call was not waited for, and nothing was asked again."""
    assert outcomes.count("fault") == 1
    assert len(outcomes) > 1
    assert len((file.parent / "asked.txt").read_text()) <= len(outcomes)  # one call may serve two claims


def test_a_slow_judge_is_cut_off_in_a_study_run(tmp_path):
    panel = f"[panel]\ndepth = 1\n{CUT}[panel.judge.one]\n{CALL}"
    file = make(tmp_path / "s", study=SMALL + panel)
    assert run(file)["incomplete"]["votes_missing"] == 1
    cut_off(file, [vote.outcome for vote in read_votes(file.parent / "votes.jsonl")])


def test_a_slow_writer_is_cut_off_in_a_study_run(tmp_path):
    file = answered(tmp_path / "s", model=f"command:{sys.executable} slow.py", more=CUT)
    assert run(file)["answers"]["failed"] == 1
    cut_off(file, [one.state for one in read_answers(file.parent / "answers.jsonl")])


def test_a_slow_judge_of_claims_is_cut_off_in_a_study_run(tmp_path):
    panel = f"[answers.panel]\n{CUT}[answers.panel.judge.a]\n{CALL}"
    file = answered(tmp_path / "s", more=panel)
    record(file, by_rule)
    assert run(file)["answers"]["claims"]["failed"] == 1
    cut_off(file, [vote.outcome for vote in read_votes(file.parent / "answers.votes.jsonl")])
