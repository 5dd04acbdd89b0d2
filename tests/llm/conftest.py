"""What the tests of callers share."""

import pytest

from evenhand.llm import patience
from evenhand.store.calls import Calls


@pytest.fixture
def impatient(monkeypatch):
    """First waits of a hundredth of a second."""
    monkeypatch.setattr(patience, "FIRST", 0.01)
    patience._policy.cache_clear()
    yield
    patience._policy.cache_clear()


@pytest.fixture
def journal(tmp_path):
    made = Calls(tmp_path / ".evenhand")
    yield made
    made.close()
