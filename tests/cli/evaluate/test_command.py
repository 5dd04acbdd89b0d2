"""``evenhand eval`` through the front door: JSON, tables, trec_eval's format, bad input."""

import json
import subprocess
import sys

import pytest
from tests import front
from tests.shared import SHARED, needs_shared

from evenhand.cli.main import main

TREC = SHARED / "data" / "trec_eval_tests"
QRELS = "".join(f"q{i} 0 d{i} 1\nq{i} 0 e{i} 2\nq{i} 0 f{i} 0\n" for i in range(12))
GOOD = "".join(f"q{i} Q0 e{i} 1 3 good\nq{i} Q0 d{i} 2 2 good\n" for i in range(12))
POOR = "".join(f"q{i} Q0 x{i} 1 3 poor\nq{i} Q0 {'d' if i % 2 else 'f'}{i} 2 2 poor\n" for i in range(12))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels.txt", QRELS), ("good.run", GOOD), ("poor.run", POOR)):
        (tmp_path / name).write_text(text)
    return tmp_path


def said(capsys, *args, code=0):
    assert main(["eval", *map(str, args)]) == code
    return capsys.readouterr()


def as_json(capsys, *args):
    return json.loads(said(capsys, *args, "--json").out)


def test_json_holds_estimates_contrasts_and_warnings(files, capsys):
    got = as_json(capsys, "qrels.txt", "good.run", "poor.run", "-m", "nDCG@10", "-m", "Success(rel=2)@1")
    assert [(e["run"], e["metric"]) for e in got["estimates"]] == [
        ("good", "nDCG@10"),
        ("good", "Success(rel=2)@1"),
        ("poor", "nDCG@10"),
        ("poor", "Success(rel=2)@1"),
    ]
    first, share = got["estimates"][:2]
    assert {"point", "low", "high", "n", "undefined", "method"} <= set(first)
    assert first["n"] == 12
    assert share["method"] == "Wilson"
    contrast = got["contrasts"][0]
    assert (contrast["a"], contrast["b"], contrast["metric"]) == ("good", "poor", "nDCG@10")
    assert contrast["difference"] > 0
    assert contrast["p_adjusted"] == contrast["p"]  # a family of one
    assert contrast["p"] == pytest.approx(2 / 2**12)
    assert contrast["verdict"] == "better"
    assert "per_question" not in got
    assert isinstance(got["warnings"], list)


def test_per_question_values_come_with_reasons(files, capsys):
    (files / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 0\nq3 0 d3 1\n")
    got = as_json(capsys, "qrels.txt", "good.run", "-m", "RR@10", "--per-question")
    (files / "short.run").write_text("q1 Q0 d1 1 3 x\n")
    missing = as_json(capsys, "qrels.txt", "short.run", "-m", "RR@10", "--per-question")
    assert [(r["question"], r["value"], r["reason"]) for r in got["per_question"]] == [
        ("q1", 0.5, None),
        ("q2", None, "no relevant unit is known"),
        ("q3", 0.5, None),
    ]
    assert got["estimates"][0]["n"] == 2
    assert got["estimates"][0]["undefined"] == 1
    assert [(r["value"], r["reason"]) for r in missing["per_question"]][2] == (0.0, "missing from the run")
    assert missing["estimates"][0]["point"] == 0.5


def test_the_same_bytes_come_out_every_time(files, capsys):
    args = ("qrels.txt", "good.run", "poor.run", "-m", "nDCG@10", "-m", "RR@10", "--json", "--per-question")
    assert said(capsys, *args).out == said(capsys, *args).out
    code = f"import sys; from evenhand.cli.main import main; sys.exit(main({['eval', *args]!r}))"
    outs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1")
    }
    assert outs == {said(capsys, *args).out.encode()}


def test_people_get_a_table_a_verdict_and_warnings(files, capsys):
    out = said(capsys, "qrels.txt", "good.run", "poor.run", "-m", "nDCG@10").out
    assert "good" in out
    assert "p: sign-flip" in out
    assert "better" in out
    assert "unjudged" in out


def test_pairs_limit_the_family(files, capsys):
    (files / "third.run").write_text(POOR)
    got = as_json(
        capsys, "qrels.txt", "good.run", "poor.run", "third.run", "-m", "RR", "--pairs", "good:third"
    )
    declared = [c for c in got["contrasts"] if not c["exploratory"]]
    assert [(c["a"], c["b"], c["family"]) for c in declared] == [("good", "third", 1)]
    assert (
        "does not name two runs"
        in said(capsys, "qrels.txt", "good.run", "poor.run", "--pairs", "good:none", code=2).err
    )


def test_runs_of_one_name_in_two_folders_keep_apart(files, capsys):
    (files / "other").mkdir()
    (files / "other" / "good.run").write_text(POOR)
    got = as_json(capsys, "qrels.txt", "good.run", "other/good.run", "-m", "RR")
    assert [e["run"] for e in got["estimates"]] == ["good.run", "other/good.run"]


def test_what_biases_a_number_is_said(files, capsys):
    (files / "odd.run").write_text(
        "q1 Q0 d1 1 1 x\nq1 Q0 e1 2 1 x\nq2 Q0 d2 1 1 x\nq2 Q0 e2 2 5 x\nz Q0 d 1 1 x\n"
    )
    text = " ".join(as_json(capsys, "qrels.txt", "odd.run", "-m", "nDCG@10")["warnings"])
    assert "rank and score disagree (the scores decide the order): 2" in text
    assert "equal scores touch a relevant unit: 1" in text
    assert "questions without any judgement, left out: 1" in text
    assert "without a result: q0, q3, q4, q5, q6 and 5 more" in text


def test_duplicates_stop_unless_lenient(files, capsys):
    (files / "twice.run").write_text("q1 Q0 d1 1 3 x\nq1 Q0 d1 2 2 x\n")
    err = said(capsys, "qrels.txt", "twice.run", code=2).err
    assert "line 2 and line 1" in err
    assert "--lenient" in err
    got = as_json(capsys, "qrels.txt", "twice.run", "--lenient")
    assert any("repeated" in text for text in got["warnings"])


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["qrels.txt", "nothing.run"], "there is no file nothing.run"),
        (["qrels.txt", "good.run", "-m", "nDGC@10"], "did you mean 'nDCG'"),
        (["qrels.txt", "good.run", "-m", "nDCG@0"], "at least 1"),
        (["qrels.txt", "good.run", "-m", "R@500tokens"], "tokens of each unit"),
        (["qrels.txt", "good.run", "-m", "SpanRecall@5"], "evidence spans"),
        (["qrels.txt", "good.run", "--like", "trec_evil"], "did you mean 'trec_eval"),
        (["qrels.txt", "good.run", "--max-depth", "0"], "at least 1"),
        (["qrels.txt", "good.run", "good.run"], "given twice"),
        (["qrels.txt", "good.run", "--interval-level", "95"], "level"),
        (["qrels.txt"], "Missing argument"),
    ],
)
def test_bad_input_is_two_lines_and_exit_2(files, capsys, args, says):
    got = said(capsys, *args, code=2)
    assert says in got.err
    assert len(got.err.strip().splitlines()) == 2
    assert got.out == ""


def test_no_question_in_common_shows_ids_of_both(files, capsys):
    (files / "other.run").write_text("A-1 Q0 d1 1 1 x\n")
    err = said(capsys, "qrels.txt", "other.run", code=2).err
    assert "'A-1'" in err
    assert "'q0'" in err


def test_no_unit_in_common_is_a_warning_with_ids_of_both(files, capsys):
    (files / "other.run").write_text("q1 Q0 doc-1 1 1 x\n")
    text = " ".join(as_json(capsys, "qrels.txt", "other.run")["warnings"])
    assert "'doc-1'" in text
    assert "same ids?" in text


@needs_shared
@pytest.mark.parametrize(
    ("like", "expected"), [("trec_eval", "v9.0.7/out.test"), ("trec_eval10", "out.test")]
)
def test_trec_eval_prints_the_same(capsys, like, expected):
    out = said(capsys, TREC / "qrels.test", TREC / "results.test", "--like", like).out
    assert out == (TREC / expected).read_text()


def lines(text, keep):
    return [line for line in text.splitlines() if line.split()[0] in keep]


@needs_shared
@pytest.mark.parametrize(
    ("expected", "files", "options"),
    [
        ("out.test.a", ("qrels.test", "results.test"), []),
        ("out.test.aq", ("qrels.test", "results.test"), ["-q"]),
        ("out.test.aqc", ("qrels.test", "results.trunc"), ["-q", "-c"]),
        ("out.test.aqcM", ("qrels.test", "results.trunc"), ["-q", "-c", "-M", "100"]),
        ("out.test.aql", ("qrels.rel_level", "results.test"), ["-q", "-l", "2"]),
    ],
)
def test_every_measure_we_know_is_printed_as_trec_eval_9_does(capsys, expected, files, options):
    words = (TREC / "v9.0.7" / expected).read_text()
    names = (
        "official recall infAP gm_bpref Rprec_mult utility 11pt_avg ndcg ndcg_cut map_cut relative_P success"
    )
    names += " set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret"
    out = said(capsys, *(TREC / f for f in files), "--like", "trec_eval", *options, "-m", names).out
    keep = {line.split()[0] for line in out.splitlines()}
    assert len(keep) > 80
    assert out.splitlines() == lines(words, keep)


def test_like_trec_eval_leaves_missing_questions_out_unless_complete(files, capsys):
    (files / "half.run").write_text("".join(f"q{i} Q0 d{i} 1 1 x\n" for i in range(6)))
    args = ("qrels.txt", "half.run", "--like", "trec_eval", "-m", "recip_rank")
    assert as_json(capsys, *args)["estimates"][0]["point"] == 1.0
    complete = as_json(capsys, *args, "-c")["estimates"][0]
    assert (complete["point"], complete["n"], complete["missing"]) == (0.5, 12, 6)
    assert "-c counts them 0" in said(capsys, *args).err


def test_like_trec_eval_refuses_grades_it_would_cut(files, capsys):
    (files / "qrels.txt").write_text("q1 0 d1 1\nq1 0 e1 0.5\n")
    assert "line 2" in said(capsys, "qrels.txt", "good.run", "--like", "trec_eval", code=2).err


def test_several_runs_are_told_apart_in_trec_evals_format(files, capsys):
    out = said(capsys, "qrels.txt", "good.run", "poor.run", "--like", "trec_eval", "-m", "P_5").out
    assert [line.split()[0] for line in out.splitlines()] == ["runid", "P_5", "runid", "P_5"]


TIED = "".join(f"q{i} Q0 {u}{i} {r} 1 tied\n" for i in range(12) for r, u in enumerate("dxe", 1))


def test_ties_go_by_the_policy_that_is_asked_for_and_reported(files, capsys):
    (files / "tied.run").write_text(TIED)
    points = {}
    for ties in ("trec", "trec10", "trec9", "file", "expected"):
        got = as_json(capsys, "qrels.txt", "tied.run", "-m", "RR", "--ties", ties)
        points[ties] = got["estimates"][0]["point"], got["policies"]["ties"]
    assert points["trec"] == points["trec10"] == (0.5, "score descending, then id descending")
    assert points["trec9"] == (0.5, "score as float32 descending, then id descending")
    assert points["file"] == (1.0, "as the file has them")
    value, policy = points["expected"]
    assert value == pytest.approx((1 + 1 + 0.5) * 2 / 6)
    assert "expected value" in policy


def test_what_has_no_expected_value_over_ties_is_refused(files, capsys):
    assert main(["eval", "qrels.txt", "good.run", "-m", "ERR@5", "--ties", "expected"]) == 2
    assert "no closed form" in capsys.readouterr().err


def test_questions_without_relevant_units_are_zero_when_asked(files, capsys):
    (files / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 0\n")
    plain, zero = (
        as_json(capsys, "qrels.txt", "good.run", "-m", "RR", "--without-relevant", how)
        for how in ("undefined", "zero")
    )
    assert [(e["point"], e["n"]) for e in plain["estimates"]] == [(0.5, 1)]
    assert [(e["point"], e["n"]) for e in zero["estimates"]] == [(0.25, 2)]
    assert zero["policies"]["questions without a relevant unit"] == "0"


def test_bounds_of_the_unjudged_are_given_when_asked(files, capsys):
    got = as_json(capsys, "qrels.txt", "poor.run", "-m", "P@2", "--bounds")
    assert got["bounds"]["poor"]["P@2"] == {"units": 12, "none": 0.25, "all": 0.75}
    assert any(
        "if none of its 12 unjudged units is relevant, 0.7500 if all are" in w for w in got["warnings"]
    )
    assert "bounds" not in as_json(capsys, "qrels.txt", "poor.run", "-m", "P@2")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--ties", "expectd"], "did you mean 'expected'"),
        (["--without-relevant", "nil"], "undefined, zero"),
        (["--like", "trec_eval", "--ties", "file"], "sets the policies itself"),
        (["--like", "trec_eval", "--bounds"], "sets the policies itself"),
    ],
)
def test_a_policy_that_is_none_says_how_to_mend_it(files, capsys, options, says):
    assert main(["eval", "qrels.txt", "good.run", *options]) == 2
    assert says in capsys.readouterr().err


def test_a_capped_precision_is_told_beside_the_number(files, capsys):
    got = as_json(capsys, "qrels.txt", "good.run", "-m", "P@10")
    assert any(text.startswith("P@10 can reach 0.20 at most") for text in got["warnings"])


def test_an_empty_run_file_is_left_out_of_several_and_told(tmp_path):
    (tmp_path / "q.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    for name in ("one", "two"):
        (tmp_path / f"{name}.trec").write_text("q1 Q0 a 1 2 x\nq2 Q0 b 1 2 x\n")
    (tmp_path / "empty.trec").write_text("\n")
    files = [tmp_path / name for name in ("q.txt", "one.trec", "empty.trec", "two.trec")]
    for more in ((), ("--workers", "2")):
        done = front.evenhand("eval", *files, "-m", "nDCG@3", "--json", *more)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert any("empty.trec holds no ranking: it is left out" in str(one) for one in told["warnings"])
    shown = front.evenhand("eval", *files, "-m", "nDCG@3")
    assert "empty.trec holds no ranking" in shown.stdout + shown.stderr
    alone = front.evenhand("eval", files[0], files[2])
    assert alone.returncode == 2
    (tmp_path / "none.txt").write_text("")
    assert front.evenhand("eval", tmp_path / "none.txt", files[1]).returncode == 2
