"""Generated answers in a study: recorded, brought, over HTTP, with every fault; what counts and what does not."""

import json
import sys
from importlib.util import find_spec
from typing import ClassVar

import pytest
from tests.llm.faulty import fails, faulty, says, too_many
from tests.loopback import serving
from tests.study.answering import TOPICS, answered, answers, by_rule, items, record

from evenhand.answer.diagnosis.evidence import NO_PASSAGES, NO_TEXT
from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.formats.answers.jsonl import read_answers
from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct
from evenhand.study.panel.author_families import families_at_work

ENDPOINT = '\nbase_url = "URL"\nkey_env = ""\ncall_timeout = 20.0\ntries = 2\n'


def run(file):
    return conduct(read_study(file), file.parent).report


def part_of(file):
    return run(file)["answers"]


def rates(part, which=0):
    return {one["check"]: (one["k"], one["n"]) for one in part["accounts"][which]["rates"]}


def cells(part):
    return {one["name"]: one["count"] for one in part["diagnosis"][0]["cells"]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The recorded study, run twice."""
    file = answered(tmp_path_factory.mktemp("answered") / "s", more="closed_book = true\n")
    record(file, by_rule)
    first = conduct(read_study(file), file.parent)
    return file, first, conduct(read_study(file), file.parent)


def test_a_run_asks_a_recording_itself_and_a_second_run_gives_the_same_bytes(made):
    file, first, second = made
    assert first.text == second.text
    part = first.report["answers"]
    assert (part["asked"], part["missing"], part["failed"], part["other"]) == (40, 0, 0, 0)
    assert first.report["incomplete"] == {"state": False, "not_run": [], **_none(first.report)}
    kept = read_answers(file.parent / "answers.jsonl")
    assert [one.topic for one in kept[:3]] == ["q00", "q01", "q02"]
    assert {one.system for one in kept} == {"writer", "writer (closed book)"}
    assert kept[20].passages == ()


def _none(report):
    return {key: 0 for key in report["incomplete"] if key not in ("state", "not_run")}


def test_rates_stand_beside_the_share_of_valid_topics(made):
    part = made[1].report["answers"]
    assert part["accounts"][0]["valid"]["k"] == part["accounts"][0]["valid"]["n"] == 20
    assert rates(part)["cites-retrieved"] == (20, 20)
    assert rates(part)["abstention"] == (18, 20)  # one should abstain, one ask back
    assert part["accounts"][1]["rates"] == []  # nothing is checked where no passage was given
    assert part["numbers"]["valid"]["point"] == 1.0
    assert part["numbers"]["numbers-grounded"]["n"] == 20


def test_the_diagnosis_knows_which_evidence_lay_below_what_was_given(made):
    part = made[1].report["answers"]
    assert cells(part) == {"working": 16, "generation": 0, "fragile": 0, "retrieval": 2, "undecided": 0}
    cases = {one["question"]: one for one in part["diagnosis"][0]["cases"]}
    assert cases["q05"]["cause"] == "all evidence was ranked, below what was given"
    assert cases["q05"]["rank"] > 3
    assert cases["q05"]["closed"] is False
    sufficient = {row["name"]: row for row in part["diagnosis"][0]["sufficient"]}
    assert {one["did"]: one["n"] for one in sufficient["sufficient"]["counts"]}["right"] == 16
    assert sufficient["no answer expected"]["n"] == 2
    slices = {(one["by"], one["value"]): one["n"] for one in part["diagnosis"][0]["slices"]}
    assert slices["tags", "multi-hop"] == 3
    assert sum(n for (by, _), n in slices.items() if by == "type") == 18


def test_each_item_says_what_was_looked_for_what_was_found_and_where(made):
    item = made[1].report["answers"]["items"][0]["item"]
    found = {one["check"]: one for one in item["findings"]}
    numbers = found["numbers-grounded"]
    assert numbers["passed"] is True
    assert numbers["sought"]
    place = numbers["places"][0]
    assert place["place"].startswith("passage ")
    assert place["words"] in numbers["sought"][0]


def test_results_hold_every_item_and_every_finding(made):
    results = made[0].parent / "results"
    assert (results / "items.csv").read_text("utf-8").startswith("system,topic,ask")
    lines = [json.loads(line) for line in (results / "findings.jsonl").read_text("utf-8").splitlines()]
    assert {one["check"] for one in lines} >= {"numbers-grounded", "abstention"}
    assert len(lines) == 20 * 7


def test_answers_over_wrong_evidence_that_are_right_are_fragile(tmp_path):
    """The writer knows the price of q05 by heart; the passages do not hold all of it."""
    file = answered(tmp_path / "s", more="closed_book = true\n")
    gold = [json.loads(line) for line in (file.parent / "gold.jsonl").read_text().splitlines()]
    by_heart = {row["id"]: " ".join(n["spans"][0]["quote"] for n in row["evidence"]) for row in gold}

    def knows(task, prompt):
        topic = task.split("/")[1]
        if topic == "q05":
            return json.dumps({"does": "answers", "answer": by_heart[topic], "citations": []})
        return by_rule(task, prompt)

    record(file, knows)
    part = part_of(file)
    assert cells(part)["fragile"] == 1
    fragile = next(one for one in part["diagnosis"][0]["cells"] if one["name"] == "fragile")
    assert fragile["causes"] == [{"cause": "the model knew it without any passage", "n": 1}]
    assert (fragile["closed"], fragile["closed_n"]) == (1, 1)
    assert any("fragile" in line and "knew 1 of 1" in line for line in part["sentences"])


def test_what_a_model_failed_counts_against_it_and_a_fault_can_be_run_again(tmp_path, capsys):
    file = answered(tmp_path / "s", more='also_called = ["right"]\n')
    ways = {
        "answer/q00": {"reply": {"text": "", "stop": "refused"}},
        "answer/q01": {"reply": {"text": '{"does"', "stop": "length"}},
        "answer/q02": {"reply": {"text": "I would say 30."}},
        "answer/q03": {"reply": {"text": json.dumps({"does": "answers", "answer": "x", "citations": []}), "model": "other"}},
        "answer/q04": {"fault": "connection reset"},
    }  # fmt: skip
    record(file, lambda task, prompt: ways.get(task) or by_rule(task, prompt))
    assert main(["run", str(file), "--quiet"]) == 4
    assert "1 answer is missing" in capsys.readouterr().err
    report = json.loads((file.parent / "results" / "report.json").read_text())
    account = report["answers"]["accounts"][0]
    assert account["states"] == {"made": 15, "refused": 2, "cut-off": 1, "invalid": 1, "fault": 1}
    assert (account["valid"]["k"], account["valid"]["n"]) == (15, 19)
    assert account["again"] == ["q04"]
    kinds = {one["kind"]: one["count"] for one in report["warnings"]}
    assert (kinds["fallback"], kinds["answers failed"]) == (1, 1)
    assert report["incomplete"]["answers_missing"] == 1
    wrong = {one["question"]: one for one in report["answers"]["diagnosis"][0]["cases"]}
    assert wrong["q00"]["did"] == "failed"
    assert wrong["q04"]["answer"] is None
    record(file, by_rule)  # another recording: another model, everything is asked anew
    assert main(["run", str(file), "--quiet"]) == 0


# --- over HTTP --------------------------------------------------------------------------------------------


def test_a_run_never_asks_an_endpoint_and_generate_asks_it_once(tmp_path, capsys):
    with faulty(lambda seen: says(answers(seen.prompt), model="writer-1")) as server:
        more = ENDPOINT.replace("URL", server.base_url)
        file = answered(tmp_path / "s", model="vllm:writer-1", more=more)
        assert main(["run", str(file), "--quiet"]) == 4
        assert "evenhand answers generate" in capsys.readouterr().err
        assert server.seen == []
        assert main(["answers", "generate", str(file), "--estimate"]) == 0
        assert main(["answers", "generate", str(file), "--dry-run"]) == 0
        assert server.seen == []
        assert main(["answers", "generate", str(file)]) == 0
        assert len(server.seen) == 20
        assert all(seen.body["temperature"] == 0 for seen in server.seen)
        assert main(["answers", "generate", str(file)]) == 0
        (file.parent / "answers.jsonl").unlink()  # what was paid for is in the journal
        assert main(["answers", "generate", str(file)]) == 0
        assert len(server.seen) == 20
        assert "20 from the journal" in capsys.readouterr().out
        assert main(["run", str(file), "--quiet"]) == 0
        assert len(server.seen) == 20
    sent = b"".join(seen.raw for seen in server.seen)
    assert b"bm25" not in sent
    assert b"score" not in sent


def test_faults_on_the_way_are_told_apart_from_faults_of_the_model(tmp_path, capsys):
    broken = {"on": True}

    def answer(seen):
        if "Number 3:" in seen.prompt and broken["on"]:
            return fails(401, "no such key")
        if "Number 5:" in seen.prompt:
            return says("", stop="refused")
        return says(
            answers(seen.prompt), model="writer-1-20260101" if "Number 7:" not in seen.prompt else "writer-2"
        )

    with faulty(answer) as server:
        more = ENDPOINT.replace("URL", server.base_url)
        file = answered(tmp_path / "s", model="vllm:writer-1", more=more)
        assert main(["answers", "generate", str(file), "--json"]) == 4
        told = json.loads(capsys.readouterr().out)
        assert told["failed"] == 1
        states = told["accounts"][0]["states"]
        assert states == {"made": 17, "refused": 2, "fault": 1}
        broken["on"] = False
        assert main(["answers", "generate", str(file)]) == 4  # a fault is not asked again unasked
        assert "--retry-failed" in capsys.readouterr().out
        before = len(server.seen)
        assert main(["answers", "generate", str(file), "--retry-failed", "--json"]) == 0
        assert len(server.seen) == before + 1
        assert json.loads(capsys.readouterr().out)["accounts"][0]["states"] == {"made": 18, "refused": 2}


def test_a_budget_that_is_used_up_leaves_the_rest_unasked(tmp_path, capsys):
    with faulty(lambda seen: says(answers(seen.prompt), model="writer-1", tokens=(1000, 1000))) as server:
        more = (
            ENDPOINT.replace("URL", server.base_url)
            + "price = { input = 100.0, output = 100.0 }\nconcurrency = 1\n"
        )
        file = answered(tmp_path / "s", model="vllm:writer-1", more=more)
        assert main(["answers", "generate", str(file), "--budget", "0.9", "--json"]) == 4
        told = json.loads(capsys.readouterr().out)
        assert 0 < told["spent"]["dollars"] <= 0.9
        assert told["missing"] == 20 - len(server.seen) > 0
        assert main(["answers", "generate", str(file), "--budget", "0", "--deadline", "60"]) == 4
        said = capsys.readouterr().out
        assert f"nothing be asked: {told['missing']} calls were not made" in said
        assert f"mend: evenhand answers generate {file} --budget DOLLARS --deadline 60\n" in said
        before = len(server.seen)
        assert main(["answers", "generate", str(file), "--budget", "0.9"]) == 4
        assert f"mend: evenhand answers generate {file} --budget 0.9\n" in capsys.readouterr().out
        assert len(server.seen) > before


def test_busy_endpoints_are_waited_for(tmp_path):
    with faulty(
        too_many(after=0.05), says(json.dumps({"does": "answers", "answer": "x", "citations": []}))
    ) as server:
        more = ENDPOINT.replace("URL", server.base_url)
        file = answered(tmp_path / "s", model="vllm:small-judge", more=more)
        assert main(["answers", "generate", str(file)]) == 0
        assert len(server.seen) == 21


# --- what is brought --------------------------------------------------------------------------------------

GUEST = """
def answer(question, passages):
    if "Number 2:" in question:
        raise RuntimeError("down " + __import__("os").environ.get("MY_API_KEY", "") + "\x1b[2J")
    if "Number 3:" in question:
        return None
    if "Number 4:" in question:
        return 7
    if "Number 5:" in question:
        return {"answer": "no idea", "abstained": True}
    return {"answer": passages[0]["text"][:40] + " [1]", "citations": ["1"]}

def alone(question):
    return {"answer": "21 crowns", "contexts": ["It costs 21 crowns.", {"text": "x", "doc": "alder.md", "start": 0, "end": 3}]}
"""


def brought(folder, source, more=""):
    file = answered(folder, more=more)
    file.write_text(file.read_text().replace('model = "recorded:replies.jsonl"', f'from = "{source}"'))
    (file.parent / f"guest_{folder.parent.name[-8:].replace('-', '_')}.py").write_text(GUEST)
    return file, f"guest_{folder.parent.name[-8:].replace('-', '_')}"


def test_a_function_is_asked_by_the_run_itself_and_what_it_raises_is_a_fault(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-verysecret-0123456789")
    file, module = brought(tmp_path / "s", "python:MODULE:answer")
    file.write_text(file.read_text().replace("MODULE", module))
    report = run(file)
    account = report["answers"]["accounts"][0]
    assert account["states"] == {"made": 17, "invalid": 1, "fault": 2}
    kept = {one.topic: one for one in read_answers(file.parent / "answers.jsonl")}
    assert kept["q02"].why.startswith("it raised RuntimeError: down … [2J (guest_")
    assert kept["q05"].items[0].abstained is True
    assert kept["q06"].passages[0].doc
    assert kept["q06"].items[0].citations[0].marker == "1"
    sys.modules.pop(module, None)


def test_a_function_may_bring_its_own_passages(tmp_path):
    file, module = brought(tmp_path / "s", "python:MODULE:alone")
    text = file.read_text().replace("MODULE", module).replace('system = "bm25"\n', "")
    file.write_text(text)
    part = part_of(file)
    kept = read_answers(file.parent / "answers.jsonl")
    assert [one.text for one in kept[0].passages] == ["It costs 21 crowns.", "x"]
    assert (kept[0].passages[1].doc, kept[0].passages[1].end) == ("alder.md", 3)
    assert part["diagnosis"][0]["rates"][1]["n"] == 18
    sys.modules.pop(module, None)


def test_an_address_is_asked_by_generate_alone(tmp_path, capsys):
    with serving() as server:
        server.reply = lambda asked: (200, {"answer": asked["passages"][0]["text"][:30]}, {})
        file, _ = brought(tmp_path / "s", server.url)
        assert main(["run", str(file), "--quiet"]) == 4
        assert server.seen == []
        assert main(["answers", "generate", str(file)]) == 0
        assert len(server.seen) == 20
        assert main(["run", str(file), "--quiet"]) == 0
        assert len(server.seen) == 20
    capsys.readouterr()


def test_a_file_of_answers_is_taken_in_and_gold_says_what_is_expected(tmp_path):
    file, _ = brought(tmp_path / "s", "mine.jsonl")
    rows = [
        {"topic": "q00", "ask": "?", "system": "theirs", "passages": [], "items": [{"kind": "answer", "text": "21"}], "expect": "abstain"},
        {"topic": "zz", "ask": "?", "system": "theirs", "passages": [], "items": []},
    ]  # fmt: skip
    (file.parent / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = run(file)
    part = report["answers"]
    assert (part["missing"], part["other"]) == (19, 1)
    assert part["items"][0]["expect"] == "answer"
    assert report["incomplete"]["answers_missing"] == 19
    assert {one["kind"] for one in report["warnings"]} >= {
        "answers missing",
        "other questions",
        "other words",
    }
    assert main(["answers", "generate", str(file)]) == 2
    (file.parent / "mine.jsonl").unlink()
    with pytest.raises(InputError, match="there is no file"):
        run(file)


def lines_of(file, *, ids=True, n=20, passages=(), text=None):
    """One answer to each of the first *n* gold questions, with ids or with the words of the question alone."""
    gold = [json.loads(line) for line in (file.parent / "gold.jsonl").read_text().splitlines()]
    rows = []
    for i, one in enumerate(gold[:n]):
        said = text or one.get("reference") or "The passages say 21."
        row = {"ask": one["text"], "system": "theirs", "passages": list(passages)}
        row |= {"topic": one["id"] if ids else f"row-{i}", "items": [{"kind": "answer", "text": said}]}
        rows.append(json.dumps(row) + "\n")
    return rows


def test_r16_answers_without_passages_say_nothing_of_retrieval(tmp_path, capsys):
    more = "[criteria]\nheld = { on = 'answers.passages', at_least = 0.5 }\n"
    file, _ = brought(tmp_path / "s", "mine.jsonl", more=more)
    (file.parent / "mine.jsonl").write_text("".join(lines_of(file, text="No idea whatever.")))
    report = run(file)
    (found,) = report["answers"]["diagnosis"]
    cells = {one["name"]: one for one in found["cells"]}
    assert {name: one["count"] for name, one in cells.items() if one["count"]} == {"undecided": found["n"]}
    assert found["retrieval_unknown"] == {NO_PASSAGES: found["n"]}
    rates = {one["name"]: one for one in found["rates"]}
    assert (rates["passages"]["k"], rates["passages"]["n"], rates["passages"]["point"]) == (0, 0, None)
    assert rates["passages"]["reason"] == f"retrieval is unknown for {found['n']} of {found['n']}"
    assert rates["answer_without_retrieval"]["n"] == 0
    assert {row["name"] for row in found["sufficient"] if row["n"]} == {"unknown", "no answer expected"}
    said = " ".join(report["answers"]["sentences"])
    assert f"Retrieval is unknown for {found['n']} of {found['n']}" in said
    assert "look at retrieval" not in said
    assert "0 of" not in said.split("whether the passages")[1]
    (row,) = report["criteria"]["rows"]
    assert row["verdict"] == "cannot be decided"
    page = (file.parent / "results/report.html").read_text()
    assert "Retrieval is unknown for" in page
    assert "look at retrieval first" not in page
    assert main(["answers", "diagnose", str(file)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "whether the passages held what is needed cannot be said" in shown
    assert "look at retrieval" not in shown


def test_passages_that_hold_the_evidence_say_so_whatever_others_lack(tmp_path):
    file, _ = brought(tmp_path / "s", "mine.jsonl")
    rows = [json.loads(line) for line in lines_of(file)]
    gold = [json.loads(line) for line in (file.parent / "gold.jsonl").read_text().splitlines()]
    words = " ".join(span["quote"] for one in gold[0]["evidence"] for span in one["spans"])
    rows[0]["passages"] = [{"unit": "a", "text": words}]
    rows[1]["passages"] = [{"unit": "a", "text": "nothing of it"}]
    rows[2]["passages"] = [{"unit": "a", "text": ""}]
    (file.parent / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = run(file)["answers"]["diagnosis"]
    rates = {one["name"]: one for one in found["rates"]}
    assert (rates["passages"]["k"], rates["passages"]["n"]) == (1, 2)
    assert found["retrieval_unknown"][NO_TEXT] == 1


def test_r18_answers_without_ids_are_matched_by_the_words_of_the_question(tmp_path):
    file, _ = brought(tmp_path / "s", "mine.jsonl")
    (file.parent / "mine.jsonl").write_text("".join(lines_of(file, ids=False)))
    report = run(file)
    part = report["answers"]
    assert (part["missing"], part["other"], part["reworded"]) == (0, 0, 0)
    assert [one["topic"] for one in part["items"]] == [f"q{i:02d}" for i in range(20)]
    assert not [one for one in report["warnings"] if "another prompt" in one["text"]]


def test_the_words_of_a_question_come_before_an_id_that_is_another_question_s(tmp_path):
    file, _ = brought(tmp_path / "s", "mine.jsonl")
    rows = [json.loads(line) for line in lines_of(file)]
    ids = [row["topic"] for row in rows]
    for row, topic in zip(rows, ids[::-1], strict=True):
        row["topic"] = topic
    (file.parent / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    part = run(file)["answers"]
    assert (part["missing"], part["other"]) == (0, 0)
    assert [(one["topic"], one["ask"]) for one in part["items"]] == [
        (topic, row["ask"]) for topic, row in zip(ids, rows, strict=True)
    ]


def test_words_of_two_questions_alike_are_refused_by_name(tmp_path):
    file, _ = brought(tmp_path / "s", "mine.jsonl")
    gold = (file.parent / "gold.jsonl").read_text().splitlines()
    first, second = json.loads(gold[0]), json.loads(gold[1])
    second["text"] = first["text"]
    (file.parent / "gold.jsonl").write_text("\n".join([gold[0], json.dumps(second), *gold[2:]]) + "\n")
    lines = lines_of(file, ids=False)
    (file.parent / "mine.jsonl").write_text(lines[0])
    with pytest.raises(InputError, match="words of q00, q01 alike"):
        run(file)
    (file.parent / "mine.jsonl").write_text("".join(lines_of(file)))
    assert run(file)["answers"]["missing"] == 0


@pytest.mark.parametrize("there", [0, 18, 20])
@pytest.mark.parametrize("command", ["run", "answers check", "answers diagnose", "answers generate"])
def test_every_mend_on_the_way_of_a_file_of_answers_leads_out(tmp_path, capsys, command, there):
    file, _ = brought(tmp_path / "s", "mine.jsonl")
    held = file.parent / "mine.jsonl"
    every = {json.loads(line)["topic"]: json.loads(line) for line in lines_of(file)}
    held.write_text(
        "".join(lines_of(file)[:there]) or json.dumps({"topic": "x", "ask": "x", "system": "theirs"})
    )
    if not there:
        held.write_text(held.read_text() + "\n")
    words = command.split()
    for _ in range(30):
        code = main([*words, str(file), *(["--quiet"] if words == ["run"] else [])])
        shown = capsys.readouterr()
        if "mend: " not in shown.out + shown.err:
            break
        told = (shown.out + shown.err).split("mend: ", 1)[1].split("\n")[0]
        assert "0 of 0 items" not in shown.out
        if "{" in told:
            line = json.loads(told[told.index("{") :])
            line["items"][0]["text"] = every[line["topic"]]["items"][0]["text"]
            with held.open("a") as out:
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
        else:
            assert told.startswith("evenhand "), told
            words = told.split()[1:-1]
    else:
        pytest.fail("the mends send one round in a circle")
    assert code == 0
    assert main(["run", str(file), "--quiet"]) == 0
    assert json.loads((file.parent / "results/report.json").read_text())["answers"]["missing"] == 0


# --- study items ------------------------------------------------------------------------------------------


def topical(folder, more=""):
    file = answered(folder, more=f'topics = "topics.toml"\nmultiple_choice = 1\nshort_answer = 1\n{more}')
    file.write_text(file.read_text().replace('name = "writer"', 'name = "writer"\nkind = "study-items"'))
    (file.parent / "topics.toml").write_text(TOPICS)
    return file


def test_items_are_written_on_topics_and_each_is_checked(tmp_path):
    file = topical(tmp_path / "s")
    record(file, by_rule)
    part = part_of(file)
    assert [one["topic"] for one in part["items"]] == ["ferries", "ferries", "lanterns", "lanterns"]
    assert rates(part)["options-distinct"] == (2, 2)
    assert rates(part)["key-valid"] == (2, 2)
    assert part["diagnosis"][0]["n"] == 4
    assert part["diagnosis"][0]["sufficient"] == []
    held = {one["question"]: one["retrieval"] for one in part["diagnosis"][0]["cases"]}
    assert held["lanterns"] is None  # nobody said which documents treat it
    assert held["ferries"] in (True, False)


def test_fewer_items_than_asked_for_are_warned_of_and_more_are_left_out(tmp_path):
    file = topical(tmp_path / "s")

    def rule(task, prompt):
        rows = json.loads(items(prompt))["items"]
        return json.dumps({"items": rows * 2 if task.endswith("ferries") else rows[:1]})

    record(file, rule)
    report = run(file)
    kinds = {one["kind"]: one["count"] for one in report["warnings"]}
    assert (kinds["items short"], kinds["items over"]) == (1, 2)


# --- claims -----------------------------------------------------------------------------------------------

CLAIMS = """
[answers.panel.judge.a]
model = "recorded:judge.jsonl"
family = "rule"
"""


def test_a_panel_bears_out_claims_and_they_are_taken_apart(tmp_path, capsys):
    from evenhand.study.generation.context import laid_answers

    file = answered(tmp_path / "s", more=CLAIMS)
    (file.parent / "judge.jsonl").write_text('{"task": "nobody", "reply": {"text": ""}}\n')
    record(file, by_rule)
    with laid_answers(read_study(file), file.parent) as laid:
        _, found = laid.claims()
    lines = []
    for shown in found.shown:
        plain = shown.ask.rstrip(".").strip()
        grade = "2" if plain and plain in shown.text else "0"
        told = {"evidence": [], "verdict": grade, "mode": "none" if grade == "2" else "silent"}
        lines.append(json.dumps({"task": shown.item, "reply": {"text": json.dumps(told)}}) + "\n")
    (file.parent / "judge.jsonl").write_text("".join(lines))
    part = part_of(file)
    claims = part["claims"]
    assert (claims["missing"], claims["failed"], claims["undecided"]) == (0, 0, 0)
    told = {one["name"]: one for one in claims["rates"]}
    assert told["faithfulness"]["point"] == 1.0
    assert told["hallucination"]["point"] == 0.0
    assert told["claim_precision"]["n"] == claims["answers"] == 18
    assert 0.8 < told["retrieved_recall"]["point"] < 1.0
    assert rates(part)["claims-borne-out"][1] == 20
    assert part["diagnosis"][0]["by"] == {"claims": 18}
    assert part["numbers"]["faithfulness"]["point"] == 1.0
    assert main(["answers", "check", str(file), "--ask-panel", "--estimate"]) == 0
    assert "every pair has its votes" in capsys.readouterr().out


class Believer:
    """A model of entailment that finds only what stands in the text, and counts how often it is asked."""

    asked: ClassVar[list[int]] = []
    seal = "0" * 64

    def __init__(self, model, label=""):
        self.model = model

    def __call__(self, pairs):
        self.asked.append(len(pairs))
        return [0.9 if claim.rstrip(".") in text else 0.1 for text, claim in pairs]


def test_a_model_of_entailment_bears_out_claims_and_is_asked_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("evenhand.study.generation.entailment.Entailment", Believer)
    file = answered(tmp_path / "s", more='entailment = "nli"\n')
    (file.parent / "nli").mkdir()
    record(file, by_rule)
    part = part_of(file)
    assert rates(part)["claims-borne-out"][1] == 20
    assert part["entailment"] == {"model": "nli", "at_least": 0.5}  # no path of this machine
    assert "a model of entailment (nli) from probability 0.5" in part["sentences"][-1]
    asked = len(Believer.asked)
    assert asked > 0
    again = part_of(file)
    assert again == part
    assert main(["answers", "check", str(file), "--only", "claims-borne-out"]) == 0
    assert "claims-borne-out" in capsys.readouterr().out
    assert len(Believer.asked) == asked


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra is installed")
def test_without_the_extra_a_model_of_entailment_is_refused_with_the_mend(tmp_path, capsys):
    file = answered(tmp_path / "s", more='entailment = "nli"\n')
    assert main(["answers", "check", str(file)]) == 2
    assert "evenhand[torch]" in capsys.readouterr().err


def test_votes_on_claims_that_are_missing_leave_a_study_incomplete(tmp_path, capsys):
    more = '\n[answers.panel.judge.a]\nmodel = "vllm:x"\nbase_url = "http://127.0.0.1:9/v1"\nkey_env = ""\n'
    file = answered(tmp_path / "s", more=more)
    record(file, by_rule)
    report = run(file)
    assert report["incomplete"]["answers_missing"] == report["answers"]["claims"]["missing"] > 20
    assert report["answers"]["claims"]["rates"][0]["point"] is None
    assert "judge of the same family" not in {one["kind"] for one in report["warnings"]}
    file.write_text(
        file.read_text().replace('name = "writer"', 'name = "writer"\nfamily = "x"') + 'family = "x"\n'
    )
    kin = next(one for one in run(file)["warnings"] if one["kind"] == "judge of the same family")
    assert kin["text"].endswith("(x): a")
    assert main(["answers", "check", str(file), "--ask-panel", "--estimate", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    twice = sum(one["twice"] for one in told["models"])  # one claim of two items, held against one text
    assert told["calls"] + twice == report["answers"]["claims"]["missing"]


# --- what is refused, sealed and known --------------------------------------------------------------------


def test_another_prompt_makes_old_answers_not_count_and_keeps_them(tmp_path):
    file = answered(tmp_path / "s")
    record(file, by_rule)
    run(file)
    file.write_text(file.read_text().replace("k = 3", "k = 2"))
    report = run(file)
    assert report["answers"]["other"] == 20
    assert len(read_answers(file.parent / "answers.jsonl")) == 40
    assert report["answers"]["missing"] == 0


def test_a_retriever_that_is_not_there_or_ranks_too_little_is_refused(tmp_path):
    file = answered(tmp_path / "s")
    plan = file.read_text()
    file.write_text(plan.replace("k = 3", "k = 30"))
    with pytest.raises(InputError, match="runs end at 20"):
        run(file)
    file.write_text(plan.replace('system = "bm25"', 'system = "bm26"'))
    with pytest.raises(InputError, match="there is no system 'bm26'"):
        run(file)


def test_criteria_speak_of_answers_and_the_plan_knows_the_generator(tmp_path):
    more = '\n[criteria]\nsound = { on = "answers.numbers-grounded", at_least = 0.5 }\nmost = { on = "answers.answer", at_least = 0.99 }\n'
    file = answered(tmp_path / "s", more=more)
    record(file, by_rule)
    made = {row["name"]: row["verdict"] for row in run(file)["criteria"]["rows"]}
    assert made == {"sound": "met", "most": "not met"}
    openai = answered(tmp_path / "t", model="openai:gpt-tiny")
    assert families_at_work(read_study(openai), None)["generator of the answers"] == "gpt"


def test_files_of_answers_are_no_documents(tmp_path):
    file = answered(tmp_path / "s", more='out = "docs/made.jsonl"\n')
    record(file, by_rule)
    (file.parent / "replies.jsonl").rename(file.parent / "docs" / "replies.jsonl")
    file.write_text(file.read_text().replace("recorded:replies.jsonl", "recorded:docs/replies.jsonl"))
    first = run(file)["corpus"]["documents"]
    assert (file.parent / "docs" / "made.jsonl").is_file()
    assert run(file)["corpus"]["documents"] == first == 12


def test_people_decide_what_is_right_and_stand_beside_the_checks(tmp_path):
    from evenhand.formats.labels.ratings import write_ratings
    from evenhand.model.answer import Rating

    file = answered(tmp_path / "s")
    record(file, by_rule)
    run(file)
    kept = read_answers(file.parent / "answers.jsonl")
    said = [
        Rating(
            item=one.items[0].id,
            rater="ann",
            given={"faithful": "yes", "correct": "no" if one.topic in ("q00", "q01") else "yes"},
            checks_shown_before_rating=one.topic == "q01",
        )
        for one in kept[:6]
    ]
    write_ratings(file.parent / "ratings.jsonl", said)
    part = part_of(file)
    cases = {one["question"]: one for one in part["diagnosis"][0]["cases"]}
    assert (cases["q00"]["by"], cases["q00"]["answer"]) == ("people", False)
    assert cases["q00"]["cause"] == "people called it wrong"
    assert cases["q01"]["by"] == "reference"  # rated after the checks were shown: it does not count
    assert part["diagnosis"][0]["by"] == {"people": 5, "reference": 13}
    assert part["rated"] == {"ratings": 6, "blind": 5, "raters": 1, "items": 5}
    assert "numbers_grounded_agreement" in part["numbers"]
    assert {row["check"] for row in part["agreement"]["checks"]} >= {"numbers-grounded"}
    page = (file.parent / "results" / "report.html").read_text("utf-8")
    assert "Checks beside people" in page
    assert (file.parent / "results" / "items.csv").read_text("utf-8").count("ann") == 6
    write_ratings(
        file.parent / "ratings.jsonl", [*said, Rating(item="gone", rater="ann", given={"faithful": "no"})]
    )
    report = run(file)
    assert report["answers"]["rated"] == part["rated"]
    (told,) = [one for one in report["warnings"] if "not here" in one["text"]]
    assert told["count"] == 1
