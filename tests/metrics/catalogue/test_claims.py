"""RAGChecker's rates of claims, counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.metrics.catalogue.claims import CLAIM_RATES, Claimed, claim_rates

# four claims of the answer, two passages, three claims of the reference; passage 1 holds a claim of the
# reference, passage 2 none
HAND = Claimed(
    correct=(True, False, False, True),
    held=((True, False), (True, False), (False, True), (False, False)),
    made=(True, False, True),
    there=((True, False), (True, False), (False, False)),
)


def test_each_rate_is_counted_as_defined():
    assert claim_rates(HAND) == {
        "claim_precision": 2 / 4,
        "claim_recall": 2 / 3,
        "retrieved_recall": 2 / 3,
        "context_precision": 1 / 2,
        "context_utilization": 1 / 2,
        "faithfulness": 3 / 4,
        "noise_sensitivity_relevant": 1 / 4,
        "noise_sensitivity_irrelevant": 1 / 4,
        "hallucination": 0.0,
        "self_knowledge": 1 / 4,
    }


def test_an_answer_without_claims_has_no_rate_of_them():
    found = claim_rates(Claimed(correct=(), held=(), made=(False,), there=((True,),)))
    assert found["claim_precision"] is None
    assert found["hallucination"] is None
    assert found["claim_recall"] == 0.0
    assert found["context_utilization"] == 0.0


def test_what_nobody_decided_is_left_out_and_not_taken_for_no():
    one = Claimed(
        correct=(True, None), held=((None, False), (True, False)), made=(None,), there=((None, False),)
    )
    found = claim_rates(one)
    assert found["claim_precision"] == 1.0
    assert found["faithfulness"] == 1.0  # of the second claim; the first may be in the first passage
    assert found["claim_recall"] is None
    assert found["retrieved_recall"] is None
    assert found["self_knowledge"] == 0.0  # the second is in a passage, so it is none
    assert one.undecided == 4


def test_rows_that_do_not_match_are_refused():
    with pytest.raises(InputError, match="do not match"):
        Claimed(correct=(True,), held=(), made=(), there=())
    with pytest.raises(InputError, match="different passages"):
        Claimed(correct=(True,), held=((True,),), made=(True,), there=((True, False),))


SAID = st.booleans()


@given(st.data())
def test_decided_claims_are_faithful_or_made_up_or_known(data):
    """Every claim is in a passage, or wrong and in none, or correct and in none; noise is part of the first."""
    n, passages, m = (data.draw(st.integers(1, 4)) for _ in range(3))
    row = st.lists(SAID, min_size=passages, max_size=passages).map(tuple)
    one = Claimed(
        correct=tuple(data.draw(st.lists(SAID, min_size=n, max_size=n))),
        held=tuple(data.draw(st.lists(row, min_size=n, max_size=n))),
        made=tuple(data.draw(st.lists(SAID, min_size=m, max_size=m))),
        there=tuple(data.draw(st.lists(row, min_size=m, max_size=m))),
    )
    found = claim_rates(one)
    assert set(found) == set(CLAIM_RATES)
    assert found["faithfulness"] + found["hallucination"] + found["self_knowledge"] == pytest.approx(1)
    wrong = 1 - found["claim_precision"]
    noise = found["noise_sensitivity_relevant"] + found["noise_sensitivity_irrelevant"]
    assert noise + found["hallucination"] == pytest.approx(wrong)
