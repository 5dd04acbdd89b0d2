"""The holdout: one look, written down first; afterwards integrity and nothing else."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.study.registering import changed, clock, lines, registered, study

import evenhand
from evenhand.cli.main import main
from evenhand.errors import HoldoutSpent, InputError, SealBroken
from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct
from evenhand.study.registration import holdout as module
from evenhand.study.registration.amend import amend
from evenhand.study.registration.holdout import look


def test_only_one_module_reads_a_holdout():
    source = Path(evenhand.__file__).parent
    readers = []
    for path in source.rglob("*.py"):
        names = {
            alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        if "read_holdout" in names:
            readers.append(path.relative_to(source).as_posix())
    assert readers == ["study/registration/holdout.py"]


def test_a_study_that_is_not_registered_opens_nothing(tmp_path):
    file = study(tmp_path / "w")
    with pytest.raises(InputError, match="is not registered"):
        look(read_study(file), file.parent, now=clock())
    assert not (file.parent / "ledger.jsonl").exists()


def test_a_study_registered_without_a_holdout_has_none_to_open(tmp_path):
    file = study(tmp_path / "w")
    held = file.parent / "gold.holdout.jsonl"
    kept = held.read_bytes()
    held.unlink()
    from evenhand.study.registration.register import register

    register(read_study(file), file.parent, now=clock())
    with pytest.raises(InputError, match="was registered without a holdout"):
        look(read_study(file), file.parent, now=clock())
    held.write_bytes(kept)
    with pytest.raises(InputError, match="was registered without a holdout"):
        look(read_study(file), file.parent, now=clock())


def test_the_look_is_on_the_disk_before_the_holdout_is_read(tmp_path, monkeypatch):
    file, now = registered(tmp_path / "w")
    seen = []

    def reads(*args, **options):
        seen.extend(entry.kind for entry in lines(file))
        raise RuntimeError("killed here")

    monkeypatch.setattr("evenhand.formats.gold.gold_set.read_holdout", reads)
    with pytest.raises(RuntimeError, match="killed"):
        look(read_study(file), file.parent, now=now)
    assert seen == ["registered", "look"]


def files(folder):
    """The bytes of each file that has the same ones on every run."""
    there = [path for path in folder.rglob("*") if path.is_file() and path.name != "costs.json"]
    return {path: path.read_bytes() for path in there}


def test_one_look_then_integrity(tmp_path):
    file, now = registered(tmp_path / "w")
    plan = read_study(file)
    first = look(plan, file.parent, now=now)
    assert first.how == "first"
    report = first.outcome.report
    assert report["gold"]["split"] == "holdout"
    assert report["gold"]["questions"] == 12
    assert report["registration"]["looks"][0]["questions"] == 12
    assert "the one look" in " ".join(report["registration"]["sentences"])
    assert {row["id"] for row in report["questions"]["rows"]} <= {f"h{n:02}" for n in range(12)}
    assert report["criteria"]["of"] == 3
    folder = file.parent / "results" / "holdout"
    before = files(folder)
    again = look(plan, file.parent, now=now)
    assert again.how == "integrity"
    assert files(folder) == before
    assert [entry.kind for entry in lines(file)] == ["registered", "look", "reported", "integrity"]
    assert lines(file)[-1].content["outcome"] == "same bytes"
    assert len(lines(file)[1].content["seen"]) == 12
    # a report on dev made now knows that the holdout is seen
    assert conduct(plan, file.parent).report["registration"]["word"] == "seen"


def test_a_look_that_was_killed_goes_on_as_the_same_look(tmp_path, monkeypatch):
    file, now = registered(tmp_path / "w")
    plan = read_study(file)

    def killed(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "conduct", killed)
        with pytest.raises(KeyboardInterrupt):
            look(plan, file.parent, now=now)
    assert [entry.kind for entry in lines(file)] == ["registered", "look"]
    made = look(plan, file.parent, now=now)
    assert made.how == "resumed"
    assert [entry.kind for entry in lines(file)] == ["registered", "look", "reported"]


CHANGES = [
    ("study.toml", "at_least = 0.2", "at_least = 0.1", "plan.criteria.good.at_least"),
    ("study.toml", "size = 160", "size = 170", "plan.chunkings.small.settings.size"),
    ("study.toml", 'primary = "nDCG@10"', 'primary = "nDCG@5"', "plan.measure.primary"),
    ("study.toml", 'retriever = "tfidf"', 'retriever = "bm25"', "plan.systems.tfidf.what"),
    ("study.toml", "resamples = 500", "resamples = 600", "plan.compare.resamples"),
    ("gold.jsonl", "Number 3", "Number three", "gold.dev"),
    ("docs/alder.md", "crowns", "pounds", "corpus.documents.alder.md"),
    ("gold.holdout.jsonl", "Hidden 3", "Hidden three", "gold.holdout.seal"),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), CHANGES)
def test_before_the_look_anything_changed_is_refused_and_nothing_is_opened(tmp_path, name, old, new, said):
    file, now = registered(tmp_path / "w")
    if name.startswith("docs"):  # a change that leaves the evidence whole
        old, new = "Further particulars", "More particulars"
        name = next(p.name for p in sorted((file.parent / "docs").iterdir()) if old in p.read_text())
        said, name = f"corpus.documents.{name}", f"docs/{name}"
    changed(file.parent / name, old, new)
    with pytest.raises(SealBroken) as caught:
        look(read_study(file), file.parent, now=now)
    assert said in caught.value.what
    assert caught.value.exit_code == 3
    assert "amend" in caught.value.mend
    assert [entry.kind for entry in lines(file)] == ["registered"]


@pytest.mark.parametrize(("name", "old", "new", "said"), CHANGES)
def test_after_the_look_anything_changed_is_refused_with_a_new_holdout_as_the_mend(
    looked, name, old, new, said
):
    file, now = looked()
    if name.startswith("docs"):
        old, new = "Further particulars", "More particulars"
        name = next(p.name for p in sorted((file.parent / "docs").iterdir()) if old in p.read_text())
        said, name = f"corpus.documents.{name}", f"docs/{name}"
    changed(file.parent / name, old, new)
    for work in (
        lambda plan: look(plan, file.parent, now=now),
        lambda plan: amend(plan, file.parent, author="A", reason="B", now=now),
    ):
        with pytest.raises(HoldoutSpent) as caught:
            work(read_study(file))
        assert said in caught.value.what
        assert "write new questions for the holdout" in caught.value.mend
    assert [entry.kind for entry in lines(file)] == ["registered", "look", "reported"]


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    file, now = registered(tmp_path_factory.mktemp("once") / "w")
    look(read_study(file), file.parent, now=now)
    return file


@pytest.fixture
def looked(once, tmp_path):
    """A copy of a study that was looked at."""
    import shutil

    def copy():
        shutil.copytree(once.parent, tmp_path / "w")
        return tmp_path / "w" / "study.toml", lambda: "2026-02-03T00:00:00.000Z"

    return copy


def test_other_code_that_gives_the_same_bytes_is_allowed_afterwards(looked, monkeypatch):
    file, now = looked()
    other = {"version": "9", "seal": "0" * 64, "packages": {}}
    monkeypatch.setattr("evenhand.study.registration.register.code_sealed", lambda: other)
    monkeypatch.setattr("evenhand.study.ledger.input_fingerprints.code_sealed", lambda: other)
    made = look(read_study(file), file.parent, now=now)
    assert made.how == "integrity"
    assert any("the code is another" in note for note in made.notes)


def test_other_code_is_not_allowed_for_the_look_itself(tmp_path, monkeypatch):
    file, now = registered(tmp_path / "w")
    other = {"version": "9", "seal": "0" * 64, "packages": {}}
    monkeypatch.setattr("evenhand.study.registration.register.code_sealed", lambda: other)
    with pytest.raises(SealBroken, match=r"code\."):
        look(read_study(file), file.parent, now=now)
    amend(read_study(file), file.parent, author="A", reason="a fault was mended", now=now)
    assert look(read_study(file), file.parent, now=now).how == "first"


def test_other_bytes_break_the_seal_and_the_first_difference_is_named(looked, monkeypatch):
    file, now = looked()
    true = module.conduct

    def other(*args, out, **options):
        made = true(*args, out=out, **options)
        report = json.loads((out / "report.json").read_bytes())
        report["estimates"][0]["point"] = 0.5
        from evenhand.report.output.assemble import dumps

        (out / "report.json").write_bytes(dumps(report))
        return made

    monkeypatch.setattr(module, "conduct", other)
    with pytest.raises(
        SealBroken, match=r"report.json differs at byte .*estimates\[0\].point is 0\.\d+ as reported, 0.5 now"
    ):
        look(read_study(file), file.parent, now=now)
    assert lines(file)[-1].content["outcome"] == "other bytes"


def test_results_that_were_edited_afterwards_are_named(looked):
    file, now = looked()
    path = file.parent / "results" / "holdout" / "measurements.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(SealBroken, match=r"measurements.parquet .* is not what was reported"):
        look(read_study(file), file.parent, now=now)


def test_results_that_are_gone_are_made_anew_with_the_same_bytes(looked):
    import shutil

    file, now = looked()
    shutil.rmtree(file.parent / "results" / "holdout")
    made = look(read_study(file), file.parent, now=now)
    assert made.how == "integrity"
    assert (file.parent / "results" / "holdout" / "report.json").is_file()
    assert any("made anew" in note for note in made.notes)


def test_a_look_that_no_ledger_knows_is_not_taken_back(looked):
    file, now = looked()
    ledger = file.parent / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(SealBroken, match=r"a look that ledger\.jsonl does not know"):
        look(read_study(file), file.parent, now=now)


def test_the_authors_words_may_be_amended_after_the_look_and_the_bytes_stay(looked):
    file, now = looked()
    changed(file, "plots = false", 'plots = false\ndoes_not_claim = ["anything about winter"]')
    amend(read_study(file), file.parent, author="A", reason="B", now=now)
    assert look(read_study(file), file.parent, now=now).how == "integrity"


SAME_CODE = {"version": "9", "seal": "0" * 64, "packages": {}}
OPEN = f"""
import sys
import evenhand.study.registration.register
evenhand.study.registration.register.code_sealed = lambda: {SAME_CODE}
from evenhand.cli.main import main
sys.exit(main(["study", "open-holdout", sys.argv[1], "-q"]))
"""


def test_two_that_open_it_at_once_make_one_look(tmp_path, monkeypatch):
    # the sources may be edited while tests run: what is tried here is the look and not the code
    monkeypatch.setattr("evenhand.study.registration.register.code_sealed", lambda: SAME_CODE)
    file, _ = registered(tmp_path / "w")
    command = [sys.executable, "-c", OPEN, str(file)]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [one.communicate(timeout=120)[1] for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    kinds = [entry.kind for entry in lines(file)]
    assert kinds.count("look") == kinds.count("reported") == 1


def test_the_command_says_what_it_did_and_leaves_with_the_verdict(tmp_path, capsys):
    file, _ = registered(tmp_path / "w")
    assert main(["study", "open-holdout", str(file)]) == 0
    said = capsys.readouterr()
    assert "the holdout was looked at" in said.err
    assert "Criteria met: 3/3" in said.out
    assert main(["study", "open-holdout", str(file), "-q"]) == 0
    assert "check of integrity, and no evidence" in capsys.readouterr().err


def test_a_criterion_that_is_not_met_leaves_with_one(tmp_path, capsys):
    from tests.miniature import STUDY

    criteria = '[criteria]\nhigh = { on = "bm25.nDCG@10", at_least = 0.999 }\nno = { on = "tfidf.nDCG@10", at_most = 1 }\n'
    file, _ = registered(tmp_path / "w", study=STUDY + criteria)
    assert main(["study", "open-holdout", str(file), "-q"]) == 1
    assert "1 of 2 criteria not met: high" in capsys.readouterr().err
    assert main(["run", str(file), "-q"]) == 1
