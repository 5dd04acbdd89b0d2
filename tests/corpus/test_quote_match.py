"""A quote is found again, and how is said."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.corpus.quote_match import Anchor, Place, closest, difference, find, from_utf16
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
    # inside a ligature, so inside a word: only what a splitter cut may begin there, out to the whole character
    assert where("fix it", text) is None
    assert where("fix it", text, cut=True) == (33, 38, "form")


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


def test_a_nearly_right_quote_is_not_found_and_the_nearest_is_shown_out_to_whole_words():
    text = "Guests are asked to leave. A refund is paid within thirty days of purchase. No dogs."
    quote = "A refund gets paid within 30 days of purchase."
    assert find(quote, text) is None
    near = closest(quote, text)
    words = text[near.start : near.end]
    assert words == "A refund is paid within thirty days of purchase."
    assert difference(quote, words) == (
        "A refund [-gets-] {+is+} paid within [-30-] {+thirty+} days of purchase."
    )
    march = "valid until 31 March 2024 or later"
    near = closest("until 31 May 2024", march)
    assert march[near.start : near.end] == "until 31 March 2024"
    assert closest("The fund is laid in forty ways", text) is not None


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        ("500 EUR", "it costs 12 500 EUR here", "12 500 EUR"),
        ("5 EUR", "it costs -3.5 EUR", "-3.5 EUR"),
        ("refundable fee", "The non-\nrefundable fee", "non-\nrefundable fee"),
    ],
)
def test_what_is_nearest_is_shown_out_to_whole_numbers_and_words(quote, text, words):
    near = closest(quote, text)
    assert text[near.start : near.end] == words


def test_r02_a_quote_with_one_word_more_is_not_found():
    assert find("Dogs are not allowed in the hall", "Dogs are allowed in the hall.") is None
    assert find("Dogs are allowed in the hall", "Dogs are not allowed in the hall.") is None


def test_r03_a_quote_with_one_letter_changed_is_not_found():
    assert find("It is now insured.", "It is not insured.") is None


def test_r04_a_quote_with_another_month_is_not_found():
    assert find("until 31 May 2024", "until 31 March 2024") is None


def test_r05_hyphenation_white_space_and_quotation_marks_may_differ():
    text = "The co-\noperative  pays “half”"
    assert where('The cooperative pays "half"', text) == (0, len(text), "form")
    assert where("the co-operative pays half", text) == (0, len(text) - 1, "form")


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        # numbers: signs, points, separators, other forms, and what they are cut out of
        *[
            ("3.5 m", "35 m"),
            ("35 m", "3.5 m"),
            ("5 m", "-5 m"),
            ("-5 m", "5 m"),
            ("–5 m", "5 m"),
            (".5 m", "5 m"),
        ],
        *[("1,000", "1.000"), ("1,000", "1000"), ("1 000", "1000"), ("1,000", "1 000"), ("10, 20", "10,20")],
        *[("10² m", "102 m"), ("10⁻⁵", "10-5"), ("5½ l", "51/2 l"), ("5-6", "5 -6"), ("10 20", "1020")],
        *[("5 EUR", "15 EUR"), ("5 EUR", "1.5 EUR"), ("5 EUR", "12,5 EUR"), ("500 EUR", "12 500 EUR")],
        *[
            ("20 days", "10-20 days"),
            ("costs 3", "costs 3.5"),
            ("5 m", "5 m²"),
            ("$5", "-$5"),
            ("3", "3億円"),
        ],
        *[("五", "十五"), ("5%", "5‰"), ("> 5", "< 5"), ("5 €", "5 $"), ("μm", "mm"), ("٣", "3")],
        # words: cut, joined, parted, and what an apostrophe or a hyphen makes of them
        *[("legal", "illegal"), ("you can", "you can't"), ("they are", "they aren't"), ("arent", "aren't")],
        *[("were here", "we're here"), ("insured", "uninsured"), ("refundable", "non-refundable")],
        *[
            ("refundable", "non-\nrefundable"),
            ("now here", "nowhere"),
            ("andor", "and/or"),
            ("nowhere", "now here"),
        ],
        # letters: accents, ß, other letters of other scripts
        *[("cafe", "café"), ("in Massen", "in Maßen"), ("가", "각"), ("α", "a"), ("I", "l"), ("O", "0")],
    ],
)
def test_what_may_never_differ(quote, text):
    assert find(quote, text) is None


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        ("THE  FEE\nis due", "So: the fee is due!", "the fee is due"),
        ("«half», he said", "So: “Half” he said.", "“Half” he said"),
        ("well known facts", "its well-known facts", "well-known facts"),
        ("wellknown facts", "its well-\n  known facts", "well-\n  known facts"),
        ("The U.S. law", "the US law", "the US law"),
        ("1 000 km", "some 1\u202f000 km", "1\u202f000 km"),
        ("1'000 km", "some 1’000 km", "1’000 km"),
        ("5-6 days", "5–6 days", "5–6 days"),
        ("−5 °C", "at -5°C", "-5°C"),
        ("5 kg", "of 5kg", "5kg"),
        ("H2O and m2", "H₂O and m²", "H₂O and m²"),
        ("½ day", "½ day", "½ day"),
        ("1/2 day", "½ day", "½ day"),
        ("the coeur office", "the cœur oﬃce", "the cœur oﬃce"),
        ("Москва", "МОСКВA (with a Latin A)", "МОСКВA"),
        ("使用Python编程", "我使用 Python\n编程。", "使用 Python\n编程"),
        ("homme est né", "L’homme est né libre", "homme est né"),
        ("l'homme", "l’homme", "l’homme"),
        ("\u1ead", "\u00e2\u0323", "\u00e2\u0323"),
        ("요금", "요금은 3만 원", "요금"),
        ("**bold** `code`", "bold code", "bold code"),
        ("Evenhand™", "evenhand", "evenhand"),
    ],
)
def test_what_may_differ(quote, text, words):
    found = find(quote, text)
    assert found is not None
    assert text[found.start : found.end] == words


WORDS = st.lists(
    st.one_of(
        st.text("abcdefghijklmnopqrstuvwxyzäéßçñ", min_size=1, max_size=8),
        st.from_regex(r"-?[0-9]{1,4}([.,][0-9]{1,3})?", fullmatch=True),
        st.text("абвгджзийлмнпртф", min_size=2, max_size=6),
    ),
    min_size=1,
    max_size=12,
)
LETTERS = "abcdefghijklmnopqrstuvwxyzäéßçñабвгджзийлмнптф0123456789"


def _same(one, two):
    """Whether two characters are the same letter for a reader: case and look-alikes aside."""
    alike = {"а": "a", "в": "b", "к": "k", "м": "m", "н": "h", "т": "t", "р": "p"}
    return alike.get(one, one) == alike.get(two, two)


@settings(max_examples=400, deadline=None)
@given(WORDS, WORDS, WORDS, st.data())
def test_no_letter_digit_or_word_of_a_quote_may_be_another(before, inside, after, data):
    """Any insertion, deletion or replacement of a letter, a digit or a word between its ends is refused."""
    quote = " ".join(inside)
    text = " ".join([*before, *inside, *after])
    at = data.draw(st.integers(0, len(quote) - 1))
    letter = data.draw(st.sampled_from(LETTERS))
    word = data.draw(st.integers(0, len(inside) - 1))
    inserted = quote[:at] + letter + quote[at:]
    deleted = quote[:at] + quote[at + 1 :] if quote[at].isalnum() else ""
    replaced = (
        quote[:at] + letter + quote[at + 1 :] if quote[at].isalnum() and not _same(letter, quote[at]) else ""
    )
    new = data.draw(WORDS)[0]
    longer = " ".join([*inside[:word], new, *inside[word:]])
    shorter = " ".join([*inside[:word], *inside[word + 1 :]])
    other = " ".join([*inside[:word], new, *inside[word + 1 :]])
    bare = " ".join(text.split())
    for changed in (inserted, deleted, replaced, longer, shorter, other):
        # what stands in the text as it is, out to its blanks, is another true quote of it
        true = f" {changed} " in f" {bare} " or not changed.strip() or changed == quote
        if not true and not _alike(changed, text):
            assert find(changed, text) is None, (changed, text)


def _alike(changed, text):
    """Whether words and numbers of *changed* stand in *text* in a row, look-alikes and blanks aside."""
    plain = str.maketrans("авкмнтр", "abkmhtp")
    ours, theirs = (re.findall(r"[^\W\d_]+|[^\s\w]*\d[\d.,]*", t.translate(plain)) for t in (changed, text))
    return any(theirs[i : i + len(ours)] == ours for i in range(len(theirs)))


@settings(max_examples=300, deadline=None)
@given(WORDS, WORDS, WORDS, st.data())
def test_all_that_may_differ_is_found_at_its_place(before, inside, after, data):
    def put(words, blanks, marks):
        made = []
        for word in words:
            how = data.draw(st.integers(0, 4)) if not any(c.isdigit() for c in word) else 0
            half = len(word) // 2
            made.append(
                word.upper()
                if how == 1 and "ß" not in word
                else f"{word[:half]}-\n{word[half:]}"
                if how == 2 and half
                else f"{word[:half]}\u00ad{word[half:]}"
                if how == 3 and half
                else unicodedata.normalize("NFD", word)
                if how == 4
                else word
            )
        ends = [
            ""
            if i + 1 < len(words) and words[i + 1][:1].isdigit() | (words[i + 1][:1] == "-")
            else data.draw(st.sampled_from(marks))
            for i in range(len(words))
        ]
        return "".join(
            w + e + data.draw(st.sampled_from(blanks)) for w, e in zip(made, ends, strict=True)
        ).rstrip()

    numberless = [w if not w.startswith("-") else w[1:] for w in inside]
    text_words = put(numberless, [" ", "\n", "\u00a0 "], ["", ",", " –", "”"])
    quote = put(numberless, [" ", "  ", "\t"], ["", ".", ";"])
    lead = "zzz " + " ".join(before) + " zzz: "
    text = f"{lead}{text_words} : zzz " + " ".join(after)
    places = Place(text).alike(quote)
    assert any(
        start <= len(lead) and end >= len(lead) + len(text_words.rstrip(",”– ")) for start, end in places
    ), (
        quote,
        text,
    )


def test_a_short_quote_is_not_found_by_likeness():
    assert find("cat", "the car and the cot") is None


def test_a_blank_quote_is_refused():
    with pytest.raises(InputError, match="blank"):
        find(" \n", "text")


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
        assert find(quote, text) is None
        found = closest(quote, text)
        assert abs(found.start - start) <= 12
        assert abs(found.end - start - size) <= 12
        assert find(text.text[start : start + size].upper(), text, cut=True).start == start
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
