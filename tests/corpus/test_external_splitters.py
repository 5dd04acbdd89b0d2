"""Outside splitters: true offsets, whatever they do to white space."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.shared import SHARED

from evenhand.corpus.chunk import Guest, chunk, rule_of
from evenhand.errors import InputError
from evenhand.model.text import Corpus, Document

TEXT = (
    "# Regeln\n\nDie  Rückgabe ist möglich. Die  Rückgabe ist möglich.\tSehr gut! 🤢🤢\n\n"
    "退款须在三十天内提出。超过期限的申请不予受理。\r\n\r\nRefund in 30 days. Refund in 30 days. Refund in 30 days.\n"
) * 3


def corpus_of(text, body=0):
    return Corpus((Document(id="d", text=text, body=body),))


def check(units, text, *, covers=True):
    covered = set()
    starts = units.start.tolist()
    assert starts == sorted(starts)
    for unit in units:
        assert unit.text == text[unit.start : unit.end]
        covered.update(range(unit.start, unit.end))
    if covers:
        assert all(c.isspace() or i in covered for i, c in enumerate(text))


def test_chonkie_chunkers_keep_their_offsets():
    chonkie = pytest.importorskip("chonkie")
    for chunker in (
        chonkie.TokenChunker(chunk_size=40, chunk_overlap=10),
        chonkie.SentenceChunker(chunk_size=60, min_characters_per_sentence=1),
        chonkie.RecursiveChunker(chunk_size=50, min_characters_per_chunk=1),
    ):
        units = chunk(corpus_of(TEXT), Guest(chunker))
        assert len(units) > 5
        check(units, TEXT)


def test_semchunk_is_found_again():
    semchunk = pytest.importorskip("semchunk")
    chunker = semchunk.chunkerify(lambda text: len(text.split()), 8)
    check(chunk(corpus_of(TEXT), chunker), TEXT)


def test_langchain_splitters_are_found_again():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # raised while the package is imported
        langchain = pytest.importorskip("langchain_text_splitters")
    for overlap in (0, 20):
        splitter = langchain.RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=overlap)
        units = chunk(corpus_of(TEXT), splitter)
        check(units, TEXT)
        assert [u.text for u in units] == list(splitter.split_text(TEXT)) or overlap
    headers = langchain.MarkdownHeaderTextSplitter([("#", "one")], strip_headers=False)
    # it drops tabs, strips each line and joins lines anew: only blindness to white space finds that
    check(chunk(corpus_of(TEXT), headers), TEXT)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["ab", "ba", "a", "退款", "🤢", "e\u0301", " ", "  ", "\n", "\t", "\r\n"]), min_size=1
    ).map("".join),
    st.integers(1, 9),
)
def test_a_splitter_that_joins_words_by_one_blank_is_found_again(text, size):
    if not text.strip():
        return

    def split(text):
        words = text.split()
        return [" ".join(words[i : i + size]) for i in range(0, len(words), size)]

    units = chunk(corpus_of(text), split)
    assert ["".join(u.text.split()) for u in units] == [
        "".join(p.split()) for p in dict.fromkeys(split(text))
    ] or len(units) == len(split(text))
    check(units, text)


@settings(max_examples=200, deadline=None)
@given(st.text("ab c", min_size=1, max_size=60).filter(str.strip), st.integers(1, 8))
def test_contiguous_pieces_of_a_repetitive_text_keep_their_places(text, size):
    cuts = [text[i : i + size] for i in range(0, len(text), size)]
    units = chunk(corpus_of(text), lambda _: cuts)
    expected = [
        (i, min(i + size, len(text))) for i in range(0, len(text), size) if text[i : i + size].strip()
    ]
    assert list(zip(units.start.tolist(), units.end.tolist(), strict=True)) == expected


def test_repeated_sentences_of_a_guest_each_have_their_own_place():  # case B005
    text = "Refund in 30 days. Refund in 30 days. Refund in 30 days."
    units = chunk(corpus_of(text), lambda t: [p.strip() + "." for p in t.split(".") if p.strip()])
    assert units.start.tolist() == [0, 19, 38]


def test_overlapping_windows_of_a_repetitive_text_are_found():
    units = chunk(corpus_of("aaaaaaaaaa"), lambda t: [t[i : i + 4] for i in range(0, 7, 2)])
    assert len(units) == 4
    check(units, "aaaaaaaaaa", covers=False)


def test_offsets_of_a_guest_are_of_the_body_it_was_given():
    text = "---\nt: x\n---\nOne. Two."
    units = chunk(corpus_of(text, body=13), lambda t: [(0, 4), (5, 9)])
    assert [u.text for u in units] == ["One.", "Two."]


def test_wrong_offsets_are_not_believed():
    class Piece:
        text, start_index, end_index = "Two.", 0, 4

    units = chunk(corpus_of("One. Two."), lambda t: [Piece()])
    assert units.start.tolist() == [5]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (["One", "is not here"], "piece 2"),
        (["Two", "One"], "piece 2"),
        ("One. Two.", "returned str"),
        (None, "NoneType"),
        ([3], "int"),
        ([(5, 99)], "5:99"),
    ],
)
def test_a_piece_that_cannot_be_placed_is_refused_naming_splitter_document_and_piece(made, says):
    with pytest.raises(InputError, match="mine") as caught:
        chunk(corpus_of("One. Two."), Guest(lambda _: made, name="mine"))
    assert says in str(caught.value)
    assert "'d'" in str(caught.value)


def test_a_guest_of_a_study_file_gets_its_settings():
    rule = rule_of("python:textwrap:wrap", {"width": 10}, where="study.toml")
    text = "some words that are wrapped here"
    units = chunk(corpus_of(text), rule, name="wrapped")
    assert [u.text for u in units] == ["some words", "that are", "wrapped", "here"]
    assert units.chunking == "wrapped"
    assert units.settings == {"rule": "python:textwrap:wrap", "width": 10}
    with pytest.raises(InputError, match="does not take"):
        rule_of("python:textwrap:dedent", {"breite": 10}, where="study.toml")
    with pytest.raises(InputError, match="failed on 'd': TypeError"):
        chunk(corpus_of(text), rule_of("python:textwrap:wrap", {"breite": 10}, where="study.toml"))


def test_a_piece_may_begin_where_the_one_before_it_began():  # as LangChain's do, with overlap
    units = chunk(
        corpus_of("Plasmids.\nThe sequence. The end."),
        lambda _: ["Plasmids.", "Plasmids.\nThe sequence.", "The end."],
    )
    assert units.start.tolist() == [0, 0, 24]


@pytest.mark.parametrize("overlap", [0, 100])
def test_a_langchain_splitter_works_on_a_whole_corpus(overlap):
    if not SHARED.is_dir():
        pytest.skip("the reference data folder ../shared is absent")
    langchain = pytest.importorskip("langchain_text_splitters")
    text = (SHARED / "data/chunking_evaluation/corpora/pubmed.md").read_bytes().decode()
    splitter = langchain.RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=overlap)
    check(chunk(corpus_of(text), splitter), text)
