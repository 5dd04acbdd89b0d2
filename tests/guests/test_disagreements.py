"""What the packages say of the five cases is what the docs show."""

import json

import pytest
from tests.docs.disagreements import MEASURED
from tests.guests.disagreements import measured

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_numbers_of_the_page_are_what_the_packages_give(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    again = "make it anew: .venv-guests/bin/python -m tests.guests.disagreements"
    assert measured() == json.loads(MEASURED.read_text(encoding="utf-8")), again
