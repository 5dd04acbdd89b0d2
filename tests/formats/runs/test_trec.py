import gzip
import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.formats.runs.trec import read_qrels, read_run, read_view, stem, write_qrels, write_run
from evenhand.metrics.measure.measure import measure
from evenhand.metrics.measure.view import Judged
from evenhand.model.run import Qrels, Run


@pytest.fixture
def put(tmp_path):
    def put(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def order(run, question):
    return [hit.unit for hit in run.ranking(question)]


def test_ids_are_text_letter_for_letter_b021(put):
    qrels = read_qrels(put("q.tsv", "qid\tdocid\trel\n007\tNA\t1\n7\tnull\t1\n1e3\t00A\t2\n"))
    assert qrels.questions == ("007", "7", "1e3")
    assert qrels.judged("1e3") == {"00A": 2.0}
    assert qrels.table == ("00A", "NA", "null")
    plain = read_qrels(put("q.txt", "007 0 NA 1\n7 0 null 1\n1e3 0 00A 2\n"))
    assert plain.judged("007") == {"NA": 1.0}


def test_packed_files_and_mixed_blanks_are_read_b023(put):
    text = gzip.compress(b"t1 Q0 a 1 2.5 x\nt1\tQ0\tb\t2\t1e-1\tx\n")
    run = read_run(put("run.trec.gz", text))
    qrels = read_qrels(put("qrels.gz", gzip.compress(b"t1 0 b 1\n")))
    assert [(h.unit, h.score) for h in run.ranking("t1")] == [("a", 2.5), ("b", 0.1)]
    m = measure(qrels, run, ["RR", "R@1"])
    assert m.value[0].ravel().tolist() == [0.5, 0.0]
    assert run.system == "run"


@pytest.mark.parametrize("keep", [20, 12, 35])
def test_a_broken_packed_file_is_an_error_that_names_it_b023(put, keep):
    whole = gzip.compress(b"t1 Q0 a 1 2.5 x\nt1\tQ0\tb\t2\t1e-1\tx\n")
    with pytest.raises(InputError, match=r"broken\.gz is a broken packed file"):
        read_run(put("broken.gz", whole[:keep]))


def test_a_damaged_packed_file_is_an_error_that_names_it(put):
    whole = bytearray(gzip.compress(b"t1 Q0 a 1 2.5 x\n" * 50))
    whole[-6] ^= 0xFF  # the check sum
    with pytest.raises(InputError, match=r"broken\.gz"):
        read_run(put("broken.gz", bytes(whole)))


def test_fractional_grades_are_kept_b025(put):
    qrels = read_qrels(put("q", "t1 0 a 1.0\nt1 0 b 0.5\nt1 0 c 0.5\n"))
    m = measure(qrels, Run.of("s", {"t1": [("b", 3.0), ("a", 2.0), ("c", 1.0)]}), ["nDCG"])
    assert m.value[0, 0, 0] == pytest.approx(0.882121, abs=1e-6)
    assert qrels.notes["fractional"] == 2


def test_fractional_grades_are_refused_where_they_would_be_cut_b025(put):
    with pytest.raises(InputError, match="line 2"):
        read_qrels(put("q", "t1 0 a 1.0\nt1 0 b 0.5\n"), whole_grades=True)
    assert read_qrels(put("p", "t1 0 a 1.0\n"), whole_grades=True).judged("t1") == {"a": 1.0}


def test_scores_decide_and_contradicting_ranks_are_counted_b027(put):
    path = put("r", "t1 Q0 a 1 0.2 x\nt1 Q0 b 2 0.9 x\nt1 Q0 c 3 -0.4 x\n")
    run = read_run(path)
    assert order(run, "t1") == ["b", "a", "c"]
    assert run.notes["contradictions"] == 2
    assert order(read_run(path, ties="file"), "t1") == ["a", "b", "c"]


def test_ranks_within_a_tie_contradict_nothing(put):
    run = read_run(put("r", "t Q0 a 1 5 x\nt Q0 b 2 5 x\nt Q0 c 3 1 x\n"))
    assert order(run, "t") == ["b", "a", "c"]
    assert run.notes == {"ties": 2}


def test_float32_ties_are_those_of_trec_eval_9(put):
    path = put("r", "q Q0 a 1 1.000000002 s\nq Q0 b 2 1.000000001 s\nz Q0 a 1 1e40 s\nz Q0 b 2 1e39 s\n")
    assert order(read_run(path), "q") == ["a", "b"]
    assert order(read_run(path, ties="trec9"), "q") == ["b", "a"]
    assert order(read_run(path, ties="trec9"), "z") == ["b", "a"]


def test_a_repeated_row_is_an_error_that_names_both_lines_b041(put):
    run = put("r", "q Q0 d1 1 3 s\nq Q0 d2 2 2 s\n\nq Q0 d1 3 1 s\n")
    with pytest.raises(InputError, match="line 4 and line 1: unit 'd1' of question 'q' occurs twice"):
        read_run(run)
    kept = read_run(run, lenient=True)
    assert order(kept, "q") == ["d1", "d2"]
    assert kept.notes["duplicates"] == 1
    qrels = put("q", "q 0 d1 0\nq 0 d1 1\n")
    with pytest.raises(InputError, match="line 2 and line 1"):
        read_qrels(qrels)
    assert read_qrels(qrels, lenient=True).judged("q") == {"d1": 0.0}


@pytest.mark.parametrize("score", ["nan", "inf", "-inf", "1e999", "1_0", "x", "0x10", "0,7"])
def test_a_score_that_is_no_finite_number_is_refused_by_line(put, score):
    path = put("r", f"q Q0 d1 1 3 s\nq Q0 d2 2 {score} s\n")
    with pytest.raises(InputError, match=r"r, line 2: the score .* is not a finite number"):
        read_run(path)
    kept = read_run(path, lenient=True)
    assert order(kept, "q") == ["d1"]
    assert kept.notes["broken"] == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("q Q0 d1 1 3.0\n", "expected 6 columns .* found 5"),
        ("q Q0 d one 1 3.0 s\n", "found 7"),
        ("q 0 d1 1\n", "found 4"),
        ("", "holds no ranking"),
        ("\n \n", "holds no ranking"),
    ],
)
def test_a_line_of_the_wrong_form_says_what_was_expected(put, text, says):
    with pytest.raises(InputError, match=says):
        read_run(put("r", text))


@pytest.mark.parametrize(
    ("text", "says"),
    [("q 0 d1\n", "found 3"), ("q 0 d 1 1\n", "found 5"), ("q 0 d x\n", "grade"), ("", "no judgement")],
)
def test_a_judgement_of_the_wrong_form_says_what_was_expected(put, text, says):
    with pytest.raises(InputError, match=says):
        read_qrels(put("q", text))


def test_line_ends_comments_marks_and_interleaving_do_no_harm(put):
    text = b"\xef\xbb\xbf# made by hand\r\nq1\tQ0\td1\t1\t3\ts\r\nq2 Q0 d1 1 3 s\r\n\r\nq1 Q0 d2 2 2 s"
    run = read_run(put("r", text))
    assert run.questions == ("q1", "q2")
    assert order(run, "q1") == ["d1", "d2"]
    assert run.notes["comments"] == 1


def test_an_id_that_begins_with_a_hash_is_no_comment(put):
    assert read_run(put("r", "#1 Q0 d1 1 3 s\n")).questions == ("#1",)


def test_a_no_break_space_belongs_to_an_id(put):
    run = read_run(put("r", "q Q0 a\u00a0b 1 3 s\n"))
    assert order(run, "q") == ["a\u00a0b"]


def test_a_file_in_another_encoding_is_read_byte_for_byte_and_noted(put):
    run = read_run(put("r", "q Q0 d\xe9 1 3 s\n".encode("latin-1")))
    assert order(run, "q") == ["dé"]
    assert run.notes["not_utf8"] == 1


def test_what_follows_the_sixth_column_is_ignored_and_counted(put):
    run = read_run(put("r", "q Q0 d1 1 3 STANDARD more junk\n"))
    assert order(run, "q") == ["d1"]
    assert run.notes["extra_columns"] == 1
    assert run.provenance["tag"] == "STANDARD"


def test_subtopics_become_nuggets(put):
    qrels = read_qrels(put("q", "t 1 a 1\nt 2 a 1\nt 1 b 1\nt 3 c 0\nu 1 a 1\n"))
    assert qrels.judged("t") == {"a": 1.0, "b": 1.0, "c": 0.0}
    assert qrels.nugget_offsets.tolist() == [0, 3, 4]
    m = measure(qrels, Run.of("s", {"t": [("b", 2.0), ("a", 1.0)]}), ["NuggetCoverage@1", "NuggetCoverage@2"])
    assert m.value[0, :, 0] == pytest.approx([1 / 3, 2 / 3])


JSON = {"q 1": {"d 1": 2.5, "d2": 1}, "q2": {"d2": 0.5}}


def test_json_holds_ids_with_blanks(put):
    run = read_run(put("r.json", json.dumps(JSON)))
    assert order(run, "q 1") == ["d 1", "d2"]
    qrels = read_qrels(put("q.json", json.dumps({"q 1": {"d 1": 1}})))
    assert qrels.judged("q 1") == {"d 1": 1.0}
    assert measure(qrels, run, ["RR"]).value[0, 0, 0] == 1.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"q": {"d": 1, "d": 2}}', "'d' occurs twice"),
        ('{"q": {"d": NaN}}', "not a finite number"),
        ('{"q": {"d": "1"}}', "not a finite number"),
        ('{"q": {"d": true}}', "not a finite number"),
        ('{"q": 3, "r": {}}', "question 'q'"),
        ('{"q": {"d": 1}', "not JSON"),
        ("[1, 2]", "expected an object of objects"),
    ],
)
def test_json_of_another_form_says_what_was_expected(put, text, says):
    with pytest.raises(InputError, match=says):
        read_run(put("r.json", text))


def test_json_lists_are_rankings_best_first(put):
    run = read_run(put("r.json", '{"q": ["b", "a"], "r": [["x", 0.5], ["y", 0.75]]}'))
    assert order(run, "q") == ["b", "a"]
    assert order(run, "r") == ["y", "x"]


def test_json_lines_of_limit_are_read(put):
    lines = '{"query-id": "query_0", "corpus-id": "Geneva Durben", "score": 1}\n' * 1
    qrels = read_qrels(put("qrels.jsonl", lines))
    assert qrels.judged("query_0") == {"Geneva Durben": 1.0}
    two = read_qrels(put("two.jsonl", lines + '{"query-id": "query_1", "corpus-id": "b", "score": 0}\n'))
    assert two.questions == ("query_0", "query_1")
    with pytest.raises(InputError, match=r"line 2: not JSON"):
        read_qrels(put("bad.jsonl", lines + "{,}\n"))


def test_beir_tables_are_read_with_their_header(put):
    qrels = read_qrels(put("test.tsv", "query-id\tcorpus-id\tscore\nq 1\td1\t1\nq 1\td2\t0\n"))
    assert qrels.judged("q 1") == {"d1": 1.0, "d2": 0.0}
    with pytest.raises(InputError, match="line 2: expected 3 columns, found 2"):
        read_qrels(put("bad.tsv", "query-id\tcorpus-id\tscore\nq1\td1\n"))
    commas = read_run(put("run.csv", 'q_id,doc_id,score\n"q,1",d1,0.5\n'))
    assert commas.questions == ("q,1",)


def test_parquet_is_read(tmp_path):
    pl = pytest.importorskip("polars")
    pl.DataFrame({"query_id": [7, 7], "doc_id": ["a", "b"], "score": [0.5, 0.75]}).write_parquet(
        tmp_path / "r.parquet"
    )
    run = read_run(tmp_path / "r.parquet")
    assert run.questions == ("7",)
    assert order(run, "7") == ["b", "a"]


@pytest.mark.parametrize("path", ["nothing.txt", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path, path):
    with pytest.raises(InputError, match=r"no file|folder"):
        read_run(tmp_path / path)


def test_what_is_written_is_read_back_and_packed_by_name(tmp_path):
    run = Run.of("my system", {"q": [("b", 2.0), ("a", 2.0), ("c", 1.0)]})
    for name in ("r.txt", "r.txt.gz"):
        write_run(tmp_path / name, run)
        back = read_run(tmp_path / name)
        assert order(back, "q") == ["b", "a", "c"]
        assert back.provenance["tag"] == "my_system"
        assert "ties" not in back.notes
    qrels = Qrels.of({"q": {"a": 1.0, "b": 0.5}})
    write_qrels(tmp_path / "q", qrels)
    assert (tmp_path / "q").read_text() == "q 0 a 1\nq 0 b 0.5\n"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_an_id_with_a_blank_does_not_fit_trec_text(tmp_path):
    with pytest.raises(InputError, match="does not fit TREC text"):
        write_run(tmp_path / "r", Run.of("s", {"q": [("a b", 1.0)]}))
    assert not list(tmp_path.iterdir())


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, 1.0, 1 + 1e-12])),
        min_size=1,
        max_size=8,
    )
)
@example(scores=[-3.4028234663852886e38, -3.4028234663852886e38])
def test_written_scores_fall_strictly_also_as_float32(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("fall") / "r"
    run = Run.of("s", {"q": [(f"u{i}", score) for i, score in enumerate(scores)]})
    write_run(path, run)
    written = np.array([line.split()[4] for line in path.read_text().splitlines()], dtype=np.float32)
    assert (written[1:] < written[:-1]).all()
    for ties in ("trec", "trec9", "file"):
        assert order(read_run(path, ties=ties), "q") == order(run, "q")


def test_a_run_is_called_after_its_file():
    assert stem("some/where/run.bm25.trec.gz") == "run.bm25"


def test_small_files_load_no_heavy_library(put, tmp_path):
    import subprocess
    import sys

    run, qrels = put("r", "q Q0 a 1 1 x\n"), put("q", "q 0 a 1\n")
    code = (
        "import sys\nfrom evenhand.formats.runs.trec import read_run, read_qrels\n"
        "from evenhand.metrics.measure.measure import measure\n"
        f"measure(read_qrels({str(qrels)!r}), read_run({str(run)!r}), ['nDCG@10', 'RR', 'AP'])\n"
        "print([m for m in ('polars', 'pandas', 'pyarrow', 'scipy', 'rich', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def varied(name, dice):
    """Lines of a run, plain or in some disorder."""
    rows = []
    for q in range(30):
        units = dice.sample(range(200), 40)
        scores = sorted((dice.choice([round(dice.random(), 2), 0.5]) for _ in units), reverse=True)
        rows += [
            [f"q{q}", "Q0", f"d{u}", str(i), repr(s), "x"]
            for i, (u, s) in enumerate(zip(units, scores, strict=True), 1)
        ]
    if name != "plain":
        dice.shuffle(rows)
    if name == "ranks at odds":
        for row in rows:
            row[3] = str(dice.randint(1, 40))
    if name == "constant":
        for row in rows:
            row[4] = "1"
    if name == "float32":
        for row in rows:
            row[4] = repr(1 + float(row[4]) * 1e-8)
    return ("\t" if name == "tabs" else " ").join(["{}"] * 6), rows


@pytest.mark.parametrize("name", ["plain", "shuffled", "ranks at odds", "constant", "float32", "tabs"])
@pytest.mark.parametrize("ties", ["trec", "trec9"])
def test_the_reader_for_large_files_sees_what_the_careful_one_sees(put, monkeypatch, name, ties):
    import random

    from evenhand.formats.runs import trec
    from evenhand.metrics.measure.view import Judged

    dice = random.Random(5)  # noqa: S311
    form, rows = varied(name, dice)
    path = put("r.txt", "".join(form.format(*row) + "\n" for row in rows))
    judged = Judged(
        Qrels.of(
            {
                f"q{q}": {f"d{u}": float(dice.randint(-1, 3)) for u in dice.sample(range(220), 30)}
                for q in range(32)
            }
        )
    )
    monkeypatch.setattr(trec, "LARGE", 1)
    fast = trec.read_view(path, judged, ties=ties, depth=25)
    monkeypatch.setattr(trec, "LARGE", 1 << 60)
    slow = trec.read_view(path, judged, ties=ties, depth=25)
    for field in ("question", "rank", "row", "low", "high", "depth", "missing"):
        assert np.array_equal(getattr(fast, field), getattr(slow, field)), field
    assert dict(fast.notes) == dict(slow.notes)
    assert fast.provenance == slow.provenance
    names = ["nDCG@10", "AP", "Judged@10", "InfAP"]
    assert measure(judged.qrels, fast, names).extra == measure(judged.qrels, slow, names).extra


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("q1 Q0 d1 2 0.5 x", "line 3 and line 1"),
        ("q1 Q0 d3 2 nan x", "line 3"),
        ("q1 Q0 d3 2 0.5", "line 3: expected 6 columns"),
        ("q1 Q0 d 3 2 0.5 x", "line 3: expected 6 columns"),
        ("q1 Q0 d3 2 zero x", "line 3"),
    ],
)
def test_large_files_with_a_fault_are_read_carefully(put, monkeypatch, line, says):
    from evenhand.formats.runs import trec
    from evenhand.metrics.measure.view import Judged

    monkeypatch.setattr(trec, "LARGE", 1)
    path = put("r.txt", f"q1 Q0 d1 1 3 x\nq1 Q0 d2 2 2 x\n{line}\n")
    with pytest.raises(InputError, match=says):
        trec.read_view(path, Judged(Qrels.of({"q1": {"d1": 1}})))


@pytest.mark.parametrize(
    "text",
    [
        "# note\nq1 Q0 d1 1 3 x\n",
        "q1  Q0 d1 1 3 x\n",
        "q1 Q0 d1 1 3 x\r\n\r\nq2 Q0 d2 1 1 x\r\n",
        "q1 Q0 d1 1 3 x",
    ],
)
def test_large_files_of_another_form_are_read_too(put, monkeypatch, text):
    from evenhand.formats.runs import trec
    from evenhand.metrics.measure.view import Judged

    monkeypatch.setattr(trec, "LARGE", 1)
    view = trec.read_view(put("r.txt", text), Judged(Qrels.of({"q1": {"d1": 1}})))
    assert view.rank.tolist() == [1]
    assert view.provenance["tag"] == "x"


NUGGET = '{"_id": "q1_0", "text": "n", "relevant_corpus_ids": ["a"], "non_relevant_corpus_ids": ["z"]}'


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ('{"query-id": "q1", "corpus-id": "a", "score": 1}\n', ["a"]),
        (f'{{"query_id": "q1", "query_text": "x", "nuggets": [{NUGGET}]}}', ["a", "z"]),
    ],
)
def test_json_lines_of_one_line_are_no_object_of_objects(put, text, units):
    qrels = read_qrels(put("one.jsonl", text))
    run = Run.of("r", {"q1": [("a", 2.0), ("z", 1.0), ("w", 0.5)]})
    m = measure(qrels, [run], ["Judged(denom=retrieved)@3", "R@1"])
    assert m.measurement("r", "Judged(denom=retrieved)@3", "q1").value == pytest.approx(len(units) / 3)
    assert m.measurement("r", "R@1", "q1").value == 1


MARKED = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
IDS = st.text(alphabet="abcéß漢😀0", min_size=1, max_size=5)


@settings(max_examples=15, deadline=None)
@given(
    st.dictionaries(IDS, st.lists(IDS, unique=True, min_size=1, max_size=4), min_size=1, max_size=3),
    st.sampled_from(["trec", "json", "jsonl", "csv"]),
)
def test_one_file_in_every_unicode_encoding_is_one_run_and_one_qrels(tmp_path_factory, made, form):
    folder = tmp_path_factory.mktemp("wide")
    run = Run.of("r", {q: [(u, -float(i)) for i, u in enumerate(units)] for q, units in made.items()})
    qrels = Qrels.of({q: dict.fromkeys(units, 1) for q, units in made.items()})
    write_run(folder / "plain.run", run, form=form)
    write_qrels(folder / "plain.qrels", qrels, form=form)
    seals = set()
    for encoding in MARKED:
        for name in ("run", "qrels"):
            text = (folder / f"plain.{name}").read_text("utf-8")
            # without its mark only text that is mostly ASCII is known
            mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") and not text.isascii() else ""
            (folder / f"x.{name}").write_bytes((mark + text).encode(encoding))
        again, judged = read_run(folder / "x.run", system="r"), read_qrels(folder / "x.qrels")
        seen = read_view(folder / "x.run", Judged(judged), system="r")
        seals.add((again.seal, judged.seal, tuple(seen.rank.tolist()), seen.system))
    assert len(seals) == 1


def test_utf_16_that_is_broken_is_refused_by_name(put):
    with pytest.raises(InputError, match=r"r\.trec: byte"):
        read_run(put("r.trec", "q Q0 a 1 1 x\n".encode("utf-16") + b"\x00"))


@pytest.mark.parametrize("many", [1, 8000])
def test_r26_qrels_of_three_columns_and_of_smart_are_read(put, many):
    more = "".join(f"{i} 77 1\n" for i in range(2, many + 1))
    assert read_qrels(put("q", "1 184 2\n1 29 0\n" + more)).judged("1") == {"184": 2.0, "29": 0.0}
    more = "".join(f"{i:6} 77\t0\t0.000000\n" for i in range(2, many + 1))
    smart = read_qrels(put("CISI.REL", "     1     28\t0\t0.000000\n     1     35\t0\t0.000000\n" + more))
    assert smart.judged("1") == {"28": 1.0, "35": 1.0}
    assert len(smart) == many


@pytest.mark.parametrize("text", ["1 0 184\n", "1 184 1\n1 0 29 1\n", "1 184 high\n"])
def test_three_columns_that_may_be_another_thing_are_refused_with_their_line(put, text):
    with pytest.raises(InputError, match="expected 4 columns"):
        read_qrels(put("q", text))
