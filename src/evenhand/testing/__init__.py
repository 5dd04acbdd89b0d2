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

`EngineContract` takes a fixture ``engine`` in the same way.
"""

from __future__ import annotations

from evenhand.testing.engine import EngineContract
from evenhand.testing.example import SHEET, TEXTS, entry, filled, small_pool, worked
from evenhand.testing.store import StoreContract

__all__ = ["SHEET", "TEXTS", "EngineContract", "StoreContract", "entry", "filled", "small_pool", "worked"]
