"""Registration: what is sealed, what is refused, what an anchor is and is not."""

import hashlib
import json
import subprocess

import pytest
from tests.miniature import STUDY, documents, hidden
from tests.study.registering import changed, clock, lines, registered, study

from evenhand.cli.main import main
from evenhand.errors import HoldoutSpent, InputError, SealBroken
from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct
from evenhand.study.ledger.state import standing_of
from evenhand.study.ledger.timestamp import by_file, by_git
from evenhand.study.registration.amend import amend
from evenhand.study.registration.register import register


def content(file):
    return json.loads((file.parent / "registration.json").read_text())


def test_everything_the_study_rests_on_is_sealed(tmp_path):
    file, _ = registered(tmp_path / "w")
    held = content(file)
    assert set(held["systems"]) == {"bm25", "tfidf", "both", "current", "random"}
    assert held["systems"]["bm25"]["settings"]["k1"] == 1.5
    assert held["criteria"]["good"]["at_least"] == 0.2
    assert held["family"]["adjust"] == "holm"
    assert len(held["family"]["pairs"]) == 6
    assert len(held["corpus"]["documents"]) == 12
    assert len(held["gold"]["dev"]["rows"]) == 20
    assert held["sample_sizes"]["dev"] == {"questions": 20, "answerable": 18}
    assert held["code"]["packages"].keys() >= {"metrics", "stats", "study", "evenhand"}
    assert any("time-stamped" in line for line in held["does_not_claim"])
    holdout = file.parent / "gold.holdout.jsonl"
    assert held["gold"]["holdout"]["seal"] == hashlib.sha256(holdout.read_bytes()).hexdigest()
    (entry,) = lines(file)
    seal = hashlib.sha256((file.parent / "registration.json").read_bytes()).hexdigest()
    assert (entry.kind, entry.content["seal"]) == ("registered", seal)


def test_no_word_of_the_holdout_and_no_count_by_expectation_is_in_it(tmp_path):
    file, _ = registered(tmp_path / "w")
    held = content(file)["gold"]["holdout"]
    text = json.dumps(content(file)) + (file.parent / "ledger.jsonl").read_text()
    for row in hidden(documents()):
        assert row["text"] not in text
        assert all(nugget["nugget"] not in text for nugget in row["evidence"])
    assert set(held) == {"file", "seal", "questions", "seen"}
    assert held["questions"] == 12
    assert all(len(words) == 64 for words in held["seen"].values())


def test_the_same_study_gives_the_same_registration_anywhere(tmp_path):
    one, _ = registered(tmp_path / "a")
    two, _ = registered(tmp_path / "b" / "c")
    assert (one.parent / "registration.json").read_bytes() == (two.parent / "registration.json").read_bytes()


def test_a_study_is_registered_once(tmp_path):
    file, now = registered(tmp_path / "w")
    with pytest.raises(InputError, match="registered already, as it is now") as caught:
        register(read_study(file), file.parent, now=now)
    assert "amend" in caught.value.mend
    changed(file, "at_least = 0.2", "at_least = 0.1")
    with pytest.raises(InputError, match=r"criteria.good.at_least \(0.2 → 0.1\)"):
        register(read_study(file), file.parent, now=now)
    assert len(lines(file)) == 1


def test_a_gold_set_with_errors_is_not_registered_and_shows_nothing_of_the_holdout(tmp_path, capsys):
    file = study(tmp_path / "w")
    holdout = file.parent / "gold.holdout.jsonl"
    changed(holdout, '"expect": "answer"', '"expect": "answr"')
    assert main(["study", "register", str(file)]) == 2
    said = capsys.readouterr()
    assert "gold.holdout.jsonl:1" in said.err
    assert "answr" not in said.err + said.out
    assert "Hidden" not in said.err + said.out
    assert not (file.parent / "registration.json").exists()
    assert not (file.parent / "ledger.jsonl").exists()


def test_a_holdout_that_shares_a_question_with_a_seen_one_is_refused_by_name(tmp_path):
    from evenhand.study.registration.holdout import look

    file, now = registered(tmp_path / "w")
    look(read_study(file), file.parent, now=now)
    other = study(tmp_path / "other", mark="asked")
    row = json.loads((file.parent / "gold.holdout.jsonl").read_text().splitlines()[3])
    row = {**row, "id": "new-id", "text": row["text"].upper() + " !"}  # the same words
    text = (other.parent / "gold.holdout.jsonl").read_text().splitlines()
    text[0] = json.dumps(row)
    (other.parent / "gold.holdout.jsonl").write_text("\n".join(text) + "\n")
    register(read_study(other), other.parent, now=clock())  # nobody has told it of the other ledger
    (other.parent / "ledger.jsonl").unlink()
    (other.parent / "registration.json").unlink()
    with pytest.raises(HoldoutSpent, match=r"new-id \(seen as h03\)") as caught:
        register(read_study(other), other.parent, now=clock(), ledgers=[file.parent / "ledger.jsonl"])
    assert caught.value.exit_code == 3
    # a study of another name beside the same gold set knows the ledger by itself
    second = file.with_name("second.toml")
    second.write_text(file.read_text().replace('name = "miniature"', 'name = "second"'))
    with pytest.raises(HoldoutSpent, match="shares 12 questions"):
        register(read_study(second), second.parent, now=clock())


def test_dev_questions_that_are_those_of_a_registered_holdout_are_refused_before_its_look(tmp_path):
    from evenhand.study.registration.holdout import look

    file, now = registered(tmp_path / "w")
    home = file.parent
    rows = [json.loads(line) for line in (home / "gold.holdout.jsonl").read_text().splitlines()]
    rows[2] = {**rows[2], "id": "mine", "text": rows[2]["text"].upper()}
    (home / "copy.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    second = file.with_name("second.toml")
    text = file.read_text().replace('name = "miniature"', 'name = "second"')
    second.write_text(text.replace("gold.jsonl", "copy.jsonl"))
    for work in (conduct, lambda plan, folder: register(plan, folder, now=now)):
        with pytest.raises(SealBroken, match=r"12 dev questions are those .*'miniature'.*mine \(there h02\)"):
            work(read_study(second), home)
    assert main(["study", "pilot", str(second)]) == 3
    look(read_study(file), home, now=now)
    conduct(read_study(second), home, out=home / "second")  # seen: they may be dev questions from now on


def test_two_studies_in_one_folder_have_a_registration_each(tmp_path):
    file, now = registered(tmp_path / "w")
    second = file.with_name("second.toml")
    second.write_text(file.read_text().replace('name = "miniature"', 'name = "My second"'))
    made = register(read_study(second), second.parent, now=now)
    assert made.file.name.startswith("registration.my-second~")
    assert standing_of(read_study(file), file.parent).file == "registration.json"
    assert standing_of(read_study(second), file.parent).state == "registered"


def test_a_registration_that_was_edited_or_whose_ledger_has_gone_is_said(tmp_path):
    file, _ = registered(tmp_path / "w")
    kept = (file.parent / "registration.json").read_bytes()
    changed(file.parent / "registration.json", '"at_least": 0.2', '"at_least": 0.1')
    with pytest.raises(SealBroken, match="is not what was registered"):
        standing_of(read_study(file), file.parent)
    (file.parent / "registration.json").write_bytes(kept)
    (file.parent / "ledger.jsonl").unlink()
    with pytest.raises(SealBroken, match="does not know it"):
        conduct(read_study(file), file.parent)


def test_a_registration_of_another_study_that_no_ledger_knows_is_not_written_over(tmp_path):
    file, now = registered(tmp_path / "w")
    ledger = file.parent / "ledger.jsonl"
    ledger.unlink()
    other = file.with_name("other.toml")
    other.write_text(file.read_text().replace('name = "miniature"', 'name = "other"'))
    with pytest.raises(SealBroken, match="does not know it"):
        register(read_study(other), file.parent, now=now)


class Killed(BaseException):
    """What nothing catches."""


def killed(*_, **__):
    raise Killed


@pytest.mark.parametrize(
    ("where", "name", "entries"),
    [
        ("evenhand.formats.results.ledger.Entry.line", "before its line", 0),
        ("evenhand.study.registration.register.settled", "after it", 1),
    ],
    ids=str,
)
def test_one_that_was_killed_is_registered_by_the_next_call(tmp_path, monkeypatch, where, name, entries):
    file, now = study(tmp_path / "w"), clock()
    with monkeypatch.context() as patch:
        patch.setattr(where, killed)
        with pytest.raises(Killed):
            register(read_study(file), file.parent, now=now)
    assert not (file.parent / "registration.json").exists()
    assert len(lines(file)) == entries, name
    assert standing_of(read_study(file), file.parent).state == ("registered" if entries else "unregistered")
    if not entries:
        changed(file, "at_least = 0.2", "at_least = 0.3")  # another content than the one that was killed
        register(read_study(file), file.parent, now=now)
    assert standing_of(read_study(file), file.parent).state == "registered"
    with pytest.raises(InputError, match="registered already, as it is now"):
        register(read_study(file), file.parent, now=now)
    assert [path.name for path in file.parent.glob(".registration*")] == []


def test_reports_say_how_the_study_stands(tmp_path):
    file = study(tmp_path / "w")
    before = conduct(read_study(file), file.parent).report
    assert before["registration"]["word"] == "provisional"
    assert before["registration"]["sentences"][0].startswith("Not registered")
    register(read_study(file), file.parent, now=clock())
    made = conduct(read_study(file), file.parent)
    record = made.report["registration"]
    assert (record["state"], record["word"], record["changed"]) == ("registered", "registered", [])
    assert "Registration not independently time-stamped." in record["sentences"]
    page = made.page.read_text(encoding="utf-8")
    assert "<strong>Registered.</strong>" in page
    assert "not independently time-stamped" in page
    changed(file, "at_least = 0.2", "at_least = 0.1")
    record = conduct(read_study(file), file.parent).report["registration"]
    assert record["word"] == "provisional"
    assert record["changed"] == [
        {"path": ["plan", "criteria", "good", "at_least"], "planned": 0.2, "amended": 0.1}
    ]
    rows = conduct(read_study(file), file.parent).report["criteria"]["rows"]
    assert rows[0]["planned"]["at_least"] == 0.2


def test_an_amendment_needs_author_and_reason_and_keeps_what_was_planned(tmp_path):
    file, now = registered(tmp_path / "w")
    plan = read_study(file)
    for options in ({"author": "", "reason": "r"}, {"author": "a", "reason": "  "}):
        with pytest.raises(InputError, match="an amendment needs its"):
            amend(plan, file.parent, now=now, **options)
    with pytest.raises(InputError, match="nothing of 'miniature' differs"):
        amend(plan, file.parent, author="a", reason="r", now=now)
    for value in ("0.1", "0.15"):
        text = file.read_text()
        old = next(line for line in text.splitlines() if line.startswith("good"))
        file.write_text(text.replace(old, f'good = {{ on = "bm25.nDCG@10", at_least = {value} }}'))
        amend(read_study(file), file.parent, author="Ann", reason="because", now=now)
    record = conduct(read_study(file), file.parent).report
    assert record["registration"]["changed"] == []
    first, second = record["registration"]["amendments"]
    path = ["plan", "criteria", "good", "at_least"]
    assert first["changes"] == [{"path": path, "planned": 0.2, "amended": 0.1}]
    assert second["changes"] == [{"path": path, "planned": 0.2, "before": 0.1, "amended": 0.15}]
    row = record["criteria"]["rows"][0]
    assert (row["at_least"], row["planned"]["at_least"]) == (0.15, 0.2)
    page = (file.parent / "results" / "report.html").read_text()
    assert "as planned" in page
    assert "Ann, 2026-01-02: because" in page


def test_a_criterion_that_is_added_or_taken_away_is_shown_as_that(tmp_path):
    file, now = registered(tmp_path / "w")
    changed(
        file,
        'good = { on = "bm25.nDCG@10", at_least = 0.2 }',
        'more = { on = "tfidf.nDCG@10", at_least = 0.2 }',
    )
    amend(read_study(file), file.parent, author="A", reason="B", now=now)
    rows = conduct(read_study(file), file.parent).report["criteria"]["rows"]
    planned = {row["name"]: row["planned"] for row in rows}
    assert planned["more"] == {"absent": True}
    assert planned["good"]["withdrawn"]
    changed(
        file,
        'more = { on = "tfidf.nDCG@10", at_least = 0.2 }',
        'more = { on = "tfidf.nDCG@10", at_least = 0.3 }',
    )
    made = amend(read_study(file), file.parent, author="A", reason="C", now=now).changes
    assert made == [{"path": ["plan", "criteria", "more", "at_least"], "before": 0.2, "amended": 0.3}]


def test_the_count_of_criteria_met_is_told_as_registered_beside_as_amended(tmp_path, capsys):
    file, now = registered(tmp_path / "w")
    changed(file, "at_least = 0.2 }", 'at_least = 0.2, role = "descriptive" }')
    changed(file, 'sure = { on = "bm25.Success(rel=2)@1"', 'sure = { on = "both.Success(rel=2)@1"')
    near = 'near = { on = "both-minus-bm25.nDCG@10", at_least = -0.5, by = "lower", level = 0.975 }\n'
    changed(file, near, 'new = { on = "bm25.nDCG@10", at_least = 0.99 }\n')
    amend(read_study(file), file.parent, author="A", reason="B", now=now)
    made = conduct(read_study(file), file.parent).report["criteria"]
    assert (made["met"], made["of"], made["as_registered"]) == (1, 2, {"met": 3, "of": 3})
    assert made["sentences"][:2] == [
        "Criteria met: 1/2, as they were amended.",
        "Criteria met as they were registered: 3/3.",
    ]
    assert main(["report", str(file.parent / "results")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "planned as success" in told
    assert main(["report", str(file.parent / "results"), "--format", "md"]) == 0
    told = capsys.readouterr().out
    assert "met; planned as success ≥ 0.2: met" in told
    assert "planned on bm25.Success(rel=2)@1 ≥ 0.3: met" in told


def test_there_is_no_trust_to_accept_without_a_panel(tmp_path):
    file, now = registered(tmp_path / "w")
    with pytest.raises(InputError, match="no panel of judges"):
        amend(read_study(file), file.parent, author="A", reason="B", accepts=["panel.trust"], now=now)
    assert [entry.kind for entry in lines(file)] == ["registered"]


def git(folder, *words):
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_git_tag_anchors_what_it_holds_and_nothing_else(tmp_path):
    file = study(tmp_path / "w")
    git(file.parent, "init", "-q")
    git(file.parent, "add", ".")
    git(file.parent, "commit", "-qm", "plan")
    git(file.parent, "tag", "plan-1")
    files = [file, file.parent / "gold.jsonl"]
    made = by_git("plan-1", file.parent, files)
    assert made["commit"] == git(file.parent, "rev-parse", "HEAD").strip()
    for tag in ("none", "--all"):
        with pytest.raises(InputError, match="git tag"):
            by_git(tag, file.parent, files)
    changed(file, "at_least = 0.2", "at_least = 0.1")
    with pytest.raises(InputError, match=r"study.toml is not what it is in the commit"):
        by_git("plan-1", file.parent, files)
    changed(file, "at_least = 0.1", "at_least = 0.2")
    assert main(["study", "register", str(file), "--anchor-git", "plan-1"]) == 0
    report = conduct(read_study(file), file.parent).report
    assert "git tag plan-1" in " ".join(report["registration"]["sentences"])
    assert not any("time-stamped" in line for line in report["does_not_claim"])


def test_a_proof_that_comes_later_is_added_and_said_to_be_unverified(tmp_path, capsys):
    file, _ = registered(tmp_path / "w")
    digest = hashlib.sha256((file.parent / "registration.json").read_bytes()).digest()
    proof = file.parent / "registration.json.ots"
    proof.write_bytes(b"\x00OpenTimestamps\x00\x00Proof\x00" + digest + b"rest")
    assert main(["study", "register", str(file), "--anchor-file", str(proof)]) == 0
    said = capsys.readouterr().out
    assert "it holds the SHA-256 of registration.json; not verified here" in said
    assert [entry.kind for entry in lines(file)] == ["registered", "anchored"]
    assert not any(
        "time-stamped" in line for line in conduct(read_study(file), file.parent).report["does_not_claim"]
    )
    other = file.parent / "other.tsr"
    other.write_bytes(b"\x30\x82nothing of ours")
    made = by_file(other, {"study.toml": file})
    assert (made["form"], made["of"]) == ("RFC 3161", "")
    with pytest.raises(InputError, match="cannot be read"):
        by_file(file.parent / "gone", {})


def test_the_addresses_of_endpoints_are_sealed_without_their_secrets(tmp_path):
    from tests.loopback import serving

    more = '[system.far]\nretriever = "URL/search?token=hush"\nretries = 0\n'
    with serving() as server:
        server.reply = lambda _: (200, {"hits": []}, {})
        file = study(tmp_path / "w", study=STUDY + more.replace("URL", server.url))
        register(read_study(file), file.parent, now=clock())
    assert "hush" not in (file.parent / "registration.json").read_text()


def test_where_a_judge_is_asked_is_sealed_and_so_is_what_it_is_told(tmp_path, monkeypatch):
    from evenhand.study.ledger.input_fingerprints import _judges
    from evenhand.study.panel.ask import bench_of

    file = study(tmp_path / "w")
    file.write_text(file.read_text() + "\n[panel.judge.small]\nmodel = 'ollama:qwen3:8b'\n")
    plan = read_study(file)
    monkeypatch.delenv("OLLAMA_BASE_URL", raising=False)
    here = _judges(plan, file.parent)
    assert here["prompt"] == bench_of(plan, file.parent).prompt
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://elsewhere:11434/v1")
    there = _judges(plan, file.parent)
    assert there["judges"]["small"]["seal"] != here["judges"]["small"]["seal"]
    assert there["prompt"] == here["prompt"]


def test_one_criterion_is_told_in_the_singular(tmp_path, capsys):
    file = study(tmp_path / "w")
    kept = [line for line in file.read_text("utf-8").split("\n") if not line.startswith(("sure =", "near ="))]
    file.write_text("\n".join(kept), encoding="utf-8")
    assert main(["study", "register", str(file)]) == 0
    assert " 1 criterion, the code" in capsys.readouterr().out
