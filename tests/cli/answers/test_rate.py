"""``evenhand answers rate``, ``ratings`` and ``agree`` as somebody would use them, and models as raters."""

import json
import subprocess
import sys

import httpx
import pytest
from tests.front import evenhand
from tests.study.answering import answered, by_rule, record
from tests.web.house import client, post
from tests.web.rubric_house import rate, study_items

from evenhand.answer.rating.rater_queues import desks_of
from evenhand.cli.answers.rate import _called
from evenhand.formats.answers.jsonl import write_answers
from evenhand.formats.labels.ratings import read_ratings
from evenhand.store.open import open_store

JUDGE = """import json
print(json.dumps({"evidence": [], "verdict": "2", "mode": "none"}))
"""


@pytest.fixture
def folder(tmp_path):
    write_answers(tmp_path / "answers.jsonl", [study_items(f"t{i}") for i in range(4)])
    assert evenhand("store", "init", cwd=tmp_path).returncode == 0
    return tmp_path


def rated(folder, who="ann", field="faithful"):
    """Answer the field of every item at the desk: no on items that nothing bears out."""
    store = open_store(folder / "judgements.sqlite")
    (desk,) = desks_of(store, rater=who)
    browser, path = client(store, who), f"/rubric/{desk.id}"
    total = browser.get(f"{path}.json").json()["progress"]["total"]
    for i in range(total):
        (item,) = browser.get(f"{path}/items.json?at={i}").json()["items"]
        said = "no" if "90 days" in item["answer"] else "yes"
        assert post(
            browser, f"{path}/answers.json", {"answers": [rate(item["task"], field, said, token=f"t{i}")]}
        ).json()["results"][0]["saved"]
    store.close()
    return total


def test_from_a_file_of_answers_to_the_agreement_of_checks(folder):
    made = evenhand("answers", "rate", "answers.jsonl", "--rater", "ann", "--no-serve", cwd=folder)
    assert made.returncode == 0
    assert "12 items" in made.stdout
    assert "evenhand serve judgements.sqlite --invite ann" in made.stdout
    again = evenhand("answers", "rate", "answers", "--rater", "ann", "--no-serve", cwd=folder)
    assert again.returncode == 0
    assert rated(folder) == 12
    for out in ("ratings.jsonl", "ratings.csv"):
        told = evenhand("answers", "ratings", "--out", out, cwd=folder)
        assert "12 ratings by 1, 0 of them after the checks were shown" in told.stdout
        assert len(read_ratings(folder / out)) == 12
    by_file = evenhand("answers", "agree", "answers.jsonl", "--ratings", "ratings.csv", "--json", cwd=folder)
    by_store = evenhand(
        "answers", "agree", "answers.jsonl", "--store", "judgements.sqlite", "--json", cwd=folder
    )
    assert by_file.stdout == by_store.stdout
    numbers = json.loads(by_file.stdout)["numbers"]
    assert numbers["numbers_grounded_sensitivity"]["point"] == 1.0
    assert numbers["people_faithful"]["point"] == pytest.approx(8 / 12)
    shown = evenhand("answers", "agree", "answers.jsonl", "--ratings", "ratings.jsonl", cwd=folder)
    assert "numbers-grounded" in shown.stdout
    assert "100% of 4" in shown.stdout  # no share without its n
    assert "no skill" in shown.stdout
    assert "People rated 12 of 12 items blind" in shown.stdout
    exported = evenhand(
        "answers", "export", "answers.jsonl", "--ratings", "ratings.jsonl", "-o", "all.json", cwd=folder
    )
    assert exported.returncode == 0
    rows = json.loads((folder / "all.json").read_text())["ratings"]
    assert {row["checks_shown_before_rating"] for row in rows} == {False}


def test_a_file_without_a_generation_is_refused_and_packs_are_called_after_their_file(tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    told = evenhand("answers", "check", "empty.jsonl", cwd=tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    assert "empty.jsonl holds no generation" in told.stderr
    assert [_called(tmp_path / name) for name in ("a.toml", "b.jsonl")] == ["a", "b"]
    assert _called(tmp_path / "study.toml") == _called(tmp_path) == tmp_path.name


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rate", "answers.jsonl"), "nobody is to rate"),
        (("rate", "gone.jsonl", "--rater", "a"), "no file gone.jsonl"),
        (("rate", "answer", "--rater", "a"), "no pack"),
        (
            ("rate", "answers.jsonl", "--rater", "a", "--no-serve", "--order", "block"),
            "did you mean 'blocks'",
        ),
        (("rate", "answers.jsonl", "--rater", "a", "--no-serve", "--hide", "items"), "did you mean 'item'"),
        (("rate", "answers.jsonl", "--ask-panel"), "has no panel"),
        (("agree", "answers.jsonl"), "nobody has rated"),
    ],
)
def test_what_is_asked_wrongly_is_said_with_its_mend(folder, arguments, said):
    told = evenhand("answers", *arguments, cwd=folder)
    assert told.returncode == 2
    assert said in told.stderr
    assert "mend:" in told.stderr


def test_the_judges_of_a_study_rate_too_and_are_reported_by_agreement_alone(tmp_path):
    more = f'\n[answers.panel.judge.a]\nmodel = "command:{sys.executable} judge.py"\n'
    file = answered(tmp_path, more=more)
    record(file, by_rule)
    (file.parent / "judge.py").write_text(JUDGE)
    assert evenhand("store", "init", cwd=file.parent).returncode == 0
    where = ("--rater", "ann", "--no-serve")
    assert evenhand("answers", "rate", file.name, *where, cwd=file.parent).returncode == 0
    total = rated(file.parent)
    assert evenhand("answers", "ratings", cwd=file.parent).returncode == 0  # where [answers] ratings looks
    told = evenhand("answers", "rate", file.name, "--ask-panel", "--estimate", cwd=file.parent)
    assert told.returncode == 0
    assert "1 judge on" in told.stdout
    (file.parent / "judge.py").write_text("raise SystemExit('not today')")
    broken = evenhand("answers", "rate", file.name, "--ask-panel", "--budget", "1", cwd=file.parent)
    assert broken.returncode == 4
    assert f"\n  mend: evenhand answers rate {file.name} --budget 1 --ask-panel\n" in broken.stdout
    (file.parent / "judge.py").write_text(JUDGE)
    (file.parent / "answers.votes.faithful.jsonl").unlink()
    asked = evenhand("answers", "rate", file.name, "--ask-panel", cwd=file.parent)
    assert asked.returncode == 0, asked.stdout + asked.stderr
    made = json.loads(evenhand("answers", "agree", file.name, "--json", cwd=file.parent).stdout)
    assert [(one["rater"], one["by"]) for one in made["raters"]] == [("ann", "human"), ("a", "model")]
    (one,) = made["models"]
    votes = (file.parent / "answers.votes.faithful.jsonl").read_text().splitlines()
    assert (one["rater"], one["n"]) == ("a", len(votes))
    assert {json.loads(line)["grade"] for line in votes} == {2}
    assert one["kappa"]["degenerate"]
    assert made["rated"] == total


def test_a_run_takes_the_ratings_in_and_criteria_can_speak_of_them(tmp_path):
    file = answered(
        tmp_path, more='\n[criteria]\nfaithful = { on = "answers.people_faithful", at_least = 0.5 }\n'
    )
    record(file, by_rule)
    folder = file.parent
    assert evenhand("store", "init", cwd=folder).returncode == 0
    assert evenhand("answers", "rate", file.name, "--rater", "ann", "--no-serve", cwd=folder).returncode == 0
    rated(folder)
    assert evenhand("answers", "ratings", cwd=folder).returncode == 0
    assert evenhand("run", file.name, cwd=folder).returncode == 0
    report = json.loads((folder / "results" / "report.json").read_text())
    told = report["answers"]["agreement"]
    assert told["rated"] == report["answers"]["rated"]["blind"] > 0
    assert report["answers"]["numbers"]["people_faithful"]["point"] == 1.0
    page = (folder / "results" / "report.html").read_text()
    assert "Checks beside people" in page


def test_rating_serves_the_desk_and_prints_a_link_for_each_rater(folder):
    words = ("answers", "rate", "answers.jsonl", "--rater", "ann", "--rater", "ben", "--port", "0")
    process = subprocess.Popen(
        [sys.executable, "-m", "evenhand", *words], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        lines = [process.stdout.readline() for _ in range(4)]
        assert "12 items, 2 raters" in lines[0]
        links = {line.split()[0]: line.split()[-1] for line in lines[2:]}
        assert set(links) == {"ann", "ben"}
        with httpx.Client(follow_redirects=True) as browser:
            browser.get(links["ann"])
            at = links["ann"].partition("/j/")[0]
            (desk,) = browser.get(f"{at}/desks.json").json()["desks"]
            assert (desk["kind"], desk["total"]) == ("rubric", 12)
            assert "Rate what was generated" in browser.get(f"{at}{desk['at']}").text
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()
