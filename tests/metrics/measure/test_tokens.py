"""Token metrics: words of the corpus for characters; a mark split by a unit's edge belongs to both sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.metrics.measure.measure import measure
from evenhand.metrics.measure.tokens import Scale, words
from evenhand.model.run import Qrels, Run
from evenhand.model.text import Corpus, DocId, Document, Units

NAMES = [
    "TokenRecall",
    "TokenPrecision",
    "TokenPrecision(overlap=each)",
    "TokenIoU",
    "TokenIoU(overlap=each)",
]
TEXTS = ("Das Haus, alt und groß.", "ein  zwei drei")


def scored(chunks, evidence, **options):
    corpus = Corpus(tuple(Document(id=DocId(f"d{i}"), text=text) for i, text in enumerate(TEXTS)))
    chunks = list(dict.fromkeys(chunks))
    units = Units.of(corpus, "test", chunks)
    at = {
        key: i
        for i, key in enumerate(
            zip(units.doc.tolist(), units.start.tolist(), units.end.tolist(), strict=True)
        )
    }
    qrels = Qrels(
        questions=("q",),
        offsets=np.array([0, 0]),
        unit=np.zeros(0, np.int32),
        grade=np.zeros(0),
        table=units.ids,
        units=units,
        nugget_offsets=np.array([0, len(evidence)]),
        vital=np.ones(len(evidence), bool),
        evidence=np.array([(0, i, *span) for i, span in enumerate(evidence)], dtype=np.int64),
    )
    code = np.array([at[chunk] for chunk in chunks], np.int32)
    run = Run(
        "s", ("q",), np.array([0, len(code)]), code, -np.arange(len(code), dtype=float), units.ids, units
    )
    m = measure(qrels, run, NAMES, **options)
    return {name: m.measurement("s", name, "q").value for name in m.metrics}


def test_words_are_runs_of_letters_and_single_marks():
    assert [TEXTS[0][a:b] for a, b in words(TEXTS[0])] == ["Das", "Haus", ",", "alt", "und", "groß", "."]
    assert words("  \n").shape == (0, 2)


def test_long_and_short_words_count_alike():
    # evidence "Haus, alt" is 3 words; shown "Das Haus" is 2, one of them evidence
    got = scored([(0, 0, 8)], [(0, 4, 13)])
    assert got == pytest.approx(
        {
            "TokenRecall": 1 / 3,
            "TokenPrecision": 1 / 2,
            "TokenPrecision(overlap=each)": 1 / 2,
            "TokenIoU": 1 / 4,
            "TokenIoU(overlap=each)": 1 / 4,
        }
    )


def test_a_word_cut_by_a_units_edge_belongs_to_the_unit():
    assert scored([(0, 0, 5)], [(0, 4, 8)])["TokenRecall"] == 1.0


def test_overlapping_units_count_once_or_each_time_by_name():
    got = scored([(0, 0, 8), (0, 4, 13)], [(0, 4, 8)])
    assert got["TokenPrecision"] == 1 / 4
    assert got["TokenPrecision(overlap=each)"] == 1 / 5


def test_the_tokenizer_can_be_brought():
    letters = scored([(0, 0, 8)], [(0, 4, 13)], tokens=lambda text: [(i, i + 1) for i in range(len(text))])
    assert letters["TokenRecall"] == 4 / 9


SPAN = st.tuples(st.sampled_from([0, 1]), st.integers(0, 12), st.integers(1, 8)).map(
    lambda x: (x[0], x[1], min(x[1] + x[2], len(TEXTS[x[0]])))
)


@settings(max_examples=60, deadline=None)
@given(st.lists(SPAN, min_size=1, max_size=5), st.lists(SPAN, min_size=1, max_size=3))
def test_columns_agree_with_sets_of_words(chunks, evidence):
    chunks = list(dict.fromkeys(chunks))

    def held(spans):
        return [
            {(doc, i) for i, (a, b) in enumerate(words(TEXTS[doc])) if a < end and b > start}
            for doc, start, end in spans
        ]

    shown, wanted = held(chunks), set().union(*held(evidence))
    union, each = set().union(*shown), sum(map(len, shown))
    both = len(union & wanted)
    got = scored(chunks, evidence)
    if not wanted:
        assert set(got.values()) == {None} or set(got.values()) == {0.0}
        return
    assert got == pytest.approx(
        {
            "TokenRecall": both / len(wanted),
            "TokenPrecision": both / max(len(union), 1),
            "TokenPrecision(overlap=each)": both / max(each, 1),
            "TokenIoU": both / len(union | wanted),
            "TokenIoU(overlap=each)": both / (each + len(wanted) - both),
        }
    )


def test_documents_are_tokenised_once():
    seen = []
    scale = Scale(lambda text: seen.append(text) or words(text))
    corpus = Corpus(tuple(Document(id=DocId(f"d{i}"), text=text) for i, text in enumerate(TEXTS)))
    scale.learn(corpus, np.array([1, 1]))
    scale.learn(corpus, np.array([1]))
    assert seen == [TEXTS[1]]
