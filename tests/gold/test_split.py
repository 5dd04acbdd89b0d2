"""Dev and holdout by cluster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.gold.split import split
from evenhand.model.gold import GoldSet, Question, QuestionId


def gold(clusters):
    return GoldSet(
        tuple(
            Question(id=QuestionId(f"q{i}"), text="?", cluster=c, expect="abstain")
            for i, c in enumerate(clusters)
        )
    )


@given(st.lists(st.sampled_from(["", "a", "b", "c", "d"]), min_size=12, max_size=60), st.integers(0, 9))
def test_no_cluster_is_in_both_and_nothing_is_lost(clusters, seed):
    whole = gold(clusters)
    try:
        dev, holdout = split(whole, holdout=0.4, seed=seed)
    except InputError:
        assert len(set(clusters)) < 5  # few large clusters may not be divisible
        return
    assert sorted(dev + holdout) == sorted(whole.ids)
    shared = {whole[q].cluster for q in dev} & {whole[q].cluster for q in holdout}
    assert shared <= {""}


def test_the_seed_decides_and_the_order_of_the_file_does_not():
    whole = gold([f"c{i % 20}" for i in range(100)])
    again = GoldSet(tuple(reversed(whole.questions)))
    dev, holdout = split(whole, holdout=0.3, seed=7)
    assert len(holdout) == 30
    assert set(split(again, holdout=0.3, seed=7)[1]) == set(holdout)
    assert split(whole, holdout=0.3, seed=8)[1] != holdout
    assert dev == tuple(q for q in whole.ids if q not in holdout)


def test_one_cluster_cannot_be_split():
    with pytest.raises(InputError, match="cannot be split"):
        split(gold(["a"] * 10), seed=1)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5])
def test_a_share_outside_0_and_1_is_refused(share):
    with pytest.raises(InputError, match="holdout is"):
        split(gold(["a", "b"]), holdout=share, seed=1)
