"""How many of what, in words; and that no printed sentence counts one thing in the plural."""

import re
from pathlib import Path

import pytest

from evenhand.text.plural import counted, many, noun, verb

SOURCES = Path(__file__).resolve().parents[2] / "src" / "evenhand"
NOUNS = (
    "question|item|pair|label|vote|document|pack|desk|rating|comparison|warning|note|error|request|passage"
)
BARE = re.compile(rf"\{{len\([^{{}}]*\)(?::,)?\}} (?:{NOUNS})s\b")


@pytest.mark.parametrize(
    ("n", "what", "words"),
    [
        (1, "question", "1 question"),
        (0, "question", "0 questions"),
        (1310, "question", "1,310 questions"),
        (2, "reply", "2 replies"),
        (1, "reply", "1 reply"),
        (2, "survey", "2 surveys"),
        (2, "batch", "2 batches"),
        (2, "more label", "2 more labels"),
    ],
)
def test_one_is_told_in_the_singular(n, what, words):
    assert many(n, what) == words
    assert noun(n, what) == words.split(" ", 1)[1]


def test_the_verb_goes_with_the_number():
    assert [verb(n, "is", "are") for n in (0, 1, 2)] == ["are", "is", "are"]


def test_a_sentence_of_several_things_is_told_of_one():
    assert counted(2, "rows have no response: they count as not run") == (
        "2 rows have no response: they count as not run"
    )
    assert counted(1, "rows have no response: they count as not run") == (
        "1 row has no response: it counts as not run"
    )
    assert counted(1, "questions lose a snippet, and are left out: they would be too easy") == (
        "1 question loses a snippet, and is left out: it would be too easy"
    )
    assert counted(1, "replies") == "1 reply"


def test_no_command_counts_by_a_bare_plural():
    found = [
        f"{path.name}: {line.strip()}"
        for path in sorted((SOURCES / "cli").glob("*.py"))
        for line in path.read_text("utf-8").splitlines()
        if BARE.search(line)
    ]
    assert found == []
