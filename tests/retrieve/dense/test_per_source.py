"""Exact cosines inside the documents that a question may see."""

import numpy as np
import pytest

from evenhand.corpus.fixed import Fixed
from evenhand.errors import InputError
from evenhand.model.text import Corpus, Document
from evenhand.retrieve.dense.dense import Dense
from evenhand.retrieve.dense.per_source import within


def vectors(texts):
    """A vector by the letters of a text."""
    made = np.zeros((len(texts), 26), dtype=np.float32)
    for row, text in zip(made, texts, strict=True):
        for letter in text.lower():
            if letter.isalpha():
                row[ord(letter) - 97] += 1
    return made


@pytest.fixture
def held():
    texts = {"a.md": "abc abd abe abf", "b.md": "abc xyz", "c.md": "qqq qqq"}
    corpus = Corpus(tuple(Document(id=name, text=text) for name, text in texts.items()))
    return corpus, Fixed(size=4).cut(corpus)


def test_each_question_sees_its_own_documents_alone(held):
    _, units = held
    questions = {"q1": "abc", "q2": "xyz", "q3": "qqq"}
    run = within(Dense(embedder=vectors), units, questions, {"q1": (0,), "q2": (1,), "q3": (0, 2)}, 10)
    assert run.questions == ("q1", "q2", "q3")
    for question, own in (("q1", {"a.md"}), ("q2", {"b.md"}), ("q3", {"a.md", "c.md"})):
        assert {hit.unit.split("#")[0] for hit in run.ranking(question)} == own
    every = sum(units.doc.tolist().count(d) for d in (0, 1, 0, 2))
    assert len(run.unit) == every  # brute force: all units of those documents are scored


def test_scores_are_exact_and_ties_go_to_the_lower_unit(held):
    _, units = held
    run = within(Dense(embedder=vectors), units, {"q": "ab"}, {"q": (0,)}, 5)
    asked, texts = vectors(["ab"])[0].astype(float), [units.text(i) for i in range(4)]
    exact = [v @ asked / np.linalg.norm(v) / np.linalg.norm(asked) for v in vectors(texts).astype(float)]
    assert run.score.tolist() == sorted((round(x, 6) for x in exact), reverse=True)
    same = [hit.unit for hit in run.ranking("q") if hit.score == run.score[0]]
    assert same == sorted(same, key=units.ids.index)


def test_it_does_not_depend_on_the_company(held):
    _, units = held
    allowed = {"q1": (0,), "q2": (0,)}
    both = within(Dense(embedder=vectors), units, {"q1": "abc", "q2": "abf"}, allowed, 3)
    alone = within(Dense(embedder=vectors), units, {"q2": "abf"}, {"q2": (0,)}, 3)
    assert both.ranking("q2") == alone.ranking("q2")


def test_a_question_that_may_see_nothing_is_not_asked_and_no_question_is_refused(held):
    _, units = held
    run = within(Dense(embedder=vectors), units, {"q1": "abc", "q2": "x"}, {"q1": (0,)}, 3)
    assert run.questions == ("q1",)
    with pytest.raises(InputError, match="no question has a document"):
        within(Dense(embedder=vectors), units, {"q1": "abc"}, {}, 3)
    empty = within(Dense(embedder=vectors), units, {"q1": "abc"}, {"q1": ()}, 3)
    assert empty.notes == {"without_units": 1}
    assert len(empty.unit) == 0
