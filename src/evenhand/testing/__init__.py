"""Contract tests for guests: inherit a class, give it a fixture, and run it with pytest.

from evenhand.testing import StoreContract

class TestMine(StoreContract):
    @pytest.fixture
    def store(self):
        made = MyStore(...)
        yield made
        made.close()

    @pytest.fixture
    def another(self): ...   # a second, empty store
"""

from __future__ import annotations

from evenhand.testing.example import SHEET, TEXTS, entry, filled, small_pool, worked
from evenhand.testing.store import StoreContract

__all__ = ["SHEET", "TEXTS", "StoreContract", "entry", "filled", "small_pool", "worked"]
