"""What the tests of callers share."""

import pytest

from evenhand.llm.scheduling import retry_policy
from evenhand.store.calls.journal import Calls


@pytest.fixture
def impatient(monkeypatch):
    """First waits of a hundredth of a second."""
    monkeypatch.setattr(retry_policy, "FIRST", 0.01)
    retry_policy._policy.cache_clear()
    yield
    retry_policy._policy.cache_clear()


@pytest.fixture
def journal(tmp_path):
    made = Calls(tmp_path / ".evenhand")
    yield made
    made.close()
