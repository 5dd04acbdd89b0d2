"""Answer or defer."""

import pytest

from evenhand.errors import InputError
from evenhand.gate.rules import consensus


def test_all_systems_with_the_same_first_document_answer():
    assert consensus([["a", "b"], ["a"], ["a", "c"]]).top == "a"
    assert consensus([["x"]]).decision == "answer"


def test_a_system_that_differs_or_finds_nothing_defers_and_says_why():
    apart = consensus([["a", "b"], ["b", "a"]])
    assert (apart.decision, apart.top, apart.reason) == ("defer", None, "2 different first documents")
    empty = consensus([["a"], []])
    assert (empty.decision, empty.top, empty.reason) == ("defer", None, "a system found nothing")


def test_a_gate_of_no_systems_is_refused():
    with pytest.raises(InputError, match="no rankings"):
        consensus([])
