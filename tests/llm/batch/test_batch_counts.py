"""How far a batch is: a request that failed is answered too."""

import pytest
from tests.llm.batching import batching
from tests.llm.toys import request

from evenhand.llm.batch.batches import Batches
from evenhand.llm.providers.factory import chat_of
from evenhand.store.calls.journal import Calls


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_what_failed_in_a_batch_counts_as_done(provider, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-two")
    with batching() as shop:
        base = f"{shop.url}/v1" if provider == "openai" else shop.url
        batches = Batches({"j": chat_of(f"{provider}:judge-1", {"base_url": base})}, Calls(tmp_path))
        batches.submit([("j", request(n)) for n in range(3)])
        shop.spoil[shop.asked[1]] = "too long"
        assert [(one.done, one.n, one.ended) for one in batches.poll()] == [(0, 3, False)]
        shop.end()
        assert [(one.done, one.n, one.ended) for one in batches.poll()] == [(3, 3, True)]
