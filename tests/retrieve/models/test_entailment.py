"""A model of entailment: its label, its probabilities, its absence."""

import json
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from evenhand.answer.claims.claims import borne_by_model
from evenhand.errors import InputError, MissingExtra
from evenhand.model.answer import Generation, Item, Passage
from evenhand.retrieve.models import sentence_transformer as module
from evenhand.retrieve.models.entailment import Entailment

LABELS = {0: "contradiction", 1: "ENTAILMENT", 2: "neutral"}


class StandIn:
    """What sentence-transformers hands over, with fixed probabilities."""

    def __init__(self, labels):
        self.model = SimpleNamespace(config=SimpleNamespace(id2label=labels))

    def predict(self, pairs, *, batch_size, show_progress_bar, apply_softmax):
        assert apply_softmax
        return np.array([[0.1, 0.9, 0.0] if claim in text else [0.7, 0.2, 0.1] for text, claim in pairs])


@pytest.fixture
def labelled(monkeypatch):
    def of(labels):
        monkeypatch.setattr(module, "_load", lambda *_: StandIn(labels))

    return of


def test_the_column_is_that_of_the_label(labelled):
    labelled(LABELS)
    model = Entailment("any/model")
    assert model([("it is 30 days", "30 days"), ("it is 30 days", "60 days")]) == [0.9, 0.2]
    assert model([]) == []
    assert Entailment("any/model", label="neutral").column == 2


def test_a_model_without_the_label_is_refused(labelled):
    labelled({0: "LABEL_0", 1: "LABEL_1"})
    with pytest.raises(InputError, match="LABEL_0, LABEL_1"):
        Entailment("any/model")([("a", "b")])
    assert Entailment("any/model", label="LABEL_1").column == 1


def test_claims_are_borne_out_by_it(labelled):
    labelled(LABELS)
    item = Item(topic="q", kind="answer", text="30 days [1].", claims=("30 days", "60 days"))
    passages = (Passage(unit="d", text="it is 30 days", marker="1"),)
    one = Generation(topic="q", ask="?", system="", passages=passages, items=(item,))
    borne = borne_by_model([one], Entailment("any/model"))[item.id]
    assert [b.out for b in borne] == [True, False]


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra is installed")
def test_without_the_extra_it_is_named():
    with pytest.raises(MissingExtra, match=r"evenhand\[torch\]"):
        Entailment("any/model")([("a", "b")])


@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="extra torch is not installed")
def test_a_real_model_of_random_weights(tmp_path):
    transformers = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *["it", "is", "thirty", "sixty", "days"]]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        id2label=dict(LABELS.items()),
        label2id={name: i for i, name in LABELS.items()},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["id2label"]["1"] == "ENTAILMENT"
    model = Entailment(str(tmp_path))
    (share,) = model([("it is thirty days", "thirty days")])
    assert 0 < share < 1
    assert model.column == 1
    assert len(model.seal) == 64
