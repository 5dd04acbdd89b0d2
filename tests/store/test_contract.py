"""The store's contract, on SQLite and on a real PostgreSQL."""

import pytest

from evenhand.store.open import create_store
from evenhand.testing import StoreContract


class TestSqlite(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        made = create_store(tmp_path / "one.sqlite")
        yield made
        made.close()

    @pytest.fixture
    def another(self, tmp_path):
        made = create_store(tmp_path / "two.sqlite")
        yield made
        made.close()


class TestPostgres(StoreContract):
    @pytest.fixture
    def store(self, postgres):
        made = create_store(postgres.database())
        yield made
        made.close()

    @pytest.fixture
    def another(self, postgres):
        made = create_store(postgres.database())
        yield made
        made.close()
