import pytest

from evenhand.model.text import Corpus, Document, Units


@pytest.fixture
def units_of():
    """One unit a document, from texts by id; with `size`, windows of that many characters."""

    def make(texts, *, size=None, statuses=None):
        corpus = Corpus(
            tuple(
                Document(id=name, text=text, status=(statuses or {}).get(name, "unknown"))
                for name, text in texts.items()
            )
        )
        rows = [
            (d, start, min(start + (size or len(doc.text)), len(doc.text)))
            for d, doc in enumerate(corpus)
            for start in range(0, len(doc.text), size or len(doc.text) or 1)
        ]
        return Units.of(corpus, "whole", rows)

    return make


def hits(run, question="q"):
    """(document, score) pairs."""
    return [(hit.unit.split("#")[0], hit.score) for hit in run.ranking(question)]
