"""Every rule gives true offsets, loses nothing and keeps its size."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.corpus.chunk import (
    Fixed,
    Headings,
    Recursive,
    Sentences,
    Whole,
    chunk,
    rule_of,
    token_lengths,
)
from evenhand.errors import InputError
from evenhand.model.text import Corpus, Document


class Bytes:
    """A byte-level tokenizer: a character of four bytes is four tokens that share its span."""

    name = "bytes"

    def offsets(self, text):
        rows = [(i, i + 1) for i, c in enumerate(text) for _ in c.encode("utf-8", "surrogatepass")]
        return np.array(rows, dtype=np.int64).reshape(-1, 2)


class Words:
    """White-space words; blanks belong to no token."""

    name = "words"

    def offsets(self, text):
        rows, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            rows.append((at, at + len(word)))
            at += len(word)
        return np.array(rows, dtype=np.int64).reshape(-1, 2)


def corpus_of(*texts, kind="markdown", body=0):
    return Corpus(tuple(Document(id=f"d{i}", text=t, kind=kind, body=body) for i, t in enumerate(texts)))


def spans(text, rule, *, kind="markdown", tokens=None):
    return [(u.start, u.end) for u in chunk(corpus_of(text, kind=kind), rule, tokens=tokens)]


CHARACTERS = st.one_of(
    st.sampled_from(list("ab .!?\n\r\t#-`>|1。！，退款須天\u0301é🤢👩‍⚖️\u00ad\ufb01ｗ\u2029\x0c\u3000\x85")),
    st.characters(codec="utf-8"),
)
TEXTS = st.lists(CHARACTERS, min_size=1, max_size=160).map("".join).filter(str.strip)
RULES = st.one_of(
    st.builds(Fixed, st.integers(1, 40), st.just(0), st.sampled_from(["characters", "tokens"])),
    st.integers(2, 40).flatmap(
        lambda n: st.builds(
            Fixed, st.just(n), st.integers(0, n - 1), st.sampled_from(["characters", "tokens"])
        )
    ),
    st.builds(Sentences, st.integers(1, 40), st.integers(0, 3), st.sampled_from(["characters", "tokens"])),
    st.integers(1, 40).flatmap(
        lambda n: st.builds(
            Recursive, st.just(n), st.integers(0, n - 1), st.sampled_from(["characters", "tokens"])
        )
    ),
    st.builds(Headings, st.one_of(st.none(), st.integers(1, 40)), st.sampled_from(["characters", "tokens"])),
    st.just(Whole()),
)


@settings(max_examples=400, deadline=None)
@given(TEXTS, RULES, st.sampled_from([Bytes(), Words()]), st.sampled_from(["markdown", "text", "rst"]))
def test_units_are_cut_from_the_text_in_order_and_lose_nothing_of_it(text, rule, tokens, kind):
    units = chunk(corpus_of(text, kind=kind), rule, tokens=tokens)
    covered = np.zeros(len(text), dtype=bool)
    before = (-1, -1)
    for unit in units:
        assert unit.text == text[unit.start : unit.end]
        assert unit.text.strip()
        assert before < (unit.start, unit.end)
        before = (unit.start, unit.end)
        covered[unit.start : unit.end] = True
    lost = [c for c, seen in zip(text, covered, strict=True) if not seen and not c.isspace()]
    assert not lost


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 40), st.integers(0, 3))
def test_no_unit_is_longer_than_its_size_in_characters(text, size, overlap):
    for rule in (Fixed(size), Sentences(size, overlap), Recursive(size), Headings(size)):
        units = chunk(corpus_of(text), rule)
        assert (units.end - units.start).max() <= size


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 12))
def test_no_unit_holds_more_tokens_than_its_size_unless_one_character_does(text, size):
    tokens = Bytes()
    for rule in (Fixed(size, 0, "tokens"), Sentences(size, 0, "tokens"), Recursive(size, 0, "tokens")):
        units = chunk(corpus_of(text), rule, tokens=tokens)
        lengths = token_lengths(units, tokens)
        assert all(n <= size or unit.end - unit.start == 1 for n, unit in zip(lengths, units, strict=True))


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.sampled_from([Bytes(), Words()]))
def test_token_lengths_agree_with_counting_each_token_that_touches_a_unit(text, tokens):
    units = chunk(corpus_of(text), Sentences(9))
    rows = tokens.offsets(text)
    expected = [int(((rows[:, 0] < u.end) & (rows[:, 1] > u.start)).sum()) for u in units]
    assert token_lengths(units, tokens).tolist() == expected


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(1, 20))
def test_fixed_units_and_sections_join_back_to_the_text_when_none_is_blank(text, size):
    text = "".join(c if not c.isspace() else "x\n"[i % 2] for i, c in enumerate(text)) + "y"
    for rule in (Fixed(size), Fixed(size, 0, "tokens"), Headings()):
        units = chunk(corpus_of(text), rule, tokens=Bytes())
        joined = "".join(u.text for u in units)
        assert joined == text or any(text[a:b].isspace() for a, b in _gaps(units, len(text)))


def _gaps(units, total):
    ends = [0, *units.end.tolist()]
    starts = [*units.start.tolist(), total]
    return [(a, b) for a, b in zip(ends, starts, strict=True) if a < b]


def test_repeated_sentences_each_have_their_own_place():  # case B005
    text = "Refund in 30 days. Refund in 30 days. Refund in 30 days."
    assert spans(text, Sentences(20)) == [(0, 18), (19, 37), (38, 56)]


def test_a_hash_inside_a_code_fence_is_no_heading():  # case B007
    text = "# Setup\nKeep the key safe.\n\n```python\n# rotate weekly\nrun()\n```\nAfter that, restart.\n"
    units = chunk(corpus_of(text), Headings())
    assert [(u.start, u.end, u.heading) for u in units] == [(0, len(text), ("Setup",))]
    assert "".join(u.text for u in units) == text


@pytest.mark.parametrize("rule", [Recursive(15), Sentences(15)])
def test_chinese_is_cut_after_its_own_full_stops(rule):  # case B009
    text = "退款须在三十天内提出。超过期限的申请不予受理。特殊情况请联系客服处理。"
    found = spans(text, rule)
    assert found == [(m, n) for m, n in _after(text, "。")]
    assert all(e - s <= 15 for s, e in found)


def _after(text, stop):
    at = 0
    for piece in text.split(stop)[:-1]:
        yield at, at + len(piece) + 1
        at += len(piece) + 1


def test_what_a_size_counts_is_named_in_the_settings():  # case B009, a budget that names its measure
    units = chunk(corpus_of("one two three"), Fixed(2, 0, "tokens"), tokens=Words())
    assert units.settings == {
        "rule": "fixed",
        "size": 2,
        "overlap": 0,
        "count": "tokens",
        "tokenizer": "words",
    }


@pytest.mark.parametrize("size", [1, 3])
def test_a_token_inside_a_character_never_cuts_it(size):  # case B012
    text = "Übelkeit 🤢 nach Tür"
    assert len(text) == 19
    # the blanks of the text are units of their own at one token each, and blank units are left out
    units = chunk(corpus_of(text), Fixed(size, 0, "tokens"), tokens=Bytes())
    assert all(u.end > u.start and "\ufffd" not in u.text for u in units)
    gaps = _gaps(units, len(text))
    assert all(text[a:b].isspace() for a, b in gaps)
    assert "🤢" in "".join(u.text for u in units)


def test_overlapping_windows_share_what_was_asked_and_the_last_is_not_inside_the_one_before():
    assert spans("abcdefghij", Fixed(4, 2)) == [(0, 4), (2, 6), (4, 8), (6, 10)]
    assert spans("abcdefgh", Fixed(4, 1)) == [(0, 4), (3, 7), (6, 8)]
    text = "a b c d e f g"
    assert [text[s:e] for s, e in spans(text, Fixed(3, 1, "tokens"), tokens=Words())] == [
        "a b c ",
        "c d e ",
        "e f g",
    ]


def test_sentences_overlap_by_whole_sentences_and_each_unit_holds_something_new():
    text = "One is. Two is. Three is. Four is."
    # "Two is." and "Three is." do not fit together into 16, so nothing is repeated there
    found = [text[s:e] for s, e in spans(text, Sentences(16, 1))]
    assert found == ["One is. Two is.", "Three is.", "Four is."]
    wide = [text[s:e] for s, e in spans(text, Sentences(18, 1))]
    assert wide == ["One is. Two is.", "Two is. Three is.", "Three is. Four is."]


def test_sections_keep_the_path_of_headings_above_them():
    text = "before\n\n# A\n\n## B\ntext b\n\n### C\ntext c\n\n## D #\ntext d\n\nE\n===\ntext e\n"
    units = chunk(corpus_of(text), Headings())
    assert [u.heading for u in units] == [(), ("A", "B"), ("A", "B", "C"), ("A", "D"), ("E",)]
    assert "".join(u.text for u in units) == text
    assert [u.heading for u in chunk(corpus_of(text), Headings(levels=1))] == [(), ("A",), ("E",)]


def test_long_sections_are_cut_further_and_keep_their_path():
    text = "# A\n\n" + "word " * 40
    units = chunk(corpus_of(text), Headings(size=50))
    assert len(units) > 3
    assert {u.heading for u in units} == {("A",)}


def test_restructuredtext_titles_are_headings():
    text = "=====\nTitle\n=====\n\nintro\n\nPart\n----\n\ntext::\n\n  # code\n\nMore\n----\n\nend\n"
    units = chunk(corpus_of(text, kind="rst"), Headings())
    assert [u.heading for u in units] == [("Title",), ("Title", "Part"), ("Title", "More")]


def test_front_matter_belongs_to_no_unit():
    text = "---\ntitle: T\n---\nBody here.\n"
    for rule in (Fixed(8), Sentences(50), Recursive(50), Headings(), Whole()):
        units = chunk(corpus_of(text, body=17), rule)
        assert units.start.min() >= 17
        assert "title" not in "".join(u.text for u in units)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Dr. Smith met J. Doe at 5 p.m. today. They left.",
            ["Dr. Smith met J. Doe at 5 p.m. today.", "They left."],
        ),
        ("See Fig. 3 and e.g. Table 2. It is clear.", ["See Fig. 3 and e.g. Table 2.", "It is clear."]),
        ('"Why?" he asked. Nobody knew.', ['"Why?" he asked.', "Nobody knew."]),
        ("a tax asset in 2017. a deferred tax was set.", ["a tax asset in 2017.", "a deferred tax was set."]),
        ("1. Wash the apples.\n2. Cut them.", ["1. Wash the apples.", "2. Cut them."]),
        ("The price is 3.50 euros. Pay!", ["The price is 3.50 euros.", "Pay!"]),
        ("यह एक है। यह दो है।", ["यह एक है।", "यह दो है।"]),
        ("「本当ですか？」はい。", ["「本当ですか？」", "はい。"]),
        ("A line\nwrapped. Then\n\nA paragraph", ["A line\nwrapped.", "Then", "A paragraph"]),
        ("We said no. Then we left.", ["We said no.", "Then we left."]),
        ("Er kam z.B. nicht. Sie schon.", ["Er kam z.B. nicht.", "Sie schon."]),
    ],
)
def test_sentences_end_where_a_reader_would_say(text, sentences):
    longest = max(len(s) for s in sentences)
    from evenhand.corpus.sentences import pieces, sentence_starts

    assert longest
    assert [text[s:e] for s, e in pieces(text, 0, len(text), sentence_starts(text))] == sentences


@settings(max_examples=300, deadline=None)
@given(TEXTS.map(lambda text: text.replace("\r", "\n")), RULES, st.sampled_from(["markdown", "text", "rst"]))
def test_it_does_not_matter_how_lines_end(text, rule, kind):
    """A file of Windows is cut where the same file of Unix is: CR LF is one line end, and no blank line."""
    if getattr(rule, "count", "tokens") != "tokens":
        rule = replace(rule, count="tokens")
    wanted = [text[s:e] for s, e in spans(text, rule, kind=kind, tokens=Words())]
    for end in ("\r\n", "\r"):
        other = text.replace("\n", end)
        found = [other[s:e].replace(end, "\n") for s, e in spans(other, rule, kind=kind, tokens=Words())]
        assert found == wanted


def test_hostile_texts_are_cut_in_linear_time():
    import time

    began = time.process_time()
    for text in (
        "." * 300_000,
        " " * 300_000 + "x",
        "a" * 300_000,
        "\n " * 150_000 + "x",
        "`" * 300_000,
        "# " * 150_000,
    ):
        for rule in (Sentences(100, 2), Recursive(100, 20), Headings(100), Fixed(100, 20)):
            chunk(corpus_of(text), rule)
    assert time.process_time() - began < 20  # a quadratic rule needs minutes


def test_counting_tokens_needs_a_tokenizer():
    with pytest.raises(InputError, match="tokenizer") as caught:
        chunk(corpus_of("text"), Fixed(5, 0, "tokens"))
    assert "characters" in caught.value.mend


def test_a_corpus_without_text_makes_no_units_and_says_so():
    with pytest.raises(InputError, match="no unit"):
        chunk(corpus_of(" \n"), Fixed(5))


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("fixd", {"size": 5}, "fixed"),
        ("fixed", {}, "size"),
        ("fixed", {"sise": 5}, "size"),
        ("fixed", {"size": 0}, "size"),
        ("fixed", {"size": "200"}, "size"),
        ("fixed", {"size": True}, "size"),
        ("fixed", {"size": 10.5}, "size"),
        ("fixed", {"size": 10, "overlap": 10}, "overlap"),
        ("fixed", {"size": 10, "overlap": -1}, "overlap"),
        ("fixed", {"size": 10, "count": "token"}, "tokens"),
        ("sentences", {"size": 10, "overlap": "x"}, "overlap"),
        ("recursive", {"size": 10, "separators": "x"}, "separators"),
        ("recursive", {"size": 10, "separators": [1]}, "separators"),
        ("headings", {"levels": 0}, "levels"),
        ("document", {"size": 5}, "leave it out"),
        ("python:nowhere_at_all:x", {}, "nowhere_at_all"),
        ("python:json:nothing", {}, "nothing"),
        ("python:json:__name__", {}, "called"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_its_place_and_a_mend(name, given, says):
    with pytest.raises(InputError) as caught:
        rule_of(name, {"rule": name, **given}, where="study.toml [chunking.a]")
    assert says in str(caught.value)
    assert "study.toml" in str(caught.value)


def test_rules_of_a_study_file_are_the_rules_of_the_api():
    made = rule_of("fixed", {"rule": "fixed", "size": 200, "overlap": 40, "count": "tokens"}, where="s")
    assert made == Fixed(200, 40, "tokens")
    assert rule_of("document", {}, where="s") == Whole()
    assert rule_of("headings", {}, where="s") == Headings()
    own = rule_of("recursive", {"size": 5, "separators": ["\n", ""]}, where="s")
    assert own == Recursive(5, separators=("\n",))
