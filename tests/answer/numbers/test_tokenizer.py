"""One tokenizer for both sides: what is a number, what it means, and what is none."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.answer.numbers.numeral_readings import habit, read
from evenhand.answer.numbers.support import Grounds
from evenhand.answer.numbers.tokenizer import KINDS, numbers

F = Fraction


def seen(text, language="en", **more):
    """Each number in short: its readings, its ends, its days or its name."""
    found = []
    for one in numbers(text, language=language, **more):
        if one.kind == "range":
            found.append(tuple(end.values[0] for end in one.ends))
        elif one.kind == "date":
            found.append(one.days)
        else:
            found.append(one.values if len(one.values) > 1 else one.values[0] if one.values else one.text)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("18, 19, 20", [18, 19, 20]),
        ("18,19,20", [18, 19, 20]),
        ("18-25", [(18, 25)]),
        ("18–25 years", [(18, 25)]),
        ("18 - 25", [(18, 25)]),
        ("18 -25", [(18, 25)]),
        ("18 to 25", [(18, 25)]),
        ("between 18 and 25", [(18, 25)]),
        ("18 and 25", [18, 25]),
        ("1990-95", [(1990, 1995)]),
        ("25-18", [25, 18]),
        ("-5", [-5]),
        ("−5 °C", [-5]),
        ("18 −25", [18, -25]),
        ("-10--5", [(-10, -5)]),
        ("−5 to 10", [(-5, 10)]),
        ("x = (-3)", [-3]),
        ("pre-1990", [1990]),
        ("COVID-19", [19]),
        ("-$5", [-5]),
    ],
)
def test_lists_ranges_and_signs(text, expected):
    assert seen(text) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1,234", "en", [1234]),
        ("1,234", "de", [F("1.234")]),
        ("1,234", "", [(F(1234), F("1.234"))]),
        ("1.234", "en", [F("1.234")]),
        ("1.234", "de", [1234]),
        ("1.234", "de-CH", [F("1.234")]),
        ("1.234,56", "", [F("1234.56")]),
        ("1,234.56", "de", [F("1234.56")]),
        ("1,234,567", "de", [1234567]),
        ("1.234.567", "en", [1234567]),
        ("12,34,567", "en", [1234567]),
        ("10'000", "", [10000]),
        ("10’000.5", "", [F("10000.5")]),
        ("10\u202f000", "", [10000]),
        ("10\u00a0000,5", "fr", [F("10000.5")]),
        ("10 000", "fr", [10000]),
        ("10 000", "en", [10000]),
        ("10 250", "en", [10, 250]),
        ("1 234 567", "en", [1234567]),
        ("3,5", "de", [F("3.5")]),
        ("3,5", "", [F("3.5")]),
        ("3,5", "en", [3, 5]),
        ("0,5", "en", [F("0.5")]),
        (".05", "en", [F("0.05")]),
        ("It is 5.", "en", [5]),
        ("1.5, 2.5", "en", [F("1.5"), F("2.5")]),
    ],
)
def test_thousands_and_decimals_by_language(text, language, expected):
    assert seen(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 million", [5_000_000]),
        ("$2.5bn", [2_500_000_000]),
        ("40k tokens", [40_000]),
        ("9am, 9 a.m.", [9, 9]),
        ("5x as fast", [5]),
        ("0x1F", ["0x1F"]),
        ("3×10⁸", [300_000_000]),
        ("3 x 10^-2", [F("0.03")]),
        ("5e-3", [F("0.005")]),
        ("10⁻³", [F("0.001")]),
        ("3/4", [F(3, 4)]),
        ("2 1/2", [F(5, 2)]),
        ("2½", [F(5, 2)]),
        ("⅓", [F(1, 3)]),
        ("the 3rd and the 21st", [3, 21]),
        ("the 1990s", [1990]),
        ("twenty-one", [21]),
        ("two hundred and five", [205]),
        ("three thousand", [3000]),
        ("two dozen", [24]),
        ("one of them", []),
        ("two thirds", []),
        ("zwei", []),
        ("2024-10-09", [((2024, 10, 9),)]),
        ("9 October 2024", [((2024, 10, 9),)]),
        ("October 9, 2024", [((2024, 10, 9),)]),
        ("9th of October", [((None, 10, 9),)]),
        ("October 2024", [((2024, 10, None),)]),
        ("2024年10月9日", [((2024, 10, 9),)]),
        ("3/4/2024", [((2024, 4, 3), (2024, 3, 4))]),
        ("2024-13-45", [2024, (13, 45)]),
        ("in 2023/24", [2023, 24]),
        ("you may 3 times", [3]),
        ("14:30", ["14:30"]),
        ("3.2.1", ["3.2.1"]),
        ("192.168.1.1", ["192.168.1.1"]),
        ("27b", ["27b"]),
        ("9" * 50, ["9" * 50]),
    ],
)
def test_written_in_other_ways(text, expected):
    assert seen(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *[
            "1. First\n2) Second\n(3) Third",
            "## 3.2 Fees",
            "(1) a, (2) b, (3) c",
            "as shown [1, 2] and [3-5]",
        ],
        *["[^1]", "【4:0†source】", "A4 paper, H2O, MiniLM12", "https://a.org/2024/10", "ann99@site42.org"],
        *["chapter IV", "x²", "no numbers here", "", "v2.0.1"],
    ],
)
def test_what_is_no_number(text):
    assert seen(text) == []


def test_a_lone_figure_in_brackets_is_a_number_and_a_count_from_one_is_not():
    assert seen("twelve (12) months") == [12, 12]
    assert seen("(1) pay 5 and (2) leave") == [5]


def test_what_is_skipped_is_not_read():
    assert seen("12 days (doc 3)", skip=[(8, 15)]) == [12]


def test_german_words_and_dates():
    assert seen("am 9. Oktober 2024, zwei Wochen", "de") == [((2024, 10, 9),), 2]
    assert seen("zwischen 5 und 10 Prozent", "de") == [(5, 10)]
    assert seen("3 Billionen", "de") == [3 * 10**12]
    assert grounded("5 Mio. Euro", "5.000.000 €", "de") == [True]
    assert grounded("5 Mio. Euro", "5.000.000 $", "de") == [False]


def test_digits_of_any_script():
    assert seen("٣٫٥ و ١٢٣", "ar") == [F("3.5"), 123]
    assert seen("１２３％") == [123]
    assert seen("१२", "hi") == [12]


def test_positions_are_those_of_the_text_as_it_was_given():
    text = "Die Gebühr beträgt １．２５０ Euro, −٣ °C und 18–25 km"
    for one in numbers(text, language="de"):
        assert one.text == text[one.start : one.end]
    assert [one.text for one in numbers(text, language="de")] == ["１．２５０ Euro", "−٣ °C", "18–25 km"]


# --- agreeing ---------------------------------------------------------------------------------------------


def grounded(item, passage, language="en"):
    grounds = Grounds([("passage 1", numbers(passage, language=language))])
    return [grounds.find(one) is not None for one in numbers(item, language=language)]


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("18, 19, 20", "Take 20, 19 and 18.", [True, True, True]),
        ("25", "aged 18-25", [True]),
        ("-25", "aged 18-25", [False]),
        ("20", "aged 18-25", [False]),
        ("18-25", "from 18 to 25", [True]),
        ("18-26", "from 18 to 25", [False]),
        ("0.750", "0.75", [True]),
        ("0.75", "0.748", [False]),
        ("75%", "a share of 0.75", [True]),
        ("75%", "75 of them", [True]),
        ("three quarters, 75 %", "3/4", [True]),
        ("60 seconds", "1 minute", [True]),
        ("60 seconds", "60 minutes", [False]),
        ("60", "60 minutes", [True]),
        ("1.5 km", "1500 m", [True]),
        ("5 euros", "€5", [True]),
        ("5 euros", "$5", [False]),
        ("two weeks", "14 days", [True]),
        ("12", "twelve", [True]),
        ("3rd", "3", [True]),
        ("2024", "9 October 2024", [True]),
        ("9 October 2024", "2024-10-09", [True]),
        ("October 2024", "2024-10-09", [True]),
        ("9 October 2024", "in 2024", [False]),
        ("10 October 2024", "9 October 2024", [False]),
        ("3.2.1", "3.2.1", [True]),
        ("3.2.1", "3.2.2", [False]),
        ("5", "1. First\n5. Fifth", [False]),
        ("5", "as in [5]", [False]),
        ("5 million", "5,000,000", [True]),
    ],
)
def test_what_agrees_with_what(item, passage, expected):
    assert grounded(item, passage) == expected


def test_readings_that_are_open_agree_where_one_of_them_does():
    assert grounded("1,234", "1234", "") == [True]
    assert grounded("1,234", "1.2340", "") == [True]
    assert grounded("1,234", "1234", "de") == [False]


# --- properties -------------------------------------------------------------------------------------------

DASHES = st.sampled_from("-–—‐‑‒")


@given(st.text(max_size=300), st.sampled_from(["", "en", "de", "fr", "zh"]))
@example("1\u00a02/3 (1) (2) [1] ½ −", "en")
@example("10^", "en")
@example("\ud800" + "5", "en")
@example("1/0", "en")
@example("$" * 10 + "5e+999", "en")
def test_any_text_is_read_and_places_lie_in_it(text, language):
    at = 0
    for one in numbers(text, language=language):
        assert one.kind in KINDS
        assert at <= one.start < one.end <= len(text)
        assert one.text == text[one.start : one.end]
        at = one.end
        assert bool(one.values) == (one.kind == "number")
        assert (len(one.ends) == 2) == (one.kind == "range")
        assert bool(one.days) == (one.kind == "date")
        if one.kind == "range":
            assert one.ends[0].values[0] <= one.ends[1].values[0]


@given(st.text(alphabet="0123456789.,-–−/:%$€ '()[]\u00a0^eE×½x\n", max_size=120))
def test_figures_and_signs_in_any_order_are_read(text):
    for one in numbers(text, language="en"):
        assert one.text == text[one.start : one.end]


@given(st.integers(0, 9999), st.integers(0, 9999), DASHES, st.sampled_from(["", " "]))
def test_a_range_is_never_a_negative_number(low, high, dash, blank):
    for one in numbers(f"from {low}{blank}{dash}{blank}{high}", language="en"):
        values = [v for end in one.ends for v in end.values] + list(one.values)
        assert all(value >= 0 for value in values)
        assert {"range", "number", "date"} >= {one.kind}


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8))
def test_a_list_with_blanks_is_as_many_numbers(values):
    assert seen(", ".join(map(str, values))) == values


@given(st.decimals(-(10**9), 10**9, places=3, allow_nan=False), st.sampled_from(["en", "de"]))
def test_a_number_is_what_it_was_written_from(value, language):
    english = f"{value:,.3f}"
    written = english if language == "en" else english.translate(str.maketrans(",.", ".,"))
    assert seen(written, language) == [F(value)]


@given(st.dates())
def test_a_date_is_the_same_in_figures_and_in_words(day):
    wanted = [((day.year, day.month, day.day),)]
    if day.year >= 1000:
        assert seen(day.isoformat()) == wanted
        month = day.strftime("%B")
        assert seen(f"{day.day} {month} {day.year}") == wanted
        assert seen(f"{month} {day.day}, {day.year}") == wanted
        assert seen(f"{day.day:02}.{day.month:02}.{day.year}", "de") == wanted


@given(st.integers(2, 999_999))
def test_english_words_ground_digits(value):
    assert grounded(str(value), words_for(value)) == [True]


def words_for(value):
    ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    small = [*ones.split(), "seventeen", "eighteen", "nineteen"]
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    if value < 20:
        return small[value]
    if value < 100:
        return tens[value // 10 - 2] + (f"-{small[value % 10]}" if value % 10 else "")
    if value < 1000:
        return f"{small[value // 100]} hundred" + (f" and {words_for(value % 100)}" if value % 100 else "")
    return f"{words_for(value // 1000)} thousand" + (f" {words_for(value % 1000)}" if value % 1000 else "")


@given(st.text(alphabet="0123456789", min_size=1, max_size=12), st.sampled_from([",", ".", "'", "\u00a0"]))
def test_runs_cover_all_their_digits(digits, sign):
    run = sign.join(digits)
    for decimal in ("", "comma", "point"):
        parts = read(run, decimal)
        covered = "".join(run[one.start : one.end] for one in parts)
        assert [c for c in covered if c.isdigit()] == list(digits)


@pytest.mark.parametrize(
    ("language", "sign"), [("en-GB", "point"), ("de_DE", "comma"), ("de-CH", "point"), ("es", "")]
)
def test_habits(language, sign):
    assert habit(language) == sign


def test_work_grows_with_the_text_and_not_faster():
    from time import perf_counter

    def took(text):
        began = perf_counter()
        numbers(text, language="en")
        return perf_counter() - began

    for piece in (
        "1,234 ",
        "18-25 and [1, 2] ",
        "a",
        "1",
        "1 ",
        "(1) ",
        "x" * 50 + " ",
        "twenty ",
        "1.",
        "$",
        "1:",
    ):
        took(piece * 100)
        short, long = took(piece * 1000), took(piece * 4000)
        assert long < 16 * short + 0.5, piece


def test_multiples_without_end_are_read():
    assert len(numbers("5 " + "million " * 20_000, language="en")) == 1
    assert seen("2 hundred\nthousand") == [200_000]
