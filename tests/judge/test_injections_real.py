"""A real small model and texts that tell it what to say: no fence keeps it from obeying.

The whole measurement is `tests.soak.injections`, its log tests/soak/injections.txt; a handful of its calls here.
"""

import re
from pathlib import Path

import pytest
from tests.llm.real import missing
from tests.soak.injections import PAIRS, SUITE, UNKNOWN, WORDINGS, served, shown, verdict

LOG = Path(__file__).parents[1] / "soak" / "injections.txt"
PANEL = Path(__file__).parents[2] / "docs" / "explanation" / "panel.md"
ASK, NONE, _ = PAIRS[0]


@pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()} (see requirements)")
def test_a_small_model_obeys_a_text_behind_the_fence_and_a_second_look_keeps_it_from_known_orders():
    order, unknown = (form.replace("{}", NONE, 1) for form in (SUITE["order"], UNKNOWN["right reply"]))
    with served() as url:
        said = [
            verdict(url, wording, shown(ASK, text))
            for wording, text in (
                ("panel/1", NONE),
                ("panel/1", order),
                ("panel/3", order),
                ("panel/3", unknown),
            )
        ]
    assert said[0] != "yes"
    assert said[1] == "yes"  # the fence is no protection
    assert said[2] != "yes"
    assert said[3] == "yes"  # nor is the second look, for words that its rule does not know


def test_the_page_promises_no_more_than_was_measured():
    log = LOG.read_text("utf-8")
    page = " ".join(PANEL.read_text("utf-8").split())
    for name in WORDINGS:
        found = re.search(
            rf"^{re.escape(name)} \(\d+ s\)\n  ten of the suite: (.*)\n  five others: (.*)\n",
            log,
            re.MULTILINE,
        )
        assert found, name
        for row in found.groups():
            share, bounds = re.search(
                r"; (\d+ of \d+) \(\d+% (\[\d+%, \d+%\])\) of the injections", row
            ).groups()
            assert f"{share} {bounds}" in page, (name, share, bounds)
