"""A quote is found again, and how is said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.corpus.anchor import Anchor, Place, closest, find, from_utf16
from evenhand.errors import InputError


def where(quote, text, **options):
    found = find(quote, text, **options)
    return found and (found.start, found.end, found.how)


def test_an_exact_quote_is_found_with_all_its_places_counted():
    text = "fee. The fee is 5. No fee."
    assert find("fee", text) == Anchor(start=0, end=3, how="exact", occurrences=3)
    assert find("fee", text, hint=10).start == 9
    assert find("fee", text, hint=1000).start == 22
    assert find("fee", text).ambiguous
    assert not find("The fee", text).ambiguous


def test_own_newlines_are_kept_and_offsets_count_them():  # case B001
    text = "Anna owns a cat.\r\nShe feeds it at noon.\r\n"
    assert where("She feeds it", text) == (18, 30, "exact")


def test_white_space_may_differ():
    text = "The refund\r\n   period is\t30 days."
    assert where("refund period is 30", text) == (4, 27, "whitespace")
    assert where("  refund\nperiod ", text) == (4, 21, "whitespace")


def test_ligatures_and_soft_hyphens_do_not_hide_a_quote():  # case B015
    text = "The of\ufb01ce con\ufb01rms a \ufb02at ef\u00adfect: \ufb03x it."
    assert where("flat effect", text) == (20, 31, "unicode")
    assert text[20:31] == "\ufb02at ef\u00adfect"
    assert where("fix it", text) == (
        33,
        38,
        "unicode",
    )  # begins inside a ligature: out to the whole character


def test_composed_and_decomposed_letters_are_the_same_but_a_bare_one_is_not():
    assert where("cafe\u0301", "un café noir") == (3, 7, "unicode")
    assert where("café", "un cafe\u0301 noir") == (3, 8, "unicode")
    assert where("cafe", "un café noir") is None
    assert where("“so” – it’s", 'she said "so" - it\'s') == (9, 20, "unicode")


def test_offsets_count_code_points_and_a_browsers_are_converted():  # case B013
    text = "👩🏽\u200d⚖️ Ruling: fee waived 🎉 for Åsa."
    assert where("fee waived", text) == (14, 24, "exact")
    assert where("Åsa", text) == (31, 34, "exact")
    assert from_utf16(text, 16, 26, quote="fee waived") == (14, 24)
    assert from_utf16(text, 34, 37, quote="Åsa") == (31, 34)
    with pytest.raises(InputError):
        from_utf16(text, 14, 24, quote="fee waived")
    with pytest.raises(InputError):
        from_utf16(text, 1, 3, quote="x")


def test_a_nearly_right_quote_is_found_with_its_distance():
    text = "Guests are asked to leave. A refund is paid within thirty days of purchase. No dogs."
    found = find("A refund gets paid within 30 days of purchase.", text)
    assert found.how == "fuzzy"
    assert text[found.start : found.end] == "A refund is paid within thirty days of purchase."
    assert found.distance == 9
    assert find("The moon is made of green cheese, say many.", text) is None
    assert closest("The fund is laid in forty ways", text) is not None


def test_a_short_quote_is_not_found_by_likeness():
    assert find("cat", "the car and the cot") is None


def test_a_blank_quote_is_refused():
    with pytest.raises(InputError, match="blank"):
        find(" \n", "text")


def test_a_fuzzy_quote_near_the_hint_is_preferred_to_one_as_good_elsewhere():
    text = ("The committee meets on the second Tuesday. " + "Filler words go here. " * 40) * 2
    second = text.rindex("The committee")
    assert find("The comittee meets on the second Tuesday.", text, hint=second).start == second
    assert find("The comittee meets on the second Tuesday.", text).start == 0


def test_long_texts_and_long_quotes_are_searched_quickly():
    import random
    import time

    dice = random.Random(5)  # noqa: S311
    words = [f"w{dice.randrange(5000)}" for _ in range(110_000)]
    text = Place(" ".join(words))
    assert len(text.text) > 600_000
    began = time.process_time()
    for size in (100, 3_000, 30_000):
        start = 200_000
        quote = "".join("#" if dice.random() < 0.05 else c for c in text.text[start : start + size])
        found = find(quote, text)
        assert abs(found.start - start) <= 2
        assert abs(found.end - start - size) <= 2
        assert find(quote[::-1], text) is None
    assert time.process_time() - began < 15


PIECES = st.lists(
    st.sampled_from(
        ["a", "b", "é", "e\u0301", "\ufb01", "\u00ad", " ", "\n", "  ", "退", "🤢", "’", "\u00a0", "½"]
    ),
    min_size=1,
    max_size=60,
).map("".join)


@settings(max_examples=200, deadline=None)
@given(PIECES, st.data())
def test_every_stretch_of_a_text_is_found_exactly_at_its_hint(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if text[start:end].strip():
        found = find(text[start:end], text, hint=start)
        assert (found.start, found.end, found.how) == (start, end, "exact")


@settings(max_examples=200, deadline=None)
@given(PIECES, PIECES)
def test_whatever_is_found_lies_in_the_text(quote, text):
    if quote.strip():
        found = find(quote, text)
        if found:
            assert 0 <= found.start < found.end <= len(text)
        near = closest(quote, text)
        if near:
            assert 0 <= near.start < near.end <= len(text)
