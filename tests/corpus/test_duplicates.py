"""The same text twice, and nearly the same."""

import random

import pytest

from evenhand.corpus.chunk import Fixed, chunk
from evenhand.corpus.duplicates import duplicates, near_duplicates, twins
from evenhand.errors import InputError
from evenhand.model.text import Corpus, Document


def test_twins_are_passages_with_the_same_text():  # case B017
    corpus = Corpus(
        (
            Document(id="k1", text="Visitors may park for two hours."),
            Document(id="k2", text="Visitors may park for two hours."),
            Document(id="k3", text="No dogs."),
        )
    )
    assert duplicates(corpus).exact == (("k1", "k2"),)
    assert twins(chunk(corpus, Fixed(100))) == ((0, 1),)
    assert twins(["a", " a\n", "b", "", " "]) == ((0, 1),)


def changed(words, share, dice):
    return [f"x{dice.randrange(10**6)}" if dice.random() < share else w for w in words]


def jaccard(a, b):
    one, two = ({tuple(t.split()[i : i + 3]) for i in range(len(t.split()) - 2)} for t in (a, b))
    return len(one & two) / len(one | two)


def test_near_duplicates_are_found_and_their_similarity_is_exact():
    dice = random.Random(3)  # noqa: S311
    texts = [" ".join(f"w{dice.randrange(3000)}" for _ in range(300)) for _ in range(60)]
    texts += [" ".join(changed(texts[i].split(), 0.02, dice)) for i in range(20)]
    found = near_duplicates(texts, threshold=0.8)
    expected = {(i, 60 + i) for i in range(20) if jaccard(texts[i], texts[60 + i]) >= 0.8}
    assert len(expected) > 10
    assert {(n.first, n.second) for n in found} == expected
    for near in found:
        assert near.jaccard == pytest.approx(jaccard(texts[near.first], texts[near.second]))
        assert abs(near.estimated - near.jaccard) < 0.2


def test_a_family_of_one_text_is_held_together_by_n_minus_1_pairs():
    base = [f"word{i}" for i in range(200)]
    texts = [" ".join([*base, f"copy{i}"]) for i in range(100)]
    found = near_duplicates(texts)
    assert len(found) == 99
    reached = {0}
    for near in found:
        assert near.first in reached
        reached.add(near.second)
    assert reached == set(range(100))


def test_scripts_without_blanks_have_shingles_too():
    one = "退款须在三十天内提出超过期限的申请不予受理特殊情况请联系客服处理谢谢合作"
    assert near_duplicates([one, one + "哦"])
    assert not near_duplicates([one, one[::-1]])


def test_blank_texts_are_nobodys_duplicates():
    assert near_duplicates(["", " ", "...", "a b c d"]) == ()
    assert near_duplicates([]) == ()


def test_a_threshold_is_a_similarity():
    with pytest.raises(InputError, match="threshold"):
        near_duplicates(["a", "b"], threshold=0)


def test_warnings_name_and_count():
    corpus = Corpus(tuple(Document(id=f"d{i}", text="the same text here") for i in range(3)))
    assert duplicates(corpus).warnings() == ("1 × the same text under several ids: d0 = d1 = d2",)
