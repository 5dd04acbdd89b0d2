"""A whole study through the command line: the same bytes anywhere, and nothing done twice."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.front import evenhand
from tests.miniature import STUDY, WITH_PLOTS, make

SLOW = 120


def process(*arguments, cwd=None, **more):
    """A process of its own, for what a process is born with: hash seed, threads, locale."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHONHASHSEED")} | more
    return subprocess.run(
        [sys.executable, "-m", "evenhand", *map(str, arguments)],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SLOW,
    )


def ran(*arguments, by=evenhand, **more):
    done = by(*arguments, **more)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("once") / "mini"
    study = make(folder, study=WITH_PLOTS)
    done = ran("run", study, by=process, PYTHONHASHSEED="1", OMP_NUM_THREADS="1")
    return folder, done


def listed(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_the_results_hold_what_the_design_names(finished):
    folder, _ = finished
    assert listed(folder / "results") == [
        "MANIFEST.sha256",
        "costs.json",
        "measurements.parquet",
        "qrels.parquet",
        "questions.json",
        "report.html",
        "report.json",
        "runs/bm25.parquet",
        "runs/both.parquet",
        "runs/current.parquet",
        "runs/random.parquet",
        "runs/tfidf.parquet",
    ]


def test_the_manifest_holds_every_file_but_costs(finished):
    results = finished[0] / "results"
    told = dict(
        reversed(line.split("  ", 1)) for line in (results / "MANIFEST.sha256").read_text().splitlines()
    )
    assert sorted(told) == [n for n in listed(results) if n not in ("MANIFEST.sha256", "costs.json")]
    for name, digest in told.items():
        assert hashlib.sha256((results / name).read_bytes()).hexdigest() == digest


def test_table_verdict_and_last_the_path_of_the_page_are_printed(finished):
    folder, done = finished
    lines = done.stdout.splitlines()
    assert lines[-1] == str(folder / "results" / "report.html")
    assert "nDCG@10" in done.stdout
    assert "P(best)" in done.stdout
    assert any(word in done.stdout for word in ("cannot tell", "is better than", "leads"))
    assert "\x1b[" not in done.stdout + done.stderr


def test_only_questions_that_expect_an_answer_are_measured(finished):
    report = json.loads((finished[0] / "results" / "report.json").read_bytes())
    assert {e["n"] for e in report["estimates"] if e["metric"] == "nDCG@10"} == {18}
    assert report["gold"]["by_expect"] == {"abstain": 1, "answer": 18, "clarify": 1}


def test_another_folder_hash_seed_and_thread_count_give_the_same_bytes(finished, tmp_path):
    study = make(tmp_path / "a" / "quite other place", study=WITH_PLOTS)
    ran(
        "run",
        study,
        by=process,
        PYTHONHASHSEED="4242",
        OMP_NUM_THREADS="2",
        POLARS_MAX_THREADS="3",
        TZ="Asia/Tokyo",
    )
    one, two = finished[0] / "results", study.parent / "results"
    for name in listed(one):
        if name != "costs.json":
            assert (one / name).read_bytes() == (two / name).read_bytes(), name


def test_a_second_run_asks_no_system_anything_and_gives_the_same_bytes(finished):
    folder, _ = finished
    results = folder / "results"
    before = {name: (results / name).read_bytes() for name in listed(results) if name != "costs.json"}
    ran("run", folder / "study.toml", "--quiet")
    assert json.loads((results / "costs.json").read_bytes())["made_now"] == []
    assert before == {name: (results / name).read_bytes() for name in before}


def test_a_warm_run_loads_no_heavy_library(finished):
    ran("run", finished[0] / "study.toml", "--quiet")  # warm, whatever ran before
    code = (
        "import sys; from evenhand.cli.main import main; "
        f"main(['run', {str(finished[0] / 'study.toml')!r}, '--quiet']); "
        "print({m.split('.')[0] for m in sys.modules} & "
        "{'scipy', 'polars', 'bm25s', 'numba', 'onnxruntime', 'tokenizers', 'jinja2', 'vl_convert', 'rich'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=SLOW
    )
    assert done.stdout.splitlines()[-1] == "set()"


def test_results_are_never_read_back(finished):
    folder, _ = finished
    text = (folder / "results" / "report.json").read_bytes()
    (folder / "results" / "report.json").write_text("{}")
    (folder / "results" / "MANIFEST.sha256").write_bytes(b"\xff nonsense")
    ran("run", folder / "study.toml", "--quiet")
    assert (folder / "results" / "report.json").read_bytes() == text


def test_files_of_systems_that_are_gone_go_and_those_of_others_stay(tmp_path):
    study = make(tmp_path / "s")
    ran("run", study, "-q")
    (study.parent / "results" / "my notes.txt").write_text("mine")
    study.write_text(STUDY.replace('[system.current]\nrerank = "both"\nby = "status"\n', ""))
    ran("run", study, "-q")
    names = listed(study.parent / "results")
    assert "runs/current.parquet" not in names
    assert "runs/both.parquet" in names
    assert "my notes.txt" in names


def test_json_is_one_object_on_standard_output_and_nothing_else(finished):
    folder, _ = finished
    done = ran("run", folder / "study.toml", "--json")
    assert json.loads(done.stdout) == json.loads((folder / "results" / "report.json").read_bytes())


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    study = make(tmp_path / "s")
    (study.parent / "slow.py").write_text(
        "import time\n"
        "class Slow:\n"
        "    def index(self, units): self.units = list(units)\n"
        "    def search(self, question, k):\n"
        "        time.sleep(0.5)\n"
        "        return [(unit.id, 1.0) for unit in self.units[:k]]\n"
    )
    study.write_text(STUDY + '[system.slow]\nretriever = "python:slow:Slow"\n')
    process = subprocess.Popen(
        [sys.executable, "-m", "evenhand", "run", str(study), "-q"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    runs = study.parent / ".evenhand" / "run"
    until = time.monotonic() + SLOW
    while len(list(runs.glob("*.npz"))) < 4 and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=SLOW)
    assert not (study.parent / "results").exists()
    (study.parent / "slow.py").write_text((study.parent / "slow.py").read_text().replace("0.5", "0.0"))
    ran("run", study, "-q")
    made = json.loads((study.parent / "results" / "costs.json").read_bytes())["made_now"]
    assert [name for name in made if name.startswith(("run/", "units/"))] == ["run/slow", "run/random"]


def test_two_chunkings_are_crossed_and_span_metrics_are_offered(tmp_path):
    study = make(tmp_path / "s", study=STUDY + '[chunking.whole]\nrule = "document"\n')
    ran("run", study, "-q")
    report = json.loads((study.parent / "results" / "report.json").read_bytes())
    names = {e["system"] for e in report["estimates"]}
    assert {"bm25/small", "bm25/whole", "current/small", "random/whole"} <= names
    assert any("SpanRecall" in w["text"] for w in report["warnings"])
    assert len({e["n"] for e in report["estimates"] if e["metric"] == "nDCG@10"}) == 1


def test_what_a_run_writes_is_no_document_also_among_them(tmp_path):
    study = make(tmp_path / "s", study=STUDY.replace('path = "docs"', 'path = "."'))
    rows = (study.parent / "gold.jsonl").read_text()
    for name in sorted((study.parent / "docs").iterdir()):
        rows = rows.replace(f'"{name.name}"', f'"docs/{name.name}"')
    (study.parent / "gold.jsonl").write_text(rows)
    reports = []
    for _ in range(2):
        ran("run", study, "-q")
        reports.append((study.parent / "results" / "report.json").read_bytes())
    assert reports[0] == reports[1]
    assert json.loads(reports[0])["corpus"]["documents"] == 12


def test_a_deeper_run_is_told_although_no_number_moves(tmp_path):
    study = make(tmp_path / "s")
    for depth in (20, 15):
        study.write_text(STUDY.replace("depth = 20", f"depth = {depth}"))
        ran("run", study, "-q")
        report = json.loads((study.parent / "results" / "report.json").read_bytes())
        assert {s["provenance"]["depth"] for s in report["systems"] if s["name"] == "bm25"} == {depth}


def test_new_makes_a_study_that_runs_as_it_is(tmp_path):
    made = ran("new", "my study", cwd=tmp_path)
    assert "study.toml" in made.stdout
    ran("run", "my study/study.toml", cwd=tmp_path)
    assert (tmp_path / "my study" / "results" / "report.html").is_file()
    checked = ran("gold", "check", "gold.jsonl", "--corpus", "docs", cwd=tmp_path / "my study")
    assert "error" not in checked.stdout.lower() or "0 error" in checked.stdout.lower()


def test_a_run_file_takes_part_beside_our_own_systems(tmp_path):
    study = make(
        tmp_path / "s",
        study=STUDY
        + '[system.ours]\nrun = "ours.trec"\nchunking = "whole"\n[chunking.whole]\nrule = "document"\n',
    )
    rows = [json.loads(line) for line in (study.parent / "gold.jsonl").read_text().splitlines()]
    lines = [f"{row['id']} Q0 {row['source']} 1 1.0 ours" for row in rows]
    (study.parent / "ours.trec").write_text("\n".join(lines) + "\n")
    ran("run", study, "-q")
    report = json.loads((study.parent / "results" / "report.json").read_bytes())
    best = {e["system"]: e["point"] for e in report["estimates"] if e["metric"] == "nDCG@10"}
    assert best["ours"] == 1.0


def test_a_guest_that_cuts_for_itself_is_held_to_the_evidence_it_missed(tmp_path):
    study = make(tmp_path / "s", study=STUDY + '[system.ours]\nretriever = "python:ours:search"\n')
    (study.parent / "ours.py").write_text(
        "def search(question, k):\n    return [{'doc': 'alder.md', 'start': 50, 'end': 400}]\n"
    )
    ran("run", study, "-q")
    report = json.loads((study.parent / "results" / "report.json").read_bytes())
    (mine,) = [e for e in report["estimates"] if e["system"] == "ours" and e["metric"] == "nDCG@10"]
    assert mine["n"] == 18
    assert mine["point"] < 0.5
    assert any("evidence" in w["kind"] for w in report["warnings"])


@pytest.mark.parametrize("command", [("--version",), ("--help",), ("run", "--help"), ("doctor",)])
def test_plain_questions_are_answered(command):
    assert ran(*command).stdout.strip()


def test_output_is_whole_where_the_locale_cannot_spell_it(finished):
    """Case B077."""
    env = os.environ | {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-m", "evenhand", "run", str(finished[0] / "study.toml")],
        env=env,
        capture_output=True,
        timeout=SLOW,
    )
    assert done.returncode == 0
    assert "≈" in done.stdout.decode("utf-8") or "−" in done.stdout.decode("utf-8")
