"""Verification: each file, row, label, vector and line of the ledger that was touched is found and named."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.miniature import CRITERIA, STUDY
from tests.study.registering import changed, clock, lines, study

from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.formats.results.folder import MANIFEST
from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct
from evenhand.study.registration.holdout import look
from evenhand.study.registration.package import package
from evenhand.study.registration.register import register
from evenhand.study.verification.verify import verify

# an embedder that needs no weights: letters counted
EMBEDDER = """
import numpy as np

def letters(texts):
    return np.array([[text.count(c) for c in "abcdefghijklmnopqrstuvwxyz0123456789"] for text in texts], "float32")

letters.seal = "letters-1"
"""
DENSE = '[system.dense]\nretriever = "dense"\nembedder = "python:counted:letters"\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A registered study with results on dev and on the holdout."""
    text = STUDY.replace("[measure]", DENSE + "[measure]") + CRITERIA
    file = study(tmp_path_factory.mktemp("verify") / "w", study=text)
    (file.parent / "counted.py").write_text(EMBEDDER)
    now = clock()
    register(read_study(file), file.parent, now=now)
    conduct(read_study(file), file.parent)
    look(read_study(file), file.parent, now=now)
    return file


@pytest.fixture
def copy(made, tmp_path):
    sys.modules.pop("counted", None)  # each copy has its own
    shutil.copytree(made.parent, tmp_path / "w")
    return tmp_path / "w" / "study.toml"


def faults(file, **options):
    found = verify(read_study(file), file.parent, **options)
    return [f"{one.what}: {one.text}" for one in found.checks if one.state == "fault"]


def relisted(folder):
    """The manifest of a folder as somebody would write it who changed a file in it."""
    import hashlib

    lines = (folder / MANIFEST).read_text().splitlines()
    names = [line[66:] for line in lines]
    text = "".join(f"{hashlib.sha256((folder / n).read_bytes()).hexdigest()}  {n}\n" for n in names)
    (folder / MANIFEST).write_text(text)


def test_a_study_that_nobody_touched_is_verified(copy):
    found = verify(read_study(copy), copy.parent)
    assert [one for one in found.checks if one.state == "fault"] == []
    said = {one.what: one.text for one in found.checks}
    assert said["results derived anew"].endswith("the same bytes")
    assert said["holdout derived anew"].endswith("the same bytes")
    assert "are whole" in said["stored vectors"]
    assert not said["stored vectors"].startswith("0 ")
    assert [entry.kind for entry in lines(copy)] == ["registered", "look", "reported"]  # nothing was written


def test_it_is_verified_by_other_libraries_too(copy):
    pytest.importorskip("pytrec_eval", reason="the extra verify is not installed")
    pytest.importorskip("statsmodels", reason="the extra verify is not installed")
    found = verify(read_study(copy), copy.parent, independent=True)
    assert [one for one in found.checks if one.state == "fault"] == []
    said = {one.what: one.text for one in found.checks}
    assert "108 values of nDCG@10" in said["results: metrics by trec_eval"]
    assert "values of NuggetRecall@5" in said["results: metrics by trec_eval"]
    assert "dense: 18 rankings" in said["results: dense rankings by brute force"]
    assert "dense: 10 rankings" in said["holdout: dense rankings by brute force"]
    for word in ("Wilson", "percentile bootstrap"):
        assert word in said["results: intervals by scipy and statsmodels"]
    for word in ("McNemar", "Newcombe", "sign flips, exact", "Holm"):
        assert word in said["results: tests by scipy and statsmodels"]


TOUCHED = [
    ("docs/dune.md", "Visitors", "Guests", "inputs: document dune.md is not what was registered"),
    (
        "gold.jsonl",
        "Number 3",
        "Number three",
        "inputs: question q03 of the dev set is not what was registered",
    ),
    ("gold.holdout.jsonl", "Hidden 3", "Hidden three", "inputs: the holdout is not what was registered"),
    ("study.toml", "depth = 20", "depth = 21", "inputs: plan.measure.depth is not what was registered"),
    ("counted.py", "letters-1", "letters-2", "inputs: systems.dense"),
    (
        "registration.json",
        '"at_least": 0.2',
        '"at_least": 0.3',
        "registration: registration.json is not what was",
    ),
    ("ledger.jsonl", '"questions":12', '"questions":13', "ledger.jsonl: line 1 was changed"),
    ("results/report.json", '"headline"', '"headlime"', "results/MANIFEST.sha256: report.json is not what"),
    ("results/report.html", "Verdict", "Opinion", "results derived anew: report.html differs at byte"),
    (
        "results/holdout/report.json",
        '"n":10',
        '"n":11',
        "results/holdout: report.json is not what was reported",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), TOUCHED, ids=[row[0] for row in TOUCHED])
def test_what_was_touched_is_named(copy, name, old, new, said):
    if name == "docs/dune.md":
        place = next(p for p in sorted((copy.parent / "docs").iterdir()) if "Visitors" in p.read_text())
        name, said = f"docs/{place.name}", said.replace("dune.md", place.name)
    changed(copy.parent / name, old, new)
    found = faults(copy)
    assert any(said in one for one in found), found


def test_a_number_in_a_report_that_was_listed_anew_is_named_by_its_path(copy):
    folder = copy.parent / "results"
    report = json.loads((folder / "report.json").read_bytes())
    report["estimates"][2]["point"] = 0.9
    from evenhand.report.output.assemble import dumps

    (folder / "report.json").write_bytes(dumps(report))
    relisted(folder)
    found = faults(copy)
    assert any("estimates[2].point is 0." in one and "0.9 in the file" in one for one in found), found


@pytest.mark.parametrize(
    ("name", "column", "value", "said"),
    [
        ("runs/bm25.parquet", "score", 99.0, "runs/bm25.parquet differs at byte"),
        ("runs/dense.parquet", "unit", "alder.md#0-5", "runs/dense.parquet differs at byte"),
        ("measurements.parquet", "value", 0.125, "measurements.parquet differs at byte"),
    ],
)
def test_a_row_of_a_table_is_named_by_row_and_column(copy, name, column, value, said):
    path = copy.parent / "results" / name
    frame = pl.read_parquet(path)
    rows = [value if i == 7 else one for i, one in enumerate(frame[column].to_list())]
    frame.with_columns(pl.Series(column, rows, dtype=frame[column].dtype)).write_parquet(path)
    relisted(copy.parent / "results")
    found = faults(copy)
    assert any(said in one and "row 8 (" in one and f"{column} is" in one for one in found), found


def test_a_value_that_trec_eval_does_not_give_is_named(copy):
    pytest.importorskip("pytrec_eval", reason="the extra verify is not installed")
    path = copy.parent / "results" / "measurements.parquet"
    frame = pl.read_parquet(path)
    rows = [0.125 if i == 7 else one for i, one in enumerate(frame["value"].to_list())]
    frame.with_columns(value=pl.Series(rows)).write_parquet(path)
    found = faults(copy, independent=True)
    assert any("results: metrics by trec_eval: nDCG@10 of bm25 on q07 is 0.125" in one for one in found), (
        found
    )
    assert any("intervals by scipy and statsmodels: nDCG@10 of bm25 is" in one for one in found), found
    assert any("tests by scipy and statsmodels" in one for one in found), found


def vectors(copy, *, sealed):
    """Change one number of the stored vectors; with *sealed* as somebody would who knows the seal."""
    for path in sorted((copy.parent / ".evenhand" / "embeddings").glob("*.npz")):
        with np.load(path) as held:
            arrays = {name: held[name] for name in held.files}
        arrays["vector"] = arrays["vector"].copy()
        arrays["vector"][1, 4] += 1
        if sealed:
            head = json.loads(arrays["head.json"].tobytes())
            from evenhand.store import blobs

            head["seal"] = blobs._seal(head["kind"], head["key"], {"vector": arrays["vector"]})
            arrays["head.json"] = np.frombuffer(blobs.canonical(head), dtype=np.uint8)
        np.savez(path, allow_pickle=False, **arrays)
        return path.name if not sealed else json.loads(arrays["head.json"].tobytes())["key"][:12]
    raise AssertionError("no vectors are stored")


@pytest.mark.parametrize(("sealed", "said"), [(False, "are damaged"), (True, "number 5 is")])
def test_a_stored_vector_that_was_changed_is_named(copy, sealed, said):
    key = vectors(copy, sealed=sealed)
    found = faults(copy)
    assert any(one.startswith("stored vectors") and key in one and said in one for one in found), found


def test_a_dense_ranking_that_the_stored_vectors_do_not_give_is_named(copy):
    pytest.importorskip("pytrec_eval", reason="the extra verify is not installed")
    path = copy.parent / "results" / "runs" / "dense.parquet"
    frame = pl.read_parquet(path)
    units = frame["unit"].to_list()
    units[0], units[9] = units[9], units[0]
    frame.with_columns(unit=pl.Series(units)).write_parquet(path)
    found = faults(copy, independent=True)
    assert any("dense rankings by brute force: dense on q00: rank 1 is" in one for one in found), found


def test_a_ledger_that_was_cut_short_is_missed_by_the_reports(copy):
    ledger = copy.parent / "ledger.jsonl"
    kept = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(kept[:1]))
    assert any("a look that the ledger does not know" in one for one in faults(copy))
    conduct(read_study(copy), copy.parent, entries=1)


def test_files_that_are_gone_or_new_are_named(copy):
    (copy.parent / "results" / "runs" / "both.parquet").unlink()
    (copy.parent / "results" / "runs" / "extra.parquet").write_bytes(b"x")
    found = "\n".join(faults(copy))
    assert "runs/both.parquet is gone" in found
    assert "runs/extra.parquet is in no line of MANIFEST.sha256" in found


def test_a_damaged_report_is_no_crash(copy):
    (copy.parent / "results" / "report.json").write_bytes(b"{")
    assert any("is not a report" in one for one in faults(copy))


def test_a_study_that_is_not_registered_is_held_against_its_inputs(tmp_path):
    file = study(tmp_path / "w")
    conduct(read_study(file), file.parent)
    found = verify(read_study(file), file.parent)
    assert not found.registered
    assert [one for one in found.checks if one.state == "fault"] == []


def test_the_command_ends_with_three_for_a_fault_and_records_on_demand(copy, capsys):
    assert main(["study", "verify", str(copy), "--record", "--run-code"]) == 0
    assert "verified: everything is as it was made and registered" in capsys.readouterr().out
    assert lines(copy)[-1].kind == "verified"
    assert main(["study", "verify", str(copy), "--run-code"]) == 0  # what was recorded changes no report
    changed(copy.parent / "results" / "report.html", "Verdict", "Opinion")
    capsys.readouterr()
    assert main(["study", "verify", str(copy), "--json", "--run-code"]) == 3
    made = json.loads(capsys.readouterr().out)
    assert made["faults"] == 2


# --- the package ------------------------------------------------------------------------------------------


def test_a_package_holds_everything_and_is_verified_in_itself(copy, tmp_path, capsys):
    out = tmp_path / "package"
    assert main(["study", "package", str(copy), "--out", str(out), "--run-code"]) == 0
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert names >= {
        "study.toml", "README.md", MANIFEST, "registration.json", "ledger.jsonl", "gold.jsonl",
        "gold.holdout.jsonl", "counted.py", "docs/alder.md", "results/report.html",
        "results/holdout/report.json", "results/runs/dense.parquet",
    }  # fmt: skip
    assert any(name.startswith("vectors/embeddings/") for name in names)
    assert len((out / MANIFEST).read_text().splitlines()) == len(names) - 1
    capsys.readouterr()
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert main(["study", "verify", str(out / "study.toml"), "--independent", "--run-code"]) == 0
    assert "package: every file is as its manifest says" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    with pytest.raises(InputError, match="a package is not written into"):
        verify(read_study(out / "study.toml"), out, now=clock())
    changed(out / "README.md", "the plan", "a plan")
    assert any("README.md is not what MANIFEST.sha256 says" in one for one in faults(out / "study.toml"))
    assert (
        main(["study", "package", str(copy), "--out", str(out), "--run-code"]) == 2
    )  # nothing is overwritten


def test_the_readme_of_a_package_names_what_is_in_it(copy, tmp_path):
    package(read_study(copy), copy, tmp_path / "p")
    told = (tmp_path / "p" / "README.md").read_text()
    for name in ("registration.json", "ledger.jsonl", "gold.jsonl", "gold.holdout.jsonl", "results/runs/"):
        assert f"| `{name}` |" in told
    assert "pairs.jsonl" not in told  # no threshold study


def test_a_package_before_the_look_leaves_the_holdout_out(tmp_path):
    file = study(tmp_path / "w")
    register(read_study(file), file.parent, now=clock())
    conduct(read_study(file), file.parent)
    made = package(read_study(file), file, tmp_path / "p")
    assert not (tmp_path / "p" / "gold.holdout.jsonl").exists()
    assert any("is left out" in note for note in made.notes)
    assert faults(tmp_path / "p" / "study.toml") == []


def test_a_package_leaves_out_every_holdout_that_lies_among_the_documents(tmp_path):
    file = study(tmp_path / "w")
    changed(file, 'path = "docs"', 'path = "."\nglob = "docs/*.md"')
    for name in ("gold.jsonl", "gold.holdout.jsonl"):
        path = file.parent / name
        path.write_text(
            path.read_text().replace('"doc": "', '"doc": "docs/').replace('"source": "', '"source": "docs/')
        )
    for name in ("other.holdout.jsonl", "docs/holdout.jsonl", "old_holdout.jsonl.gz"):
        (file.parent / name).write_bytes((file.parent / "gold.holdout.jsonl").read_bytes())
    conduct(read_study(file), file.parent)
    made = package(read_study(file), file, tmp_path / "p")
    assert [str(path) for path in (tmp_path / "p").rglob("*holdout*")] == []
    assert "the holdout was not looked at, and is left out" in made.notes  # and no registration is spoken of
    assert faults(tmp_path / "p" / "study.toml") == []


def test_what_lies_outside_the_folder_cannot_be_packed(tmp_path):
    file = study(tmp_path / "w")
    shutil.move(file.parent / "docs", tmp_path / "docs")
    changed(file, 'path = "docs"', 'path = "../docs"')
    conduct(read_study(file), file.parent)
    with pytest.raises(InputError, match="lies outside the folder"):
        package(read_study(file), file, tmp_path / "p")
    assert not Path(tmp_path / "p").exists()


def test_a_page_that_was_drawn_again_with_plots_is_no_fault(copy):
    before = (copy.parent / "results" / "report.html").read_bytes()
    assert main(["report", str(copy.parent / "results"), "--json"]) == 0
    if (copy.parent / "results" / "report.html").read_bytes() == before:
        pytest.skip("plots are not installed")
    assert faults(copy) == []


def test_vectors_that_are_not_stored_are_not_checked_and_nobody_says_ok(tmp_path, capsys):
    sys.modules.pop("counted", None)
    file = study(tmp_path / "w", study=STUDY.replace("[measure]", DENSE + "[measure]"))
    (file.parent / "counted.py").write_text(EMBEDDER.replace('letters.seal = "letters-1"', ""))
    conduct(read_study(file), file.parent)
    asked = ["study", "verify", str(file), "--independent", "--run-code"]
    assert main(asked) == 4
    said = capsys.readouterr().out
    why = "not checked, because the embedder of dense has no seal, so no vectors are stored"
    assert f"??     results: dense rankings by brute force: {why}" in said
    assert not [line for line in said.splitlines() if line.startswith("ok") and "brute force" in line]
    assert said.splitlines()[-1].startswith(
        "not verified whole: 1 check could not be made; everything else is"
    )
    assert main([*asked, "--json"]) == 4
    told = json.loads(capsys.readouterr().out)
    assert (told["faults"], told["unchecked"]) == (0, 1)
    assert [one["text"] for one in told["checks"] if one["state"] == "unchecked"] == [why]


@pytest.mark.parametrize(
    ("states", "code", "end"),
    [
        (("ok", "note"), 0, "verified: everything is as it was made"),
        (
            ("ok", "unchecked"),
            4,
            "not verified whole: 1 check could not be made; everything else is as it was made",
        ),
        (("fault", "unchecked"), 3, "1 fault: this is not the study that was made"),
    ],
)
def test_the_last_line_and_the_exit_code_are_of_one_count(states, code, end):
    from evenhand.cli.study.verify import _end
    from evenhand.study.verification.verify import Verified

    made = Verified()
    for state in states:
        made.add(state, "what", "text")
    assert (made.exit_code, _end(made)) == (code, end)


def test_a_clock_that_ran_backwards_is_noted(tmp_path):
    file = study(tmp_path / "w", study=STUDY + CRITERIA)
    register(read_study(file), file.parent, now=lambda: "2026-05-02T10:00:00.000Z")
    conduct(read_study(file), file.parent)
    look(read_study(file), file.parent, now=lambda: "2026-05-01T10:00:00.000Z")
    found = verify(read_study(file), file.parent)
    (note,) = (one.text for one in found.checks if one.state == "note" and "clock" in one.text)
    assert note == (
        "the clock ran backwards: line 2 (look) is dated 2026-05-01T10:00:00.000Z, after line 1 (registered) "
        "of 2026-05-02T10:00:00.000Z; the order is that of the lines"
    )
    assert not [one for one in found.checks if one.state == "fault"]
