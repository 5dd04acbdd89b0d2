import json

import numpy as np
import pytest
from tests.retrieve.conftest import hits

from evenhand.errors import InputError
from evenhand.model.run import Run
from evenhand.retrieve.combine.rerank import ByModel, ByStatus, by_status, cross_encoder, moves
from evenhand.retrieve.lexical.bm25 import BM25
from evenhand.retrieve.models.onnx_cross_encoder import CrossEncoder
from evenhand.retrieve.search import retrieve
from evenhand.store.blobs import Blobs

TEXTS = {
    "a": "leave policy leave policy leave",
    "b": "leave policy leave draft",
    "c": "leave policy of today",
    "d": "leave",
}
STATUS = {"a": "obsolete", "b": "draft", "c": "current", "d": "unknown"}


@pytest.fixture
def base(units_of):
    units = units_of(TEXTS, statuses=STATUS)
    return retrieve(BM25(stopwords="none"), units, {"q": "leave policy", "n": "nothing here"})


def test_current_documents_come_first_and_order_is_kept_within_a_status(base):
    before = [unit for unit, _ in hits(base)]
    run = by_status(base, base.units.corpus)
    after = [unit for unit, _ in hits(run)]
    assert after[0] == "c"
    assert after[-1] == "a"
    assert [u for u in after if u in "bd"] == [u for u in before if u in "bd"]
    assert [score for _, score in hits(run)] == [1, 1 / 2, 1 / 3, 1 / 4]
    assert run.notes["reordered"] == 1
    assert {(m.unit[0], m.status) for m in moves(base, run, base.units.corpus)} >= {
        ("c", "current"),
        ("a", "obsolete"),
    }


def test_only_the_head_is_reranked(base):
    run = by_status(base, base.units.corpus, depth=2)
    assert [u for u, _ in hits(run)][2:] == [u for u, _ in hits(base)][2:]
    assert {u for u, _ in hits(run)[:2]} == {u for u, _ in hits(base)[:2]}


def test_a_run_of_bare_ids_has_no_status_and_no_text():
    run = Run.of("file", {"q": [("x", 1.0)]})
    with pytest.raises(InputError, match="ids alone"):
        ByStatus(["file"]).combine([run], name="s", depth=9, questions={"q": "x"})
    with pytest.raises(InputError, match="ids alone"):
        ByModel(["file"], by=len).combine([run], name="s", depth=9, questions={"q": "x"})


def test_a_function_reranks_the_head_and_ties_go_by_position(base):
    def shortest(_question, texts):
        return [float(text == "leave") for text in texts]

    run = cross_encoder(base, shortest, base.units, {"q": "leave policy", "n": "nothing"})
    assert [unit for unit, _ in hits(run)] == ["d", "a", "b", "c"]
    head = cross_encoder(base, shortest, base.units, {"q": "leave policy", "n": ""}, depth=2)
    assert [u for u, _ in hits(head)][2:] == [u for u, _ in hits(base)][2:]
    scores = [score for _, score in hits(head)]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("wrong", [[1.0], [1.0, float("nan"), 0.0, 0.0]])
def test_scores_that_do_not_fit_are_refused(base, wrong):
    with pytest.raises(InputError, match="finite"):
        cross_encoder(base, lambda _q, _t: wrong, base.units, {"q": "leave policy", "n": ""})


def test_a_sealed_reranker_is_asked_once(base, tmp_path):
    class Counting:
        name, seal, calls = "counting", "v1", 0

        def rerank(self, question, units):
            self.calls += 1
            return [len(unit.text) for unit in units]

    model, blobs = Counting(), Blobs(tmp_path)
    questions = {"q": "leave policy", "n": ""}
    one, two = (cross_encoder(base, model, base.units, questions, cache=blobs) for _ in range(2))
    assert model.calls == 1
    assert one.seal == two.seal


def test_the_system_form_retrieves_first(units_of):
    units = units_of(TEXTS, statuses=STATUS)
    run = retrieve(ByStatus([BM25()]), units, {"q": "leave policy"}, name="current")
    assert hits(run)[0][0] == "c"
    assert run.provenance["rerank"] == "status"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A classifier whose score is the mean of a random weight a token, over the unmasked ones."""
    onnx = pytest.importorskip("onnx")
    tokenizers = pytest.importorskip("tokenizers")
    helper, proto = onnx.helper, onnx.TensorProto
    folder = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "leave", "policy", "today", "of", "draft"]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({w: i for i, w in enumerate(words)}, unk_token=words[1])
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(folder / "tokenizer.json"))
    weight = np.random.default_rng(1).normal(size=(len(words), 1)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["w", "input_ids"], ["each"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=1),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["each", "wide"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "one"], ["sum"], keepdims=0),
        helper.make_node("ReduceSum", ["mask", "one"], ["n"], keepdims=1),
        helper.make_node("Div", ["sum", "n"], ["logits"]),
    ]
    ports = [
        helper.make_tensor_value_info(n, proto.INT64, ["b", "s"]) for n in ("input_ids", "attention_mask")
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        ports,
        [helper.make_tensor_value_info("logits", proto.FLOAT, ["b", 1])],
        [
            onnx.numpy_helper.from_array(weight, "w"),
            onnx.numpy_helper.from_array(np.array([2]), "last"),
            onnx.numpy_helper.from_array(np.array([1]), "one"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder, {word: float(weight[i, 0]) for i, word in enumerate(words)}


def test_a_cross_encoder_from_a_folder_scores_pairs(tiny, base):
    folder, weight = tiny
    pytest.importorskip("onnxruntime")
    model = CrossEncoder(folder, batch=2)
    run = cross_encoder(base, model, base.units, {"q": "leave policy", "n": ""})
    for unit, score in hits(run):
        tokens = ["leave", "policy", *TEXTS[unit].split()]
        expected = np.mean([weight.get(token, weight["[UNK]"]) for token in tokens])
        assert score == pytest.approx(expected, abs=2e-6)
    assert json.dumps(run.provenance["reranker_seal"]) == json.dumps(CrossEncoder(folder, batch=2).seal)


def test_a_reranker_that_is_not_there_says_what_it_needs(tmp_path):
    with pytest.raises(InputError, match=r"model\.onnx"):
        _ = CrossEncoder(tmp_path).seal


def test_what_goes_wrong_inside_a_reranker_is_told_as_its_own(base):
    def broken(question, texts):
        return [text.nothing for text in texts]

    with pytest.raises(InputError, match="reranker 'broken' failed at rerank: AttributeError"):
        cross_encoder(base, broken, base.units, {"q": "leave policy", "n": "nothing here"})


def test_a_reranker_that_answers_words_is_told_as_its_own(base):
    with pytest.raises(InputError, match="failed at rerank: ValueError"):
        cross_encoder(
            base, lambda _, texts: list(texts), base.units, {"q": "leave policy", "n": "nothing here"}
        )


def test_what_a_reranker_answered_is_kept_whatever_ends_the_run(base, tmp_path):
    asked = []

    class Paid:
        name, seal, down = "paid", "1", True

        def rerank(self, question, units):
            asked.append(question)
            if self.down and len(asked) == 2:
                raise KeyboardInterrupt
            return [1 / 3 + len(unit.text) for unit in units]

    questions = {"q": "leave policy", "n": "leave today"}
    run = retrieve(BM25(stopwords="none"), base.units, questions)
    model = Paid()
    with pytest.raises(KeyboardInterrupt):
        cross_encoder(run, model, run.units, questions, cache=Blobs(tmp_path))
    model.down = False
    ended = cross_encoder(run, model, run.units, questions, cache=Blobs(tmp_path))
    assert sorted(asked) == sorted([*questions.values(), asked[1]])  # the first one once
    whole = cross_encoder(run, model, run.units, questions, cache=Blobs(tmp_path / "other"))
    assert ended.seal == whole.seal
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == []
