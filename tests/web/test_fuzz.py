"""Requests made up from the description that is served: no fault, no answer that is not described."""

from collections import Counter

import pytest
from tests.web.fuzzed import BASE, MODES, Served, fuzz

FEW = 4  # of each kind for each operation; `make soak` asks some hundred


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = Served(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.close()


def test_what_is_served_is_described(served):
    statuses = Counter()
    operations = served.operations()
    assert len(operations) >= 29
    for operation in operations:
        came = [status for mode in MODES for status in fuzz(served, operation, mode, examples=FEW)]
        assert came, operation.label
        statuses.update(came)
    assert {200, 404, 409, 422} <= set(statuses)
    assert max(statuses) < 500


def test_a_description_that_says_too_little_is_found_out(served):
    """The fuzzing itself: an operation whose answer is described wrongly fails."""
    operation = next(one for one in served.operations() if one.label == "GET /desks.json")
    operation.schema.raw_schema["components"]["schemas"]["DesksPage"]["required"].append("more")
    with pytest.raises(BaseExceptionGroup, match="required property"):
        fuzz(served, operation, MODES[0], examples=1)


def test_what_is_not_done_at_an_address_says_what_is(served):
    for method, path, allowed in (
        ("PUT", "/desks.json", "GET, HEAD"),
        ("DELETE", "/author/save.json", "POST"),
    ):
        answer = served.browser.request(method, path, headers={"origin": BASE})
        assert answer.status_code == 405
        assert answer.headers["allow"] == allowed
        assert set(answer.json()) == {"status", "what", "mend"}


def test_each_act_needs_the_origin_of_a_page_of_this_server(served):
    acts = [one for one in served.operations() if one.method == "post"]
    assert len(acts) >= 8
    for act in acts:
        for heads in ({}, {"origin": "http://elsewhere.example"}, {"origin": "null"}):
            path = act.path.replace("{name}", "x").replace("{access}", "x")
            answer = served.browser.post(path, json={}, headers=heads)
            assert answer.status_code == 403, path
            assert set(answer.json()) == {"status", "what", "mend"}
