"""A panel in a study: votes as they arrive, resumed, laid under evidence, never asked for money by a run."""

import json
from dataclasses import replace

import pytest
from tests.llm.asked import ASKED
from tests.llm.faulty import faulty
from tests.llm.faulty import says as replies
from tests.loopback import serving
from tests.miniature import make
from tests.study.panels import JUDGES, PANEL, SMALL, by_evidence, panelled, says

import evenhand as eh
from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.formats.labels.votes import read_votes
from evenhand.judge.panel.labels import qrel_labels
from evenhand.llm.providers.factory import chat_of
from evenhand.report.schema.whole_report import check
from evenhand.study.panel.ask import bench_of, is_local
from evenhand.study.panel.author_families import families_at_work
from evenhand.study.panel.items import items_of_plan


@pytest.fixture
def world(tmp_path):
    return panelled(tmp_path / "s", by_evidence)


def run(*arguments):
    return main(["judge", "panel", *map(str, arguments)])


def test_the_items_are_the_tops_of_the_systems_each_once_and_without_a_trace_of_them(world):
    file, items = world
    plan = eh.read_study(file)
    assert len(items) == len({shown.item for shown in items.shown}) > 30
    bench = bench_of(plan, file.parent)
    for shown in items.shown[:5]:
        made = bench.request(shown, items)
        data = json.dumps([[m.role, m.content] for m in made.messages] + [made.schema])
        for canary in ("bm25", "tfidf", "rank", "score", "similarity", shown.question, shown.item):
            assert canary not in data.replace("most frequent", "")
        assert f"of {items.lengths[shown.doc]}" in data
        assert made.task == shown.item
    assert bench.request(shown, items, repeat=2).task == f"{shown.item}/2"


def test_judge_panel_writes_votes_and_says_what_they_came_to(world, capsys):
    file, items = world
    assert run(file) == 0
    told = capsys.readouterr().out
    assert f"panel of 3 on {len(items)} items" in told
    assert "one and two: 100%" in told
    assert "the panel says yes of" in told
    votes = read_votes(file.parent / "votes.jsonl")
    assert len(votes) == 3 * len(items)
    assert {vote.judge for vote in votes} == set(JUDGES)
    assert [v.item for v in votes] == sorted(v.item for v in votes)
    before = (file.parent / "votes.jsonl").read_bytes()
    assert run(file, "--json") == 0
    again = json.loads(capsys.readouterr().out)
    assert again["spent"] == {}  # nothing was asked
    assert again["complete"]
    assert (file.parent / "votes.jsonl").read_bytes() == before


def test_a_reply_of_another_family_is_counted_and_named(tmp_path, capsys):
    def rule(judge, i, shown):
        made = {"text": by_evidence(judge, i, shown), "model": "gpt-5"}
        return {"reply": made | ({"model": "meta/llama-3.1-8b"} if judge == "one" and i < 2 else {})}

    panel = PANEL.replace('family = "one"', 'family = "gpt"')
    file, _ = panelled(tmp_path / "s", rule, panel=panel)
    assert run(file) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "2 × replies are of another model than the one that was asked: one was asked and" in told
    assert "meta/llama-3.1-8b answered" in told
    said = [vote.told.get("answered_by") for vote in read_votes(file.parent / "votes.jsonl")]
    assert said.count("meta/llama-3.1-8b") == 2
    assert len(said) - said.count(None) == 2


def test_another_models_name_is_told_where_no_family_is_known(tmp_path, capsys):
    def rule(judge, i, shown):
        name = "other-9" if judge == "one" and i < 2 else "judge-1"
        return {"reply": {"text": by_evidence(judge, i, shown), "model": name}}

    file, _ = panelled(tmp_path / "s", rule)
    assert run(file) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "replies of one judge name several models: one: judge-1" in told
    assert "other-9 (2)" in told
    assert "answered by" in told
    votes = read_votes(file.parent / "votes.jsonl")
    assert {vote.told["replied"] for vote in votes if vote.judge == "one"} == {"judge-1", "other-9"}
    report = eh.conduct(eh.read_study(file), file.parent).report
    assert any("other-9 (2)" in one["text"] for one in report["warnings"])


def test_the_votes_come_out_of_the_journal_when_their_file_is_lost(world, capsys):
    file, _ = world
    run(file)
    first = (file.parent / "votes.jsonl").read_bytes()
    (file.parent / "votes.jsonl").unlink()
    capsys.readouterr()
    assert run(file, "--json") == 0
    spent = json.loads(capsys.readouterr().out)["spent"]["one"]
    assert (spent["made"], spent["cached"] > 0) == (0, True)
    assert (file.parent / "votes.jsonl").read_bytes() == first


def test_a_run_uses_the_votes_and_lays_them_under_the_evidence(world):
    file, items = world
    outcome = eh.conduct(eh.read_study(file), file.parent)
    report = outcome.report
    check(report)
    assert not report["incomplete"]["state"]
    assert len(read_votes(file.parent / "votes.jsonl")) == 3 * len(items)  # recordings cost nothing
    (used,) = report["judgements"]["used"]
    assert used["labels"]["panel"] > 0
    assert used["labels"]["aligned"] > 0
    kinds = {one["kind"] for one in report["warnings"]}
    assert "panel alone" in kinds
    again = eh.conduct(eh.read_study(file), file.parent)
    assert again.text == outcome.text
    assert "votes" in again.fresh  # read anew
    assert "measurements" not in again.fresh


def test_grades_of_the_panel_are_those_of_qrels(tmp_path):
    """Yes is grade 2, no is what was said beside it; evidence stands before the panel."""

    def rule(judge, i, shown):
        return says("yes") if i % 2 else says("no", "1", "partial")

    file, items = panelled(tmp_path / "s", rule)
    outcome = eh.conduct(eh.read_study(file), file.parent)
    bench = bench_of(eh.read_study(file), file.parent)
    made = bench.decisions(bench.standing(bench.kept()).votes, items)
    grades = {label.item: label.grade for label in qrel_labels(made, bench.brief)}
    assert {grades[shown.item] for shown in items.shown[1::2]} == {2.0}
    assert {grades[shown.item] for shown in items.shown[0::2]} == {1.0}
    (used,) = outcome.report["judgements"]["used"]
    first = used["first_conflicts"][0]
    assert (first["human"], first["grade"]) == (None, first["aligned"])


def test_a_failed_call_is_a_vote_without_a_grade_and_can_be_asked_again(tmp_path, capsys):
    def rule(judge, i, shown):
        if judge == "two" and i == 3:
            return {"fault": "HTTP status 500"}
        if judge == "two" and i == 4:
            return "I would rather not say."
        return by_evidence(judge, i, shown)

    file, items = panelled(tmp_path / "s", rule)
    assert run(file, "--json") == 4
    told = json.loads(capsys.readouterr().out)
    two = told["judges"][1]
    assert two["outcomes"] == {"verdict": len(items) - 2, "unparsable": 1, "fault": 1}
    assert two["rate"]["of"] == len(items)
    assert two["rate"]["bound_low"] < two["rate"]["bound_high"]
    assert told["votes"] == {"asked": 3 * len(items), "there": 3 * len(items), "missing": 0, "failed": 1}
    assert {"failed calls", "no verdict"} <= {one["kind"] for one in told["warnings"]}

    outcome = eh.conduct(eh.read_study(file), file.parent)
    assert outcome.report["incomplete"]["votes_missing"] == 1
    check(outcome.report)
    assert "1 vote of the panel is missing" in outcome.page.read_text("utf-8")
    assert main(["run", str(file), "-q"]) == 4
    assert "mend: evenhand judge panel" in capsys.readouterr().err

    assert run(file) == 4  # a failure stands until it is asked for
    said = capsys.readouterr().out
    assert "--retry-failed" in said
    assert "! a call failed on its way (HTTP status 500): it is no verdict" in " ".join(said.split())
    assert "intervals: 95%, over questions (or clusters of them) resampled whole" in said


ENDPOINT = """\
[panel]
depth = 1
[panel.judge.one]
model = "openai-compatible:qwen-tiny"
base_url = "URL/v1"
key_env = ""
price = { input = 1.0, output = 1.0 }
[panel.judge.two]
model = "openai-compatible:llama-tiny"
base_url = "URL/v1"
key_env = ""
price = { input = 1.0, output = 1.0 }
"""


def replying(asked):
    content = says("no", mode="off-topic") if "crowns" not in json.dumps(asked) else says("yes")
    return (
        200,
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": asked["model"],
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
            ],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010},
        },
        {},
    )


@pytest.fixture
def paid(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as server:
        server.reply = replying
        yield make(tmp_path / "s", study=SMALL + ENDPOINT.replace("URL", server.url)), server


def test_a_study_run_never_asks_a_judge_that_could_cost_money(paid, capsys):
    file, server = paid
    assert main(["run", str(file), "-q"]) == 4
    assert server.seen == []
    assert "votes of the panel are missing" in capsys.readouterr().err
    assert main(["judge", "panel", str(file), "--estimate"]) == 0
    assert main(["judge", "panel", str(file), "--dry-run"]) == 0
    assert server.seen == []
    said = capsys.readouterr().out
    assert "Could this text alone answer the question?" in said


@pytest.mark.parametrize("look", ["--estimate", "--dry-run"])
def test_a_look_ahead_takes_nothing_in(world, look, capsys):
    assert run(world[0], look, "--collect", "out.jsonl") == 2
    assert f"{look} asks nothing and takes nothing in" in capsys.readouterr().err


def test_what_failed_and_has_no_vote_any_more_is_asked_by_the_next_run(paid, capsys):
    file, server = paid
    server.reply = lambda _asked: (401, {"error": {"message": "no such key"}}, {})
    assert main(["judge", "panel", str(file)]) == 4
    told = " ".join(capsys.readouterr().out.split())
    assert "calls failed on their way (HTTP status 401: no such key" in told
    server.reply = replying
    assert main(["judge", "panel", str(file)]) == 4  # its vote stands
    (file.parent / "votes.jsonl").unlink()
    assert main(["judge", "panel", str(file)]) == 0


def test_paid_judges_are_asked_once_and_a_budget_stops_cleanly(paid, capsys):
    file, server = paid
    assert run(file, "--budget", "0.03", "--json") == 4
    some = json.loads(capsys.readouterr().out)
    assert 0 < some["votes"]["there"] < some["votes"]["asked"]
    assert some["votes"]["missing"] > 0
    assert sum(spent["dollars"] for spent in some["spent"].values()) <= 0.03
    assert some["unasked"] == {"budget": some["votes"]["missing"]}
    # items that nobody was asked about stay in the panel's rate, without a grade and within its bounds
    decided, asked = some["decided"], some["votes"]["asked"] // 2
    assert decided["items"] == decided["rate"]["of"] == some["cohesion"]["items"] == asked
    assert decided["status"]["undecided"] == some["for_people"]["undecided"] == asked - decided["rate"]["n"]
    assert decided["rate"]["bound_high"] - decided["rate"]["bound_low"] == pytest.approx(
        (asked - decided["rate"]["n"]) / asked
    )
    left = 0.03 - sum(spent["dollars"] for spent in some["spent"].values())
    assert some["unasked_why"]["budget"].startswith(
        f"${left:.4f} of the $0.03 is left, and the next call might"
    )
    assert run(file, "--budget", "0") == 4
    told = capsys.readouterr()
    missing = some["votes"]["missing"]
    assert f"a budget of $0 lets only what costs nothing be asked: {missing} calls were not made" in told.out
    assert f"{file} --budget DOLLARS" in told.out
    assert "failed" not in told.err
    assert run(file, "--json") == 0
    rest = json.loads(capsys.readouterr().out)
    assert rest["complete"]
    assert len(server.seen) == rest["votes"]["asked"]  # nothing was asked twice
    assert {one["kind"] for one in rest["warnings"]} == {"few judges"}
    assert main(["run", str(file), "-q"]) == 0
    for _, asked, _ in server.seen:
        data = json.dumps(asked["messages"])
        for canary in ("bm25", "tfidf", "rank", "similarity", "score"):
            assert canary not in data


def test_a_batch_file_goes_out_and_its_replies_come_in_as_votes(paid, tmp_path, capsys):
    file, server = paid
    assert run(file, "--emit-batch", tmp_path / "out.jsonl") == 0
    told = capsys.readouterr().out
    assert f"→ {tmp_path / 'out-one.jsonl'}" in told
    assert server.seen == []
    for name in ("one", "two"):
        rows = [json.loads(line) for line in (tmp_path / f"out-{name}.jsonl").read_text().splitlines()]
        replies = [
            {
                "custom_id": row["custom_id"],
                "response": {"status_code": 200, "body": replying(row["body"])[1]},
                "error": None,
            }
            for row in rows
        ]
        (tmp_path / f"in-{name}.jsonl").write_text("\n".join(map(json.dumps, replies)) + "\n")
    assert run(file, "--emit-batch", tmp_path / "again.jsonl") == 2  # all is in a file already
    assert "nothing was written" in capsys.readouterr().err
    assert run(file, "--collect", tmp_path / "in-one.jsonl", "--json") == 4
    some = json.loads(capsys.readouterr().out)
    assert some["votes"]["there"] == some["votes"]["missing"] > 0
    assert run(file, "--collect", tmp_path / "in-two.jsonl", "--json") == 0
    assert json.loads(capsys.readouterr().out)["complete"]
    assert server.seen == []
    assert run(file, "--emit-batch", tmp_path / "x.jsonl", "--batch") == 2
    assert "goes alone" in capsys.readouterr().err


def test_two_panels_at_once_leave_each_vote_once(paid, capsys):
    from tests.llm.scheduling.test_two_processes import start

    from evenhand.formats.labels.votes import append_votes

    file, server = paid
    program = "import sys\nfrom evenhand.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    both = [start(program, "judge", "panel", file, "--json") for _ in range(2)]
    told = [json.loads(one.communicate(timeout=120)[0]) for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert all(one["complete"] for one in told)
    votes = file.parent / "votes.jsonl"
    lines = votes.read_text().splitlines()
    assert len(lines) == len(set(lines)) == len(server.seen) == told[0]["votes"]["asked"]
    whole = votes.read_bytes()
    append_votes(votes, read_votes(votes)[:5])  # as a second process does that took them from the journal
    assert run(file, "--json") == 0
    assert votes.read_bytes() == whole
    capsys.readouterr()


def test_repeats_measure_noise_and_are_no_further_votes(tmp_path, capsys):
    file, items = panelled(tmp_path / "s", by_evidence)
    for name in JUDGES:
        path = file.parent / "judges" / f"{name}.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        again = [{**row, "task": f"{row['task']}/1", "repeat": 1} for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows + again))
    assert run(file, "--repeats", "2", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["votes"]["asked"] == 6 * len(items)
    assert [row["again"] for row in told["judges"]] == [{"n": len(items), "same": len(items)}] * 3
    assert told["decided"]["items"] == len(items)
    assert run(file, "--json") == 0  # asked once again: the further votes are there, and none too many
    votes = json.loads(capsys.readouterr().out)["votes"]
    assert (votes["there"], votes["missing"]) == (votes["asked"], 0)
    outcome = eh.conduct(eh.read_study(file), file.parent)
    assert not outcome.report.get("incomplete", {}).get("votes_missing")
    assert run(file, "--repeats", "0") == 2


def test_what_people_have_to_decide_becomes_a_pool_that_says_nothing_of_votes(tmp_path, capsys):
    def rule(judge, i, shown):
        return {"fault": "reset"} if judge == "three" and i % 7 == 0 else by_evidence(judge, i, shown)

    file, _ = panelled(tmp_path / "s", rule)
    store = tmp_path / "s.sqlite"
    assert main(["store", "init", str(store)]) == 0
    capsys.readouterr()
    assert run(file, "--people", "open", "--store", store, "--json") == 4
    told = json.loads(capsys.readouterr().out)
    waits = told["for_people"]
    assert waits["split"] > 0
    assert waits["pool"]["items"] == waits["split"] + waits["undecided"]
    from evenhand.store.open import open_store

    kept = open_store(str(store))
    pool = kept.pool(waits["pool"]["seal"])
    assert len(pool) == waits["pool"]["items"]
    kept.close()
    # and a pool of a store can be judged by the panel: here what was judged already
    assert run(file, "--pool", "open", "--store", store, "--json") == 0
    assert json.loads(capsys.readouterr().out)["items"] == len(pool)


def test_votes_to_another_wording_or_of_another_model_do_not_count(world, capsys):
    file, items = world
    run(file)
    votes = file.parent / "votes.jsonl"
    prompt = json.loads(votes.read_text().splitlines()[0])["prompt"]
    votes.write_text(votes.read_text().replace(prompt, "f" * 64))
    (file.parent / ".evenhand").rename(file.parent / "gone")
    capsys.readouterr()
    assert run(file, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["votes"]["there"] == 3 * len(items)
    assert {"kind": "other prompt", "count": 3 * len(items)}.items() <= told["warnings"][0].items()
    assert len(read_votes(votes)) == 6 * len(items)  # nothing is thrown away


def test_one_model_under_two_names_is_no_second_judge(tmp_path):
    same = PANEL.replace("judges/two.jsonl", "judges/one.jsonl")
    file, _ = panelled(tmp_path / "s", by_evidence, panel=same)
    plan = eh.read_study(file)
    with pytest.raises(InputError, match="very same model as one"):
        bench_of(plan, file.parent)


def test_settings_of_a_judge_are_checked_where_they_stand(tmp_path, capsys):
    text = SMALL + '[panel.judge.one]\nmodel = "opnai:x"\n'
    file = make(tmp_path / "s", study=text)
    assert run(file) == 2
    told = capsys.readouterr().err
    assert "[panel.judge.one]" in told
    assert "did you mean 'openai'" in told


@pytest.mark.parametrize("section", ["panel", "answers.panel"])
def test_no_judge_is_called_as_all_of_them_together_are(tmp_path, section):
    more = PANEL if section == "panel" else '[answers]\nsystem = "bm25"\nmodel = "recorded:r.jsonl"\n'
    text = SMALL + more + f'[{section}.judge.panel]\nmodel = "openai:gpt-x"\n'
    file = make(tmp_path / "s", study=text)
    line = text[: text.index("judge.panel]")].count("\n") + 1
    with pytest.raises(InputError, match=r"'panel', expected another name") as wrong:
        eh.read_study(file)
    assert wrong.value.what.startswith(f"{file}:{line} [{section}.judge.panel]: ")
    assert wrong.value.mend == f"call it by its model: [{section}.judge.MODEL]"


def test_a_study_without_a_panel_or_a_threshold_says_what_to_add(tmp_path, capsys):
    file = make(tmp_path / "s", study=SMALL)
    assert run(file) == 2
    assert "add [panel.judge.NAME]" in capsys.readouterr().err
    file = make(tmp_path / "t", study=SMALL + PANEL.replace("depth = 2", 'of = "threshold"'))
    assert run(file) == 2
    told = capsys.readouterr().err
    assert "study.toml:" in told
    assert "[panel] of: the study has no [threshold]" in told


def test_who_made_what_is_told_by_family(tmp_path):
    study = SMALL.replace(
        "[measure]",
        '[system.dense]\nretriever = "dense"\nembedder = "openai"\n'
        'options = { model = "text-embedding-3" }\n[measure]',
    )
    file = make(tmp_path / "s", study=study)
    plan = eh.read_study(file)
    assert families_at_work(plan, None) == {"embedder of dense": "gpt"}


def test_votes_and_recordings_are_no_documents(tmp_path):
    file, items = panelled(tmp_path / "s", by_evidence)
    text = file.read_text().replace('path = "docs"', 'path = "."\nexclude = ["judges/who.txt"]')
    for moved in (file.parent / "docs").iterdir():
        moved.rename(file.parent / moved.name)
    (file.parent / "docs").rmdir()
    file.write_text(text)
    (file.parent / "votes.jsonl").write_text("")
    made = items_of_plan(eh.read_study(file), file.parent)
    assert {shown.doc for shown in made.shown} == {shown.doc for shown in items.shown}
    assert all(doc.endswith(".md") for doc in made.lengths)


def test_doors_that_cost_nothing():
    assert is_local("recorded:x.jsonl")
    assert is_local("command:judge.py")
    assert not is_local("ollama:qwen")
    assert not is_local("python:ours:Judge")


SERVED = """
[panel]
depth = 2
max_tokens = 64
[panel.judge.short]
model = "vllm:short"
base_url = "{url}"
family = "a"
"""


def at_least(tokens, seen):
    """A model that needs so many *tokens* for a verdict."""
    stop = "end" if seen.body["max_tokens"] >= tokens else "length"
    return replies(says("no", mode="off-topic"), stop=stop)


def test_another_limit_is_another_request_and_what_was_cut_off_alone_is_asked_anew(tmp_path, capsys):
    needs = {}

    def answer(seen):
        needs.setdefault(seen.prompt, 200 if len(needs) % 3 == 1 else 10)
        return at_least(needs[seen.prompt], seen)

    with faulty(answer) as server:
        file = make(tmp_path / "s", study=SMALL + SERVED.format(url=server.base_url))
        assert run(file) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert "raise max_tokens of [panel] or of the judge; they are asked anew" in told
        n = len(server.seen)
        votes = read_votes(file.parent / "votes.jsonl")
        cut = sum(vote.outcome == "cut-off" for vote in votes)
        assert (len(votes), cut > 5) == (n, True)
        assert run(file, "--retry-failed") == 0
        assert len(server.seen) == n  # the same limit: the same request
        file.write_text(file.read_text().replace('family = "a"', 'family = "a"\nmax_tokens = 300'))
        assert run(file) == 0
        assert [seen.body["max_tokens"] for seen in server.seen[n:]] == [300] * cut
        assert run(file) == 0
    assert len(server.seen) == n + cut
    plan = eh.read_study(file)
    bench = bench_of(plan, file.parent)
    assert {vote.outcome for vote in bench.standing(bench.kept()).votes} == {"verdict"}


def test_a_judge_whose_first_replies_are_all_cut_off_is_asked_no_more(tmp_path, capsys):
    with faulty(lambda seen: at_least(200, seen)) as server:
        served = SERVED.format(url=server.base_url).replace("depth = 2", "depth = 2\nconcurrency = 1")
        file = make(tmp_path / "s", study=SMALL + served)
        assert run(file) == 2
        told = " ".join(capsys.readouterr().err.split())
        assert "short: the first 5 replies were all cut off at 64 tokens" in told
        assert "raise max_tokens, of short or of the section that names it" in told
        assert 5 <= len(server.seen) < 20  # of many more: some are under way when the fifth comes
        assert len(read_votes(file.parent / "votes.jsonl")) == 5  # what came is kept
        file.write_text(file.read_text().replace("max_tokens = 64", "max_tokens = 256"))
        assert run(file) == 0
    assert {vote.outcome for vote in read_votes(file.parent / "votes.jsonl")} == {"verdict", "cut-off"}


def test_a_panel_without_any_verdict_does_not_end_well(tmp_path, capsys):
    file, _ = panelled(tmp_path / "s", lambda *_: {"reply": {"text": "", "stop": "length"}})
    assert run(file) == 4
    assert "no reply holds a verdict: nothing was judged" in capsys.readouterr().out


def test_a_model_that_thinks_has_room_for_it_and_its_temperature_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("K", "k" * 20)
    with faulty(replies(says("no", mode="off-topic"))) as server:
        served = SERVED.format(url=server.base_url).replace("max_tokens = 64\n", "")
        served = served.replace("vllm:short", "deepseek:deepseek-flash")
        file = make(tmp_path / "s", study=SMALL + served + 'key_env = "K"\n')
        assert run(file) == 0
        told = capsys.readouterr().out
    assert {seen.body["max_tokens"] for seen in server.seen} == {8192}
    assert not any("temperature" in seen.body for seen in server.seen)
    assert "a judge does not answer at temperature 0" in " ".join(told.split())
    plan = eh.read_study(file)
    calm = dict(plan.panel.judges[0].settings) | {"parameters": {"thinking": {"type": "disabled"}}}
    chat = chat_of("deepseek:deepseek-flash", calm)
    assert (chat.thinks, chat.written(ASKED)["temperature"]) == (False, 0.0)


def test_a_judge_that_never_can_tell_is_no_vote_and_is_warned_of(tmp_path, capsys):
    def rule(judge, i, shown):
        return says("cannot tell", mode="none") if judge == "two" else by_evidence(judge, i, shown)

    file, _ = panelled(tmp_path / "s", rule)
    assert run(file, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    (warning,) = (one for one in told["warnings"] if one["kind"] == "no vote")
    assert warning["text"].endswith("the panel has one fewer: two")
    file, _ = panelled(tmp_path / "t", lambda *_: says("cannot tell", mode="none"))
    assert run(file) == 4
    assert "no reply holds a verdict: nothing was judged" in capsys.readouterr().out


def test_questions_that_expect_no_answer_leave_the_pool_with_a_word(world, capsys):
    file, _ = world
    gone = len(eh.read_gold(file.parent / "gold.jsonl")) - 18
    assert run(file, "--estimate") == 0
    assert gone > 0
    assert f"{gone} questions that expect no answer (abstain" in " ".join(capsys.readouterr().out.split())
    assert main(["judge", "pool", str(file), "--dry-run"]) == 0
    assert f"{gone} questions that expect no answer" in capsys.readouterr().out


def test_a_study_asks_under_the_newest_prompt_unless_its_votes_or_its_plan_say_another(tmp_path):
    from evenhand.judge.panel.prompt import prompt_seal
    from evenhand.study.panel.ask import bench_of

    file, _ = panelled(tmp_path / "s", by_evidence)
    home = file.parent
    assert bench_of(eh.read_study(file), home).brief.prompt == "panel/3"
    old = prompt_seal(replace(bench_of(eh.read_study(file), home).brief, prompt="panel/1"))
    (home / "votes.jsonl").write_text(json.dumps({"prompt": old}) + "\n")
    assert bench_of(eh.read_study(file), home).brief.prompt == "panel/1"
    (home / "votes.jsonl").unlink()
    (home / "registration.json").write_text(json.dumps({"judges": {"prompt": old}}))
    assert bench_of(eh.read_study(file), home).prompt == old
    file.write_text(file.read_text().replace("[panel]", '[panel]\nprompt = "panel/2"', 1))
    assert bench_of(eh.read_study(file), home).brief.prompt == "panel/2"


def test_judges_of_a_study_are_shown_where_a_document_comes_from(tmp_path):
    from evenhand.study.panel.ask import bench_of
    from evenhand.study.panel.items import items_of_plan

    file, _ = panelled(tmp_path / "s", by_evidence)
    for doc in (file.parent / "docs").iterdir():
        text = doc.read_text()
        head = f"---\nsource: https://example.org/{doc.stem}\n"
        doc.write_text(
            head + text.removeprefix("---\n") if text.startswith("---\n") else head + "---\n" + text
        )
    plan = eh.read_study(file)
    items = items_of_plan(plan, file.parent)
    sent = bench_of(plan, file.parent).request(items.shown[0], items).messages[1].content
    assert f"address: https://example.org/{items.shown[0].doc.removesuffix('.md')}" in sent
