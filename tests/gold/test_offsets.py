"""Browsers count UTF-16 units, we count code points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.gold.offsets import from_utf16, to_utf16

RULING = "👩🏽‍⚖️ Ruling: fee waived 🎉 for Åsa."


def test_a_selection_after_emoji_is_converted_b013():
    assert from_utf16(RULING, 16, 26) == (14, 24)
    assert from_utf16(RULING, 34, 37) == (31, 34)
    assert RULING[14:24] == "fee waived"
    assert RULING[31:34] == "Åsa"


def test_half_a_character_is_refused_b013():
    with pytest.raises(InputError, match="inside a character"):
        from_utf16(RULING, 1, 4)
    with pytest.raises(InputError, match="beyond the text"):
        from_utf16("ab", 0, 3)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_to_utf16_and_back_is_the_same_span(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    low, high = to_utf16(text, start, end)
    assert text.encode("utf-16-le")[2 * low : 2 * high].decode("utf-16-le") == text[start:end]
    assert from_utf16(text, low, high) == (start, end)
