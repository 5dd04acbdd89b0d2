"""Gate studies through the product's own commands: P2's published figures, and what else a gate says."""

import json

import pytest
from tests.study import gates
from typer.testing import CliRunner

from evenhand import load_gate
from evenhand.errors import HoldoutSpent, InputError
from evenhand.formats.study_file.read import read_study
from evenhand.formats.study_file.toml_reader import Problems
from evenhand.study.comparison.run import conduct


def front():
    from evenhand.cli.main import app

    return app


def do(*words):
    return CliRunner().invoke(front(), [str(word) for word in words])


@pytest.fixture(scope="module")
def looked(tmp_path_factory):
    """The published study: run on dev, registered, its holdout opened."""
    file = gates.make(tmp_path_factory.mktemp("published"))
    ran = do("run", file, "--quiet")
    registered = do("study", "register", file)
    opened = do("study", "open-holdout", file)
    return file, ran, registered, opened


def report(file, where="results"):
    return json.loads((file.parent / where / "report.json").read_text("utf-8"))


def rates(made, rule=0):
    return {one["name"]: (one["k"], one["n"]) for one in made["gate"]["rules"][rule]["rates"]}


def test_the_published_holdout_gives_the_published_counts_and_verdicts(looked):
    file, ran, registered, opened = looked
    assert (ran.exit_code, registered.exit_code, opened.exit_code) == (0, 0, 0), opened.output
    made = report(file, "results/holdout")
    found = rates(made)
    assert found["answered_precision"] == (17, 20)
    assert found["answerable_coverage"] == (17, 22)
    assert found["false_answer_rate"] == (3, 14)
    assert found["decision_accuracy"] == (28, 36)
    numbers = made["gate"]["numbers"]
    assert [round(numbers[name]["point"], 3) for name in found][:2] == [0.850, 0.773]
    assert round(numbers["false_answer_rate"]["point"], 3) == 0.214
    assert round(numbers["decision_accuracy"]["point"], 3) == 0.778
    kept = made["criteria"]
    assert (kept["met"], kept["of"], kept["met_by_point"], kept["met_by_bound"]) == (3, 3, 3, 1)
    assert "By point 3/3 are met; shown by the one-sided bound 1/3." in kept["sentences"]
    assert "17/20" in opened.output
    assert "3/14" in opened.output


def test_the_published_intervals_are_exact(looked):
    found = {one["name"]: one for one in report(looked[0], "results/holdout")["gate"]["rules"][0]["rates"]}
    assert [round(x, 3) for x in found["answered_precision"]["wilson"]] == [0.640, 0.948]
    assert [round(x, 3) for x in found["answerable_coverage"]["wilson"]] == [0.566, 0.899]
    assert [round(x, 3) for x in found["false_answer_rate"]["wilson"]] == [0.076, 0.476]
    assert [round(x, 3) for x in found["false_answer_rate"]["exact"]] == [0.047, 0.508]
    assert [round(x, 3) for x in found["decision_accuracy"]["wilson"]] == [0.619, 0.883]
    assert round(found["answered_precision"]["lower"], 3) == 0.678
    assert round(found["answerable_coverage"]["lower"], 3) == 0.601
    assert round(found["false_answer_rate"]["upper"], 3) == 0.432


def test_on_the_holdout_the_registered_rule_alone_is_evaluated(looked):
    made = report(looked[0], "results/holdout")["gate"]
    assert [one["name"] for one in made["rules"]] == ["consensus", "answer everything", "defer everything"]
    assert made["costs"] is None
    assert made["promises"] == []
    assert made["explorer"] is None
    assert made["separation"] == []
    assert [one["signal"] for one in made["curves"]] == ["consensus"]
    assert all(one["at_risk"] == [] for one in made["curves"])


def test_questions_that_expect_no_answer_are_asked_and_change_no_mean(looked, tmp_path):
    file = looked[0]
    made = report(file)
    assert made["gold"]["measured"] == 22
    assert {one["n"] for one in made["estimates"]} == {22}
    bare = gates.make(tmp_path / "bare", study=gates.STUDY.split("[gate]")[0] + "[report]\nplots = false\n")
    assert do("run", bare, "--quiet").exit_code == 0
    assert report(bare)["estimates"] == made["estimates"]


def test_failures_say_who_disagreed_and_where_the_answer_stood(looked):
    found = report(looked[0])["gate"]["failures"]
    assert found["n"] == 5
    assert found["on_top"] == 5
    assert found["below"] == 0
    assert found["dissent"] == {"bm25": 2, "dense": 3}
    assert all("current" in row["knew"] for row in found["rows"])


def test_the_exported_gate_decides_as_the_study_did(looked):
    folder = looked[0].parent / "results"
    gate = load_gate(folder / "gate.json")
    assert gate.decide({"bm25": ["a"], "dense": ["a"], "current": ["a"]}).decision == "answer"
    assert gate.decide({"bm25": ["a"], "dense": ["b"], "current": ["a"]}).decision == "defer"
    measured = {row["name"]: (row["k"], row["n"]) for row in gate.measured}
    assert measured["answered_precision"] == (17, 20)
    queue = [json.loads(line) for line in (folder / "queue.jsonl").read_text("utf-8").splitlines()]
    assert len(queue) == 16
    assert [row["place"] for row in queue] == list(range(1, 17))
    assert not any("expect" in row or "kind" in row for row in queue)  # nothing of the truth


def test_results_are_the_same_bytes_twice(looked, tmp_path):
    file = gates.make(tmp_path / "again")
    assert do("run", file, "--quiet").exit_code == 0
    # the ledger of the first is further on by now: everything but the registration is the same
    one, two = report(looked[0])["gate"], report(file)["gate"]
    assert one == two
    for name in ("queue.jsonl", "decisions.jsonl"):
        kept = (looked[0].parent / "results" / name).read_bytes()
        assert kept == (file.parent / "results" / name).read_bytes()


def test_a_changed_gate_is_refused_on_a_seen_holdout(looked):
    file = looked[0]
    text = file.read_text("utf-8")
    try:
        file.write_text(
            text.replace('of = ["bm25", "dense", "current"]', 'of = ["dense", "current"]'), "utf-8"
        )
        again = do("study", "open-holdout", file)
    finally:
        file.write_text(text, "utf-8")
    assert isinstance(again.exception, HoldoutSpent)
    assert "plan.gate.of" in again.exception.what


LEARNED = gates.STUDY.replace(
    'of = ["bm25", "dense", "current"]\n',
    'of = ["bm25", "dense", "current"]\nalso = ["agreement@1", "learned"]\nalpha = 0.3\n'
    "costs = { false_answer = 2, needless_deferral = 1, prevalence = 0.3 }\nfolds = 3\n",
)


def test_rules_are_compared_out_of_fold_with_costs_and_promises(tmp_path):
    file = gates.make(tmp_path / "w", study=LEARNED)
    assert do("run", file, "--quiet").exit_code == 0
    made = report(file)["gate"]
    how = {one["name"]: one["how"] for one in made["rules"]}
    assert how["consensus"] == "fixed"
    assert how["agreement@1"] == "out of fold"
    assert {one["rule"] for one in made["costs"]["rules"]} >= {"consensus", "answer everything"}
    assert made["costs"]["given"]
    assert made["costs"]["prevalence"] == 0.3
    assert made["promises"]
    assert all(one["says"] for one in made["promises"])
    text = (file.parent / "results" / "report.html").read_text("utf-8")
    assert "Complete before real use" in text
    assert "gx-at" in text


def test_a_threshold_that_is_chosen_on_dev_cannot_be_registered_and_its_file_can(tmp_path):
    study = gates.STUDY.replace('rule = "consensus"', 'rule = "agreement@1"\nfolds = 3')
    file = gates.make(tmp_path / "w", study=study)
    assert do("run", file, "--quiet").exit_code in (0, 1)
    refused = do("study", "register", file)
    assert isinstance(refused.exception, InputError)
    assert "gate.json" in refused.exception.mend
    assert not (file.parent / "registration.json").exists()
    (file.parent / "gate.json").write_bytes((file.parent / "results" / "gate.json").read_bytes())
    file.write_text(study.replace('rule = "agreement@1"\nfolds = 3', 'rule = "gate.json"'), "utf-8")
    assert do("study", "register", file).exit_code == 0
    held = json.loads((file.parent / "registration.json").read_text("utf-8"))
    assert set(held["fitted"]["gate"]) == {"gate.json"}
    assert do("study", "open-holdout", file).exit_code in (0, 1)
    made = report(file, "results/holdout")["gate"]
    assert made["how"] == "frozen"
    assert made["rules"][0]["name"].startswith("agreement@1 ≥")


def test_where_no_threshold_keeps_the_promise_nothing_is_decided_and_the_exit_code_says_so(tmp_path):
    study = gates.STUDY.replace('rule = "consensus"', 'rule = "agreement@1"\nalpha = 0.01\ngrid = [0.5, 1.0]')
    file = gates.make(tmp_path / "w", study=study)
    ran = do("run", file, "--quiet")
    assert ran.exit_code == 4  # B072: cannot be decided counts as not passed
    made = report(file)
    assert made["gate"]["how"] == "refused"
    assert "would do" in made["gate"]["sentences"][0]
    assert all(row["verdict"] == "cannot be decided" and row["reasons"] for row in made["criteria"]["rows"])
    assert not (file.parent / "results" / "gate.json").exists()


def test_a_promised_threshold_is_reported_on_questions_that_did_not_choose_it(tmp_path):
    plan = (("answer", ("right", "right", "right"), 40), ("abstain", ("other", "right", "right"), 20))
    study = gates.STUDY.replace('rule = "consensus"', 'rule = "agreement@1"\nalpha = 0.3\ngrid = [0.5, 1.0]')
    file = gates.make(tmp_path / "w", study=study, plan=plan)
    do("run", file, "--quiet")
    made = report(file)["gate"]
    assert made["how"] == "promised"
    assert made["questions"]["n"] + made["questions"]["calibration"] == 60
    assert made["questions"]["n"] == made["rules"][0]["n"] < 60
    assert load_gate(file.parent / "results" / "gate.json").guarantee["alpha"] == 0.3


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("threshold = nan", "finite"),
        ("threshold = inf", "finite"),
        ("threshold = 1.2", "outside the scale"),
        ("threshold = -0.1", "outside the scale"),
        ('threshold = "0,7"', "not a number"),
    ],
)
def test_b070_only_a_finite_number_on_the_scale_is_a_threshold(tmp_path, line, told):
    file = gates.make(tmp_path / "w")
    text = gates.STUDY.replace('rule = "consensus"', f'rule = "agreement@5"\n{line}')
    file.write_text(text, "utf-8")
    with pytest.raises(Problems) as caught:
        read_study(file)
    assert told in caught.value.what
    assert "[gate] threshold" in caught.value.what


def test_b070_a_threshold_on_the_scale_is_taken(tmp_path):
    file = gates.make(
        tmp_path / "w", study=gates.STUDY.replace('"consensus"', '"agreement@5"\nthreshold = 0.7')
    )
    assert read_study(file).gate.threshold == 0.7


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('rule = "consensus"', 'rule = "consensus"\ncost = 1', "unknown key"),
        ('rule = "consensus"', 'rule = "consensuss"', "no signal"),
        ('rule = "consensus"', 'rule = "score(bm52)"', "a system the gate does not have"),
        ('of = ["bm25", "dense", "current"]', 'of = ["bm25", "dens"]', "no system 'dens'"),
        ('rule = "consensus"', 'rule = "consensus"\nthreshold = 0.5', "none of its own"),
        ('rule = "consensus"', 'rule = "consensus"\ncosts = { false_answers = 2 }', "false_answers"),
        ('rule = "consensus"', 'rule = "consensus"\nalpha = 1.5', "share above 0"),
        ('rule = "consensus"', 'rule = "gone.json"', "there is no file"),
        ("gate.answered_precision", "gate.decision_accuracy", "no criterion"),
    ],
)
def test_what_is_wrong_with_the_section_is_said_with_its_line(tmp_path, old, new, told):
    file = gates.make(tmp_path / "w")
    file.write_text(gates.STUDY.replace(old, new), "utf-8")
    with pytest.raises(Problems) as caught:
        read_study(file)
    assert any(told in one.what and "study.toml:" in one.what for one in caught.value.problems)


def test_a_descriptive_criterion_is_shown_and_never_counts(tmp_path):
    line = 'accuracy = { on = "gate.decision_accuracy", at_least = 0.99, role = "descriptive" }\n[report]'
    file = gates.make(tmp_path / "w", study=gates.STUDY.replace("[report]", line))
    assert do("run", file, "--quiet").exit_code == 0
    made = report(file)["criteria"]
    assert made["of"] == 3
    assert len(made["rows"]) == 4
    assert made["rows"][3]["verdict"] == "not met"


def test_an_ambiguous_or_absent_system_is_refused_before_anything_is_asked(tmp_path):
    study = gates.STUDY.replace("[chunking.whole]", '[chunking.other]\nrule = "headings"\n[chunking.whole]')
    study = study.replace('run = "bm25.trec"', 'retriever = "bm25"')
    for name in ("dense", "current"):
        study = study.replace(f'run = "{name}.trec"', f'run = "{name}.trec"\nchunking = "whole"')
    file = gates.make(tmp_path / "w", study=study)
    with pytest.raises(InputError, match="stands for bm25/other, bm25/whole"):
        conduct(read_study(file), file.parent)


def test_an_independent_path_finds_the_same_and_notices_a_changed_count(looked, tmp_path):
    pytest.importorskip("statsmodels")
    pytest.importorskip("polars")
    from evenhand.formats.corpus.read import read_corpus
    from evenhand.formats.gold.gold_set import read_gold
    from evenhand.study.verification.recompute_gate import gate_checked
    from evenhand.study.verification.verify import Verified

    folder = looked[0].parent
    corpus = read_corpus(folder / "docs")
    gold = read_gold(folder / "gold.jsonl", corpus)
    made = Verified()
    told = report(looked[0])
    gate_checked(told, folder / "results", gold, corpus, made)
    assert [one.state for one in made.checks] == ["ok"]
    told["gate"]["rules"][0]["rates"][0]["k"] += 1
    told["gate"]["curves"][0]["aurc"]["point"] += 0.01
    made = Verified()
    gate_checked(told, folder / "results", gold, corpus, made)
    texts = [one.text for one in made.checks if one.state == "fault"]
    assert "consensus: answered_precision is 18/20, and 17/20 when counted" in texts
    assert any(text.startswith("AURC of ") for text in texts)


def test_a_package_with_a_frozen_gate_verifies_where_it_is_unpacked(tmp_path):
    study = gates.STUDY.replace('rule = "consensus"', 'rule = "agreement@1"\nthreshold = 1.0')
    file = gates.make(tmp_path / "w", study=study)
    assert do("run", file, "--quiet").exit_code == 0
    (file.parent / "gate.json").write_bytes((file.parent / "results" / "gate.json").read_bytes())
    file.write_text(gates.STUDY.replace('rule = "consensus"', 'rule = "gate.json"'), "utf-8")
    assert do("run", file, "--quiet").exit_code == 0
    made = do("study", "package", file, "--out", tmp_path / "packed")
    assert made.exit_code == 0, made.output
    assert (tmp_path / "packed" / "gate.json").is_file()
    assert do("study", "verify", tmp_path / "packed" / "study.toml").exit_code == 0


def test_no_key_of_the_section_is_missing_from_the_reference():
    from dataclasses import fields

    from tests.docs.test_reference import keys, reference, sections

    from evenhand.model.plan.sections import GatePlan

    said = keys(sections(reference("study-file.md"))["`[gate]`"])
    assert set(said) == {one.name for one in fields(GatePlan)}


def test_an_amended_gate_stands_beside_the_one_that_was_registered(tmp_path):
    file = gates.make(tmp_path / "w")
    assert do("study", "register", file).exit_code == 0
    file.write_text(
        gates.STUDY.replace('of = ["bm25", "dense", "current"]', 'of = ["dense", "bm25", "current"]')
    )
    assert do("study", "amend", file, "--author", "ann", "--reason", "order").exit_code == 0
    assert do("study", "open-holdout", file).exit_code == 0
    made = report(file, "results/holdout")["gate"]
    names = [one["name"] for one in made["rules"]]
    assert names[:2] == ["consensus", "consensus, as registered"]
    assert rates({"gate": made}, 1)["answered_precision"] == (17, 20)
    assert made["registered"]
    assert made["sentences"][0].startswith("The gate is not the one that was registered")


def test_a_rule_frozen_on_these_questions_is_said_to_flatter_itself(tmp_path):
    study = gates.STUDY.replace('rule = "consensus"', 'rule = "agreement@1"\nfolds = 3')
    file = gates.make(tmp_path / "w", study=study)
    do("run", file, "--quiet")
    (file.parent / "gate.json").write_bytes((file.parent / "results" / "gate.json").read_bytes())
    again = study.replace('"agreement@1"\nfolds = 3', '"gate.json"\nalso = ["agreement@1"]\nfolds = 3')
    file.write_text(again, "utf-8")
    do("run", file, "--quiet")
    made = report(file)
    assert made["gate"]["chosen_here"]
    assert any(one["kind"] == "gate: chosen on these questions" for one in made["warnings"])
    names = [one["name"] for one in made["gate"]["rules"]]
    assert len(set(names)) == len(names)


def test_a_criterion_on_a_number_that_no_gate_reports_names_the_nearest(tmp_path):
    file = gates.make(tmp_path / "w", study=gates.STUDY.replace("gate.answered_precision", "gate.precision"))
    for words in (("run", file), ("study", "register", file)):
        made = do(*words)
        assert isinstance(made.exception, InputError)
        assert "gate.answered_precision" in made.exception.mend
    assert not (file.parent / "registration.json").exists()


def test_a_gate_by_grades_says_that_no_sample_of_people_corrects_them():
    from evenhand.study.gate.text import sentences

    rates = [
        {"name": name, "k": 1, "n": 2}
        for name in ("answered_precision", "answerable_coverage", "false_answer_rate")
    ]
    kinds = dict.fromkeys(("obsolete", "wrong_document", "clarify_answered", "abstain_answered"), 0)
    rule = {"name": "consensus", "how": "fixed", "rates": rates, "kinds": kinds}
    part = {"rules": [rule], "registered": None, "split": "dev", "of": ["a"], "failures": None}
    part |= {"costs": None, "promises": [], "sufficient": "units"}
    part["corpus"] = {"outdated_first": [{"system": "a", "k": 0, "n": 2}]}
    said = "they are its own, and no sample of people corrects these rates"
    assert said in sentences(part)[0]
    assert not any(said in one for one in sentences({**part, "sufficient": "evidence"}))
