import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.retrieve.lexical.terms import Folding, fold

PLAIN = Folding("none", "none")


@pytest.mark.parametrize("text", ["Zürich café", "Zu\u0308rich cafe\u0301", "ZÜRICH CAFÉ"])
def test_composed_decomposed_and_capital_letters_fold_to_one_form(text):
    assert PLAIN.terms(text) == ["zürich", "café"]


def test_an_identifier_is_a_term_as_a_whole_and_in_its_parts():
    assert PLAIN.terms("Form HR-27b, see 3.5 and 2024-05-01.") == [
        *("form", "hr-27b", "hr", "27b", "see", "3.5", "3", "5", "and", "2024-05-01", "2024", "05", "01"),
    ]


def test_dashes_of_all_kinds_join_the_same_identifier():
    assert PLAIN.terms("HR‑27b") == PLAIN.terms("HR–27b") == PLAIN.terms("hr-27B")


def test_a_compound_of_letters_only_is_its_parts():
    assert PLAIN.terms("well-known and/or") == ["well", "known", "and", "or"]


def test_a_run_of_han_kana_hangul_or_thai_becomes_pairs():
    assert PLAIN.terms("東京都庁") == ["東京", "京都", "都庁"]
    assert PLAIN.terms("ひらがなabc") == ["ひら", "らが", "がな", "abc"]
    assert PLAIN.terms("字") == ["字"]
    assert PLAIN.terms("한국어") == ["한국", "국어"]
    assert PLAIN.terms("ภาษา")


def test_combining_vowels_do_not_break_a_devanagari_word():
    assert PLAIN.terms("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_a_soft_hyphen_leaves_the_word_whole():
    assert PLAIN.terms("infor\u00admation") == ["information"]


def test_english_stems_and_drops_stop_words_and_possessives():
    assert Folding().terms("The dogs’ owner's running of it") == ["dog", "owner", "run"]


def test_other_languages_part_the_article_at_the_apostrophe():
    assert Folding("french", "none").terms("l’eau") == ["l", "eau"]


def test_own_stop_words_are_folded_too():
    assert Folding("none", ("DER", "Die")).terms("der die das") == ["das"]


@pytest.mark.parametrize(("stemmer", "words"), [("englich", "english"), ("english", "englisch")])
def test_an_unknown_language_names_the_nearest(stemmer, words):
    with pytest.raises(InputError, match="english"):
        Folding(stemmer, words)


@given(st.text(max_size=60))
@settings(max_examples=60)
def test_folding_twice_changes_nothing_and_terms_hold_no_blank(text):
    assert fold(fold(text)) == fold(text)
    assert all(term and not any(c.isspace() for c in term) for term in PLAIN.terms(text))


@given(st.text(alphabet="aé東ก0-_' .", max_size=30))
@settings(max_examples=60)
def test_terms_of_a_text_do_not_depend_on_what_was_read_before(text):
    fresh = Folding("none", "none")
    assert PLAIN.terms(text) == fresh.terms(text)


@given(st.text(st.characters(codec="ascii"), max_size=80) | st.text("ab9_-./:,' ", max_size=40))
@settings(max_examples=200)
def test_a_text_of_ascii_has_the_terms_that_the_patterns_for_all_scripts_give(text):
    assert PLAIN.terms(text) == [term for term in PLAIN.terms(f"{text} \u00e9") if term != "\u00e9"]
