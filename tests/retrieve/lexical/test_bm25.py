import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from tests.retrieve.conftest import hits

from evenhand.errors import InputError
from evenhand.retrieve.lexical.bm25 import BM25
from evenhand.retrieve.lexical.tfidf import TFIDF
from evenhand.retrieve.search import retrieve
from evenhand.store.blobs import Blobs

HALF = {"d1": "solar panel permit", "d2": "solar roof", "d3": "wind farm permit", "d4": "tidal farm"}
RAW = {"stemmer": "none", "stopwords": "none"}


def test_a_word_in_half_of_the_units_still_counts_b029(units_of):
    run = retrieve(BM25(), units_of(HALF), {"q": "permit"})
    assert [unit for unit, _ in hits(run)] == ["d1", "d3"]
    assert [score for _, score in hits(run)] == pytest.approx([0.254366, 0.254366], abs=1e-6)
    with_factor = retrieve(BM25(method="atire"), units_of(HALF), {"q": "permit"})
    assert hits(with_factor)[0][1] == pytest.approx(0.254366 * 2.5, abs=1e-6)


@pytest.mark.parametrize("question", ["Zürich", "Zu\u0308rich", "ZÜRICH"])
@pytest.mark.parametrize("system", [BM25(), TFIDF()])
def test_questions_and_units_are_folded_alike_b031(units_of, system, question):
    units = units_of({"d1": "Zürich café", "d2": "Zu\u0308rich cafe\u0301", "d3": "z rich caf"})
    run = retrieve(system, units, {"q": question, "r": "Zürich"})
    assert [unit for unit, _ in hits(run)] == ["d1", "d2"]
    assert hits(run) == hits(run, "r")
    assert units.end[1] == 13


@pytest.mark.parametrize("method", ["lucene", "robertson", "atire", "bm25l", "bm25+"])
def test_every_method_agrees_with_its_formula(units_of, method):
    texts = {"a": "x x y", "b": "x z z z z", "c": "y w", "d": "v v v", "e": "u"}
    k1, b, delta = 1.2, 0.6, 0.7
    system = BM25(method=method, k1=k1, b=b, delta=delta, **RAW)
    run = retrieve(system, units_of(texts), {"q": "x y"})
    n, mean = len(texts), sum(len(t.split()) for t in texts.values()) / len(texts)
    expected = {}
    for name, text in texts.items():
        total = 0.0
        for term in ("x", "y"):
            df = sum(term in t.split() for t in texts.values())
            tf, length = text.split().count(term), len(text.split())
            norm = 1 - b + b * length / mean
            idf = {
                "lucene": math.log(1 + (n - df + 0.5) / (df + 0.5)),
                "robertson": math.log(max(1, (n - df + 0.5) / (df + 0.5))),
                "atire": math.log(n / df),
                "bm25l": math.log((n + 1) / (df + 0.5)),
                "bm25+": math.log((n + 1) / df),
            }[method]
            c = tf / norm
            part = {
                "lucene": tf / (tf + k1 * norm),
                "robertson": tf / (tf + k1 * norm),
                "atire": tf * (k1 + 1) / (tf + k1 * norm),
                "bm25l": (k1 + 1) * (c + delta) / (k1 + c + delta),
                "bm25+": delta + tf * (k1 + 1) / (tf + k1 * norm),
            }[method]
            total += idf * part
        expected[name] = total
    got = dict(hits(run))
    assert set(got) == {"a", "b", "c"}
    if method in ("bm25l", "bm25+"):  # bm25s weighs the absent term at the mean length, whatever the unit's
        assert got["a"] == pytest.approx(expected["a"], abs=1e-9)
    else:
        assert got == pytest.approx({name: expected[name] for name in got}, abs=1e-9)


def test_equal_scores_go_by_unit_position_and_are_counted(units_of):
    units = units_of({f"d{i:02}": "same words here" for i in range(30)})
    run = retrieve(BM25(), units, {"q": "words"}, depth=7)
    assert [unit for unit, _ in hits(run)] == [f"d{i:02}" for i in range(7)]
    assert run.notes["ties"] == 1


def test_a_corpus_of_units_without_terms_gives_empty_rankings(units_of):
    for system in (BM25(), TFIDF()):
        run = retrieve(system, units_of({"a": "...", "b": "the of"}), {"q": "anything"})
        assert len(run.unit) == 0
        assert run.notes["units_without_terms"] == 2


def test_depth_may_exceed_the_corpus_and_a_question_of_stop_words_is_counted(units_of):
    run = retrieve(BM25(), units_of(HALF), {"q": "solar farm", "s": "to be or not to be"}, depth=10_000)
    assert len(run.ranking("q")) == 4
    assert run.ranking("s") == []
    assert run.notes["questions_without_terms"] == 1


@pytest.mark.parametrize("depth", [0, -1, True, 2.0])
def test_a_depth_that_is_no_whole_number_from_one_is_refused(units_of, depth):
    with pytest.raises(InputError, match="depth"):
        retrieve(BM25(), units_of(HALF), {"q": "solar"}, depth=depth)


def test_no_question_and_no_unit_are_refused(units_of):
    with pytest.raises(InputError, match="no question"):
        retrieve(BM25(), units_of(HALF), {})
    with pytest.raises(InputError, match="no unit"):
        retrieve(BM25(), units_of({"a": ""}), {"q": "solar"})


@pytest.mark.parametrize(
    "wrong", [{"method": "lucen"}, {"k1": -1}, {"b": 1.5}, {"k1": float("nan")}, {"backend": "cuda"}]
)
def test_settings_that_are_not_defined_are_refused(wrong):
    with pytest.raises(InputError):
        BM25(**wrong)


def test_word_order_of_a_question_never_changes_a_score(units_of):
    texts = {f"d{i}": f"alpha beta{'' if i % 2 else ' gamma'} delta {'x ' * i}" for i in range(9)}
    run = retrieve(BM25(), units_of(texts), {"q": "alpha gamma delta", "r": "delta alpha gamma"})
    assert run.ranking("q") == run.ranking("r")


def test_the_numba_backend_gives_the_same_bits(units_of):
    pytest.importorskip("numba")
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(60)])
    texts = {f"d{i:03}": " ".join(rng.choice(words, 30)) for i in range(80)}
    questions = {str(i): " ".join(rng.choice(words, 5)) for i in range(9)}
    units = units_of(texts)
    one, two = (retrieve(BM25(backend=b), units, questions, depth=20) for b in ("numpy", "numba"))
    assert np.array_equal(one.unit, two.unit)
    assert np.array_equal(one.score, two.score)
    assert one.seal == two.seal


def test_numba_is_loaded_only_by_whom_it_was_asked_for():
    pytest.importorskip("numba")
    code = (
        "import sys; from evenhand.retrieve.lexical.bm25 import BM25; from evenhand.retrieve.lexical.load_bm25s import bm25s; "
        "BM25(); assert bm25s().BM25 and 'numba' not in sys.modules; import bm25s as plain; "
        "assert plain is bm25s(); assert bm25s(compiled=True).NUMBA_AVAILABLE; assert 'numba' in sys.modules; "
        "assert bm25s().NUMBA_AVAILABLE"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_cjk_questions_find_their_units(units_of):
    units = units_of({"a": "東京都の人口は約千四百万人です", "b": "大阪の名物はたこ焼きです"})
    for system in (BM25(), TFIDF()):
        assert hits(retrieve(system, units, {"q": "東京の人口"}))[0][0] == "a"


def test_tfidf_agrees_with_a_straightforward_reference(units_of):
    texts = {"a": "x x y", "b": "x z z", "c": "y w"}
    run = retrieve(TFIDF(**RAW), units_of(texts), {"q": "x x y unknown"})
    idf = {t: math.log(4 / (1 + sum(t in d.split() for d in texts.values()))) + 1 for t in "xyzw"}

    def vector(text):
        raw = {t: text.split().count(t) * idf[t] for t in "xyzw"}
        length = math.sqrt(sum(v * v for v in raw.values()))
        return {t: v / length for t, v in raw.items()}

    asked = vector("x x y")
    expected = {d: sum(asked[t] * vector(text)[t] for t in "xyzw") for d, text in texts.items()}
    assert dict(hits(run)) == pytest.approx(expected, abs=1e-9)
    assert hits(run)[0] == ("a", 1.0)


def test_tfidf_agrees_with_scikit_learn(units_of):
    feature = pytest.importorskip("sklearn.feature_extraction.text")
    rng = np.random.default_rng(5)
    words = np.array([f"word{chr(97 + i)}" for i in range(26)])
    texts = {f"d{i:02}": " ".join(rng.choice(words, 12)) for i in range(40)}
    for sublinear in (False, True):
        run = retrieve(TFIDF(sublinear=sublinear, **RAW), units_of(texts), {"q": "worda wordb wordb wordc"})
        vectorizer = feature.TfidfVectorizer(sublinear_tf=sublinear)
        matrix = vectorizer.fit_transform(texts.values())
        reference = (matrix @ vectorizer.transform(["worda wordb wordb wordc"]).T).toarray().ravel()
        got = dict(hits(run))
        for name, value in zip(texts, reference, strict=True):
            assert got.get(name, 0.0) == pytest.approx(value, abs=1e-9)


def test_term_counts_are_cached_and_give_the_same_run(units_of, tmp_path):
    texts = {"a": "Solar panels, 東京 HR-27b", "b": "solar roof", "c": "the of"}
    runs = []
    for _ in range(2):
        blobs = Blobs(tmp_path)
        for system in (BM25(), TFIDF()):
            run = retrieve(system, units_of(texts), {"q": "solar hr-27b 東京"}, cache=blobs)
            runs.append((run.seal, dict(run.notes)))
    assert runs[:2] == runs[2:]
    assert (blobs.reads, blobs.writes) == (2, 0)


def test_a_corpus_without_terms_is_cached_too(units_of, tmp_path):
    for _ in range(2):
        run = retrieve(BM25(), units_of({"a": "..."}), {"q": "x"}, cache=Blobs(tmp_path))
        assert len(run.unit) == 0


@pytest.mark.parametrize("method", ["lucene", "robertson", "atire", "bm25l", "bm25+"])
@pytest.mark.parametrize("at_once", [1 << 20, 50])
def test_the_index_in_columns_is_the_librarys_own_bit_for_bit(method, at_once, monkeypatch):
    import evenhand.retrieve.lexical.bm25 as module
    from evenhand.retrieve.lexical.load_bm25s import bm25s
    from evenhand.retrieve.lexical.term_counts import Bags

    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 30, 80)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    term = (rng.zipf(1.4, offsets[-1]) % 300).astype(np.int32)  # also numbers that no unit holds
    bag = Bags({f"w{i}": i for i in range(300)}, term, offsets)
    rows = [term[a:b].tolist() for a, b in itertools.pairwise(offsets.tolist())]
    library = bm25s()
    own = library.BM25(method=method, k1=1.2, b=0.6, delta=0.4, dtype="float64", backend="numpy")
    own.index((rows, dict(bag.vocabulary)), create_empty_token=False, show_progress=False)
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    scores, rest = module._indexed(library.scoring, own, bag)
    for name in ("data", "indices", "indptr"):
        assert np.array_equal(scores[name], own.scores[name])
    assert scores["num_docs"] == own.scores["num_docs"]
    assert (rest is None) == (own.nonoccurrence_array is None)
    assert rest is None or np.array_equal(rest, own.nonoccurrence_array)
