"""The page of formats is made of the program: every form is on it, none that is not there."""

from tests.docs.formats_reference import EVIDENCE, PACKAGES, PAGE, SAMPLES, render, versions

from evenhand.formats.guests.answers.registry import READS
from evenhand.formats.guests.gold_registry import GUESTS
from evenhand.formats.guests.labels.registry import TOOLS


def test_the_page_is_the_one_that_is_made():
    assert PAGE.read_text(encoding="utf-8") == render(), (
        "make it anew: python -m tests.docs.formats_reference"
    )


def test_every_guest_says_what_it_is_tested_against_once():
    assert set(GUESTS) == set(EVIDENCE)
    assert {*GUESTS, *READS, *TOOLS} <= {*PACKAGES, *SAMPLES}
    assert not {*PACKAGES} & {*SAMPLES}
    assert set(PACKAGES.values()) <= set(versions())
