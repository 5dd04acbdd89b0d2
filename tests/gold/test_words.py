"""Words, shingles, near pairs and copies, held to what looking at every pair says."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.gold.leakage import copies
from evenhand.gold.near_duplicates import near_pairs
from evenhand.gold.words import shingles, words
from evenhand.model.text import Corpus, DocId, Document

small = st.frozensets(st.integers(0, 12), max_size=8)


@settings(max_examples=200)
@given(st.lists(small, max_size=12))
def test_near_pairs_are_those_that_looking_at_every_pair_finds(sets):
    expected = [
        (i, j)
        for j in range(len(sets))
        for i in range(j)
        if sets[i] and sets[j] and len(sets[i] & sets[j]) / min(len(sets[i]), len(sets[j])) >= 0.6
    ]
    found = near_pairs(sets, most=99)
    assert sorted((i, j) for i, j, _ in found) == sorted(expected)
    for i, j, overlap in found:
        assert overlap == len(sets[i] & sets[j]) / min(len(sets[i]), len(sets[j]))


def test_a_question_reports_at_most_a_few_partners():
    alike = [frozenset({1, 2, 3})] * 200
    assert len(near_pairs(alike, most=3)) <= 600


def test_words_ignore_case_width_and_punctuation_and_cut_scripts_without_blanks():
    assert words("The FEE, (waived)!") == ["the", "fee", "waived"]
    assert words("ＦＥＥ ﬁne") == ["fee", "fine"]
    assert words("料金は30円") == ["料", "金", "は", "30", "円"]


def test_short_texts_are_one_shingle_and_empty_ones_none():
    assert len(shingles("Opening hours?")) == 1
    assert shingles("?!") == frozenset()
    assert len(shingles("a b c d e")) == 3


def corpus(**texts):
    return Corpus(tuple(Document(id=DocId(name), text=text) for name, text in texts.items()))


def test_a_question_taken_from_a_document_is_found_with_that_document():
    docs = corpus(
        a="Nothing here.", b="It says when the keeper of the light must report a failure to the office."
    )
    questions = ["When must the keeper of the light report a failure?", "Who reports broken lamps to whom?"]
    found = copies(docs, questions, [])
    assert found.copied == {}
    copied = copies(docs, ["the keeper of the light must report a failure"], [])
    assert copied.copied == {0: (1.0, 1)}


words_of = st.lists(st.sampled_from(["ab", "cd", "ef", "gh", "ij"]), min_size=4, max_size=9).map(" ".join)


@settings(max_examples=100)
@given(st.lists(words_of, min_size=1, max_size=4), st.lists(words_of, min_size=1, max_size=4))
def test_twins_and_copied_shares_agree_with_a_plain_search(texts, asked):
    docs = corpus(**{f"d{i}": text for i, text in enumerate(texts)})
    found = copies(docs, asked, [(0, quote) for quote in asked])

    def grams(text):
        w = text.split()
        return {tuple(w[i : i + 4]) for i in range(len(w) - 3)}

    for i, quote in enumerate(asked):
        others = [d for d in range(1, len(texts)) if f" {quote} " in f" {texts[d]} "]
        if len(re.findall(rf"(?<!\S){quote}(?!\S)", texts[0])) > 1:
            others = [0, *others]  # twice in its own document
        assert found.twins.get(i, []) == others
        best = max(len(grams(quote) & grams(text)) / len(grams(quote)) for text in texts)
        assert found.copied.get(i, (0.0, 0))[0] == (best if best >= 0.6 else 0.0)


def test_quotes_of_fewer_than_four_words_have_no_twins():
    docs = corpus(a="No dogs please.", b="No dogs please.")
    assert copies(docs, [], [(0, "No dogs please")]).twins == {}
