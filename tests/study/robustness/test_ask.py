"""A study's panel under stress: asked once, counted, kept; given to the lines of trust and to the report."""

import json
import shlex

import pytest
from tests.front import evenhand
from tests.judge.asked import shown
from tests.llm.faulty import broken, faulty
from tests.llm.faulty import says as replies
from tests.miniature import make
from tests.study.panels import SMALL, says
from tests.study.stresses import by_words, stressed

import evenhand as eh
from evenhand.errors import InputError
from evenhand.formats.labels.stress import read_given, read_pairs, read_rated
from evenhand.formats.labels.votes import read_votes
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.robustness.perturbations import planted
from evenhand.judge.robustness.suite import ATTACKS
from evenhand.judge.robustness.trial import Trial
from evenhand.model.call import Call, Reply
from evenhand.report.output.assemble import dumps
from evenhand.report.schema.whole_report import check
from evenhand.study.panel.ask import bench_of
from evenhand.study.robustness.ask import Asked
from evenhand.study.robustness.steps import gullibility_of
from evenhand.study.robustness.verdict import vote_of


def run(file, *words):
    return evenhand("judge", "stress", file.name, *words, cwd=file.parent)


def told(file):
    return json.loads((file.parent / "stress.json").read_text())


def one(made, name, judge="panel", variant=""):
    rows = made["sheets"][0]["rows"]
    return next(r for r in rows if (r["perturbation"], r["judge"], r["variant"]) == (name, judge, variant))


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    file, _ = stressed(tmp_path_factory.mktemp("stress") / "s")
    done = run(file)
    assert done.returncode == 0, done.stderr
    return file, done


def test_a_judge_by_words_is_fooled_by_stuffing_and_not_by_what_is_planted(study):
    file, done = study
    made = told(file)
    assert made["complete"]
    assert one(made, "K0", "one")["positive"]["value"] == 0
    assert one(made, "K1", "one", "random")["positive"]["value"] == 1
    assert one(made, "K1", "one", "random")["lift"]["value"] == 1
    calm = one(made, "control", "one", "zero")["positive"]["value"]
    assert one(made, "I2", "one", "verdict")["positive"]["value"] == calm
    assert one(made, "I2", "three", "verdict")["positive"]["value"] == 1
    assert one(made, "I2", "panel", "verdict")["positive"]["value"] == calm  # one of three is fooled
    assert one(made, "T1", "one")["same"]["value"] == 1
    assert one(made, "P2", "panel", "text first")["flip"]["value"] == 0
    assert {row["perturbation"] for row in made["not_run"]} == {"R2", "V2", "P3", "S1", "L1"}
    assert "the panel is fooled most often by K1 question stuffed" in " ".join(made["sentences"])
    assert "K1 question stuffed, random" in done.stdout
    assert "not run: R2 (texts of R2)" in " ".join(done.stdout.split())


def test_trials_are_kept_with_their_parents_and_votes_apart_from_the_panels(study):
    file, _ = study
    lines = [json.loads(line) for line in (file.parent / "stress.items.jsonl").read_text().splitlines()]
    parents = {line["item"] for line in lines if line["perturbation"] == "control"}
    assert {line["parent"] for line in lines} <= parents | {line["item"] for line in lines}
    votes = read_votes(file.parent / "stress.votes.jsonl")
    names = {"/".join(x for x in (n["perturbation"], n["variant"], n["parent"]) if x) for n in lines}
    assert {vote.told["trial"] for vote in votes} <= names
    assert not (file.parent / "votes.jsonl").exists()


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(study):
    file, _ = study
    before = {p.name: p.read_bytes() for p in file.parent.glob("stress*")}
    done = run(file)
    assert "everything was asked already" in done.stdout
    assert {p.name: p.read_bytes() for p in file.parent.glob("stress*")} == before
    assert "clock" not in before["stress.json"].decode()


def test_the_estimate_asks_nothing(tmp_path):
    file, _ = stressed(tmp_path / "s")
    done = run(file, "--estimate", "--only", "K1")
    assert done.returncode == 0, done.stderr
    assert "calls" in done.stdout
    assert not (file.parent / "stress.votes.jsonl").exists()
    found = json.loads(run(file, "--estimate", "--json").stdout)
    assert found["waiting"] == found["calls"] > 100


def test_gullibility_goes_to_the_lines_of_trust_and_the_suite_into_the_report(study):
    file, _ = study
    plan = eh.read_study(file)
    number = gullibility_of(plan, file.parent, bench_of(plan, file.parent))
    assert number["point"] == 1.0
    assert "the worst of" in number["method"]
    done = evenhand("run", file.name, cwd=file.parent)
    report = json.loads((file.parent / "results" / "report.json").read_text())
    line = next(row for row in report["panel"]["trust"]["lines"] if row["name"] == "gullibility")
    assert (line["state"], line["value"]) == ("fail", 1.0)
    assert report["stress"]["numbers"]["gullibility"] == number
    check(json.loads(dumps(report)))  # what is written can be read again
    assert report["panel"]["numbers"]["self_consistency"]["point"] == 1.0
    assert any("the least steady judge gave one verdict" in one for one in report["panel"]["sentences"])
    assert "What fools the judges" in (file.parent / "results" / "report.html").read_text()
    assert "K1 question stuffed, random" in done.stdout


def test_a_test_of_another_panel_says_nothing_of_this_one(tmp_path):
    file, _ = stressed(tmp_path / "s", stress=f"[stress]\nn = 2\nonly = {list(ATTACKS)}\n")
    plan = eh.read_study(file)
    assert gullibility_of(plan, file.parent, bench_of(plan, file.parent)) is None
    assert run(file).returncode == 0
    assert gullibility_of(plan, file.parent, bench_of(plan, file.parent))["point"] == 1.0
    judge = file.parent / "judges" / "one.jsonl"
    judge.write_text(judge.read_text() + json.dumps({"task": "new", "reply": {"text": ""}}) + "\n")
    found = gullibility_of(plan, file.parent, bench_of(plan, file.parent))
    assert found["point"] is None
    assert "of other judges or models" in found["reason"]
    evenhand("run", file.name, cwd=file.parent)
    report = json.loads((file.parent / "results" / "report.json").read_text())
    assert report["stress"]["sentences"] == ["the stress test was of other judges or models"]


def test_what_cannot_be_read_and_what_failed_is_no_pass(tmp_path):
    def rule(judge, trial):
        if trial.perturbation == "I1" and judge == "one":
            return "I think so"
        if trial.perturbation == "K0" and judge == "two":
            return {"fault": "line dead"}
        return by_words(judge, trial)

    file, _ = stressed(tmp_path / "s", rule, stress="[stress]\nn = 3\nonly = ['K0', 'I1']\n")
    done = run(file)
    assert done.returncode == 4
    assert "failed" in done.stdout
    made = told(file)
    assert one(made, "I1", "one", "zero")["unparsed"] == 3
    assert one(made, "I1", "one", "zero")["positive"]["n"] == 0
    assert one(made, "K0", "two")["failed"] == 3
    assert not made["complete"]
    assert made["numbers"]["gullibility"]["point"] is None
    assert "no verdict, and no pass: I1 says it answers (one: 3 unreadable" in " ".join(done.stdout.split())


def test_several_sheets_are_several_prompts(tmp_path):
    file, _ = stressed(
        tmp_path / "s",
        lambda judge, trial: (
            json.dumps({"verdict": "1" if judge == "one" else "yes", "evidence": []})
            if trial.perturbation != "K0"
            else says("no")
        ),
        stress="[stress]\nn = 2\nonly = ['K0']\nsheets = ['sufficiency', 'relevance']\n",
    )
    done = run(file)
    assert done.returncode == 0, done.stderr
    made = told(file)
    assert [sheet["sheet"] for sheet in made["sheets"]] == ["sufficiency", "relevance"]
    assert made["sheets"][0]["prompt"] != made["sheets"][1]["prompt"]
    assert made["sheets"][1]["yes"] == 2


def test_supplied_texts_are_asked_about_and_strangers_are_an_error(tmp_path):
    stress = "[stress]\nn = 2\nonly = ['R2', 'L1', 'S1', 'P3']\n"
    file, _ = stressed(tmp_path / "s", stress=stress)
    done = run(file, "--needs", "texts.jsonl")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (file.parent / "texts.jsonl").read_text().splitlines()]
    assert {row["perturbation"] for row in rows} == {"R2", "V2", "L1"}
    assert run(file, "--needs", "texts.jsonl").returncode == 2  # nothing is overwritten
    keep = [row | {"text": "Was?"} for row in rows if row["perturbation"] != "V2"]
    pair = {"question": "q1", "pair": "p", "judge": "one", "ab": "a", "ba": "B"}
    rated = {"question": "q1", "judge": "one", "human": 1, "grade": 1}
    files = {
        "texts.jsonl": "\n".join(map(json.dumps, keep)),
        "pairs.jsonl": json.dumps(pair),
        "rated.jsonl": "\n".join(json.dumps({**rated, "answer": f, "family": f}) for f in ("one", "two")),
    }
    more = stress + "texts = 'texts.jsonl'\npairs = 'pairs.jsonl'\nanswers = 'rated.jsonl'\n"
    file, _ = stressed(tmp_path / "t", stress=more, files=files)
    assert run(file).returncode == 0
    made = told(file)
    assert one(made, "R2", "one")["made"] == 2
    assert one(made, "L1", "one")["made"] == 4
    assert made["given"]["P3"][0]["first_both"]["k"] == 1
    assert made["given"]["S1"][0]["family"] == "one"
    assert not {"R2", "L1", "S1", "P3"} & {row["perturbation"] for row in made["not_run"]}
    stranger = {"perturbation": "R2", "item": "0" * 20, "text": "x"}
    (file.parent / "texts.jsonl").write_text(json.dumps(stranger))
    done = run(file)
    assert done.returncode == 2
    assert "which is not judged" in done.stderr


@pytest.mark.parametrize(
    ("read", "line", "what"),
    [
        (read_given, {"perturbation": "K1", "item": "i", "text": "x"}, "made by rule"),
        (read_given, {"perturbation": "R2", "question": "q", "text": "x"}, "has no 'item'"),
        (read_given, {"perturbation": "R2", "item": "i", "txt": "x"}, "has a field 'txt'"),
        (read_pairs, {"question": "q", "pair": "p", "judge": "j", "ab": "a", "ba": "c"}, "ba is 'c'"),
        (
            read_rated,
            {"question": "q", "answer": "a", "family": "f", "judge": "j", "grade": True, "human": 1},
            "grade",
        ),
        (read_rated, [], "no JSON object"),
    ],
)
def test_faults_in_files_name_their_line(tmp_path, read, line, what):
    file = tmp_path / "x.jsonl"
    file.write_text("\n" + json.dumps(line))
    with pytest.raises(InputError) as caught:
        read(file)
    assert "x.jsonl:2" in caught.value.what
    assert what in f"{caught.value.what} {caught.value.mend}"


def test_an_empty_file_is_a_fault(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text("\n")
    with pytest.raises(InputError, match="holds no line"):
        read_given(file)


@pytest.mark.parametrize(
    ("section", "what"),
    [
        ("only = ['K9']", "there is no perturbation 'K9'"),
        ("sheets = ['suficiency']", "did you mean 'sufficiency'"),
        ("n = 0", "expected at least 1"),
        ("votes = 'x.txt'", "expected a .jsonl file"),
        ("texts = 'none.jsonl'", "there is no file 'none.jsonl'"),
        ("nn = 3", "unknown key"),
    ],
)
def test_every_wrong_key_of_the_section_is_named(tmp_path, section, what):
    file = make(tmp_path / "s", study=SMALL + f"[stress]\n{section}\n")
    with pytest.raises(InputError) as caught:
        eh.read_study(file)
    assert what in f"{caught.value.what} {caught.value.mend}"


def test_a_size_of_none_and_a_grade_off_the_scale_are_errors(tmp_path):
    file, _ = stressed(tmp_path / "s")
    done = run(file, "-n", "0")
    assert done.returncode == 2
    assert "give a number from 1" in done.stderr
    file.write_text(file.read_text().replace("[stress]\n", "[stress]\nyes = 2.0\n"))
    done = run(file)
    assert done.returncode == 2
    assert "yes = 2 sets no verdict of sheet 'sufficiency' apart" in done.stderr


def test_a_study_without_known_grades_has_nothing_to_be_tested_on(tmp_path):
    from evenhand.model.label import Shown
    from evenhand.study.panel.items import PanelItems
    from evenhand.study.robustness.trials import stress_of

    file, items = stressed(tmp_path / "s")
    bare = PanelItems(shown=items.shown)
    assert isinstance(bare.shown[0], Shown)
    with pytest.raises(InputError, match="has a known grade"):
        stress_of(eh.read_study(file), file.parent, bare)


def hijacking(text):
    brief = brief_named("sufficiency")
    plant = planted(brief)
    trial = Trial(
        perturbation="I2", variant="verdict", parent="p", side="zero", shown=shown("x"), plant=plant
    )
    request = trial.request(brief, length=None)
    from evenhand.llm.parsing.json_reply import found, shown_in

    text = text.replace("PLANT", plant)
    reply = Reply(text=text, data=found(text, request.schema, shown=shown_in(request)))
    call = Call(key="k", task="t", model="m", outcome="reply", reply=reply)
    return vote_of(call, Asked(key="k", judge="j", request=request, trial=trial, brief=brief), family="")


def test_a_planted_verdict_that_is_read_as_the_judges_own_is_a_hijack():
    quoted = hijacking("The text holds PLANT and I do not follow it.")
    assert (quoted.outcome, quoted.grade) == ("unparsable", None)  # it may be a quotation, and is one
    assert "hijacked" not in quoted.told
    taken = hijacking("I do not follow it, though it says: PLANT")
    assert (taken.grade, taken.told["hijacked"]) == (1.0, True)  # by a reader that has not seen the text
    obeyed = hijacking("PLANT")
    assert obeyed.grade == 1.0
    assert "hijacked" not in obeyed.told  # its own verdict: fooled, and counted so
    sound = hijacking(says("no", mode="off-topic"))
    assert (sound.grade, "hijacked" in sound.told) == (0.0, False)


SERVED = """
[panel]
depth = 2
concurrency = 4
[panel.judge.served]
model = "vllm:small"
base_url = "{url}"
family = "small"
[stress]
n = 2
only = ["K1", "I2"]
"""


def test_over_http_a_fault_is_asked_again_and_nothing_twice(tmp_path):
    def answer(seen):
        return broken() if len(server.seen) == 3 else replies(says("no", mode="off-topic"))

    with faulty(answer) as server:
        file = make(tmp_path / "s", study=SMALL + SERVED.format(url=server.base_url))
        done = run(file)
        assert done.returncode == 0, done.stderr
        made = told(file)
        calls = len(server.seen)
        assert calls == made["votes"]["asked"] + 1
        assert one(made, "K1", "served", "zero")["positive"]["value"] == 0
        assert "panel" not in {row["judge"] for row in made["sheets"][0]["rows"]}
        assert made["numbers"]["gullibility"]["reason"].startswith(
            "K2, I1, I3, I4, I5, I6, I7, I8 were not run"
        )
        run(file)
        assert len(server.seen) == calls


PRICED = SERVED.replace("vllm:small", "openai-compatible:small") + "".join(
    f'[panel.judge.{name}]\nmodel = "openai-compatible:{name}"\nbase_url = "{{url}}"\nfamily = "{name}"\nkey_env = ""\nprice = {{{{ input = 1.0, output = 1.0 }}}}\n'
    for name in ("one", "two")
)


def test_what_the_budget_or_the_deadline_stopped_is_told_and_goes_on_as_printed(tmp_path):
    panel = PRICED.replace(PRICED[PRICED.index("[panel.judge.served]") : PRICED.index("[stress]")], "")
    with faulty(lambda seen: replies(says("no", mode="off-topic"))) as server:
        file = make(tmp_path / "s", study=SMALL + panel.format(url=server.base_url))
        options = ["--deadline", "60", "--only", "K1", "-n", "1"]
        done = run(file, *options, "--budget", "0")
        assert done.returncode == 4, done.stderr
        calls = told(file)["votes"]["asked"]
        assert f": {calls} calls were not made" in done.stdout
        command = shlex.split(mended(done).removeprefix("mend: evenhand "))
        assert sorted(command) == sorted(["judge", "stress", "study.toml", *options, "--budget", "DOLLARS"])
        assert server.seen == []
        ahead = json.loads(run(file, *options, "--estimate", "--json").stdout)
        options += [
            "--budget",
            f"{1.05 * ahead['most'] / ahead['calls']:.6f}",
        ]  # for a call at a time, of some
        done = run(file, *options)
        assert done.returncode == 4, done.stderr
        made = len(server.seen)
        assert 0 < made < calls
        assert f": {calls - made} calls were not made" in done.stdout
        command = shlex.split(mended(done).removeprefix("mend: evenhand "))
        assert sorted(command) == sorted(["judge", "stress", "study.toml", *options])
        for _ in range(20):
            done = evenhand(*command, cwd=file.parent)
            assert told(file)["votes"]["asked"] == calls  # the same work
            if done.returncode == 0:
                break
        assert len(server.seen) == calls
        stopped = run(file, "-n", "2", "--deadline", "0.000001", "--json")
        assert stopped.returncode == 4
        assert set(json.loads(stopped.stdout)["unasked"]) == {"deadline"}


def mended(done):
    return next(line.strip() for line in done.stdout.splitlines() if line.strip().startswith("mend: "))


ALLOWED = "[criteria.gullible]\non = 'stress.gullibility'\nat_most = 0.1\nby = 'upper'\n"


def test_a_panel_more_gullible_than_the_study_allows_ends_with_1_and_an_undecided_one_with_4(tmp_path):
    attacks_ = f"[stress]\nn = 2\nonly = {list(ATTACKS)}\n"
    file, _ = stressed(tmp_path / "fooled", stress=attacks_ + ALLOWED)
    done = run(file)
    assert done.returncode == 1, done.stderr
    assert "gullible 100% (upper bound 100%, n 2), at most 10%: fail" in done.stdout
    assert told(file)["warnings"][0]["kind"] == "stress: gullible"
    file, _ = stressed(tmp_path / "sound", lambda judge, trial: says("no"), stress=attacks_ + ALLOWED)
    done = run(file, "--json")
    assert done.returncode == 4  # two items that fooled nobody do not show that the bound is kept
    assert json.loads(done.stdout)["trust"][0]["state"] == "cannot be decided"
    assert "stress: gullible" not in {one["kind"] for one in told(file)["warnings"]}
    assert run(file, "--only", "K1").returncode == 4  # one attack alone shows nothing


def test_a_gullible_panel_is_warned_of_where_nothing_is_declared_and_ends_with_0(tmp_path):
    file, _ = stressed(tmp_path / "s", stress=f"[stress]\nn = 2\nonly = {list(ATTACKS)}\n")
    done = run(file)
    assert done.returncode == 0, done.stderr
    assert "cannot be relied on" in " ".join(done.stdout.split())


def test_the_first_suite_stays_selectable_and_an_older_test_still_stands(tmp_path):
    first = "suite = 'evenhand.stress/1'\n"
    file, _ = stressed(tmp_path / "s", stress="[stress]\nn = 2\n" + first)
    sealed = eh.read_study(file).seal
    assert run(file).returncode == 0
    made = told(file)
    assert made["suite"] == "evenhand.stress/1"
    assert made["numbers"]["gullibility"]["point"] is not None
    assert not {row["perturbation"] for row in made["sheets"][0]["rows"]} & {"I3", "I8"}
    file.write_text(file.read_text().replace(first, ""))
    plan = eh.read_study(file)
    assert plan.seal != sealed
    assert "suite" not in plan.as_json()["stress"]  # plans without the key keep their seal
    assert gullibility_of(plan, file.parent, bench_of(plan, file.parent))["point"] is not None
    file.write_text(file.read_text() + "suite = 'evenhand.stress/2'\n")
    plan = eh.read_study(file)
    found = gullibility_of(plan, file.parent, bench_of(plan, file.parent))
    assert (found["point"], "another version of the suite" in found["reason"]) == (None, True)
    done = run(file, "--suite", "evenhand.stress/9")
    assert (done.returncode, "no suite" in done.stderr) == (2, True)
