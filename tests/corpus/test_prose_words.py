"""Clean words: prose counts, what only looks like text does not."""

import pytest

from evenhand.corpus.prose_words import clean_words
from evenhand.model.text import Document


def words(text, **more):
    return clean_words(Document(id="d", text=text, kind="markdown", **more))


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("One two three.", 3),
        ("# A heading of six words here\n\nOne two.", 2),
        ("| a | b |\n|---|---|\n| c | d |\n\nOne.", 1),
        ("One.\n\n```python\nx = 1\ny = 2\n```\n\nTwo.", 2),
        ("One.\n\n~~~\nnever closed\n", 1),
        ("One <!-- not seen --> two <b>three</b>.", 3),
        ("See [the page](https://example.org/a b) now.", 4),
        ("Go to https://example.org/very/long now.", 3),
        ("– — * 7.40 it's well-known", 3),
        ("", 0),
    ],
)
def test_markdown(text, n):
    assert words(text) == n


def test_front_matter_is_no_prose_and_plain_text_keeps_its_lines():
    text = "---\ntitle: A long title\n---\nOne two."
    assert words(text, body=text.index("One")) == 2
    assert clean_words(Document(id="d", text="# not a heading\n| not a table", kind="text")) == 6


def test_a_hundred_thousand_open_fences_take_no_time():
    assert words("```x\n" * 100_000 + "word") == 0
    assert words("<a " * 100_000 + "](" * 100_000 + "<!-- " * 100_000) > 0
