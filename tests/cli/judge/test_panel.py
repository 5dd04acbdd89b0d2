"""evenhand judge panel beside the desk: what its votes are split on is put before an adjudicator."""

import sys
from types import SimpleNamespace

import pytest
from tests.judge.asked import call
from tests.judge.desked import worked

from evenhand.cli.judge.panel_batch import _hand_in
from evenhand.cli.judge.panel_output import _people
from evenhand.cli.main import main
from evenhand.formats.labels.votes import holds_votes, write_votes
from evenhand.judge.panel.parse_reply import vote
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.report.output.terminal import console
from evenhand.study.panel.items import items_of_pool


@pytest.fixture
def voted(tmp_path, monkeypatch):
    """A pool on which two people agree throughout, and a panel that is split on its first two items."""
    monkeypatch.chdir(tmp_path)
    store, made = worked(tmp_path / "judgements.sqlite", lambda *_: ("grade", 1.0, {}))
    items = items_of_pool(store, made.seal)
    store.close()
    brief = brief_named("contribution")
    votes = [
        vote(call({"verdict": "2" if judge == "c" and i < 2 else "1"}), brief, shown, judge=judge)
        for i, shown in enumerate(items.shown)
        for judge in "abc"
    ]
    write_votes(tmp_path / "votes.jsonl", votes)
    return tmp_path / "votes.jsonl"


def test_adjudicate_takes_the_votes_of_a_panel(voted, capsys):
    assert main(["judge", "adjudicate", "cyd", "--dry-run"]) == 0
    assert capsys.readouterr().out == "in dispute: nothing\n"
    assert main(["judge", "adjudicate", "cyd", "--panel", str(voted), "--dry-run"]) == 0
    assert capsys.readouterr().out == "in dispute: 2 panel-split\n"


def test_what_is_no_file_of_votes_is_read_as_labels(voted, tmp_path, capsys):
    assert holds_votes(voted)
    other = tmp_path / "judgements.jsonl"
    for text in ("", "\n[]\n", "nonsense\n"):
        other.write_text(text)
        assert not holds_votes(other)
    assert main(["judge", "adjudicate", "cyd", "--panel", str(other)]) == 2
    assert "judgements.jsonl:1: not JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("undecided", "split", "said"),
    [
        (1, 1, "for people: 1 undecided item, then 1 that was split"),
        (10, 82, "for people: 10 undecided items, then 82 that were split"),
    ],
)
def test_what_waits_for_people_is_counted_in_words(undecided, split, said, capsys):
    told = {"undecided": undecided, "split": split}
    _people(told, same=lambda **_: "", sheet="sufficiency", store="j.sqlite", on=console())
    assert capsys.readouterr().out.startswith(said + "\n")


def test_an_id_of_a_provider_does_nothing_to_the_terminal(capsys):
    odd = SimpleNamespace(chat="a", n=2, done=1, id="batch_\x1b]0;pwned\x07\x1b[2Jx", key="k")
    batches = SimpleNamespace(
        submit=lambda _: [odd], poll=lambda: [SimpleNamespace(**{**vars(odd), "key": "m"})]
    )
    chat = SimpleNamespace(written=None, sdk="openai")
    bench = SimpleNamespace(judges=["a"], chats={"a": chat}, requests=lambda *_: [])
    _hand_in(bench, None, [], batches, budget=None, on=console(file=sys.stdout))
    told = capsys.readouterr().out
    assert "2 requests handed in for a: batch_x" in told
    assert "batch of a batch_x: 1 of 2 answered" in told
    assert told.replace("\n", "").isprintable()
