"""A panel asked in batches: within a budget, out of files that come in parts, and nothing paid for twice."""

import json
import re
import shlex
import sys

import pytest
from tests.llm.batching import batching
from tests.miniature import make
from tests.study.panels import SMALL, says

from evenhand.cli.main import main
from evenhand.llm.batch.batches import Batches
from evenhand.store.calls.journal import Calls

PANEL = """\
[panel]
depth = 1
"""
ASKED = """\
[panel.judge.{name}]
model = "openai-compatible:{name}-tiny"
family = "{name}"
base_url = "URL/v1"
key_env = ""
"""
PRICE = "price = {{ input = 1.0, output = 1.0 }}\n"
PROGRAM = """\
[panel.judge.prog]
model = "command:{python} judge.py"
family = "prog"
"""
JUDGE = """\
import json, sys

for line in sys.stdin:
    print(json.dumps({"text": json.dumps({"evidence": [], "contribution": "0", "verdict": "no", "mode": "off-topic"})}))
    sys.stdout.flush()
"""


@pytest.fixture
def shop(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with batching() as made:
        made.text = says("no", mode="off-topic")
        yield made


@pytest.fixture
def study(tmp_path, shop, monkeypatch):
    """Make a study of these judges in a folder whose name has a blank, and go where it lies."""

    def build(*judges, price=PRICE, program=False):
        text = PANEL + "".join((ASKED + price).format(name=name) for name in judges)
        text += PROGRAM.format(python=sys.executable) if program else ""
        file = make(tmp_path / "my study", study=SMALL + text.replace("URL", shop.url))
        (file.parent / "judge.py").write_text(JUDGE)
        monkeypatch.chdir(tmp_path)
        return file

    return build


def run(file, *arguments):
    return main(["judge", "panel", *map(str, (file, *arguments))])


@pytest.fixture
def said(capsys):
    return lambda: capsys.readouterr().out


def commands(text):
    """Every command that goes on with the work, as its words; what a person has to fill in is in capitals."""
    return [
        shlex.split(line.split(": evenhand ")[1])
        for line in text.splitlines()
        if ": evenhand judge panel" in line and "--people" not in line
    ]


def replied(shop, path, to, lines=None):
    """What a runner makes of an emitted file, or of some lines of it."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    body = {
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": shop.text}}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 30, "total_tokens": 530},
    }  # fmt: skip
    made = [
        json.dumps(
            {"custom_id": row["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
        )
        for row in rows[lines or slice(None)]
    ]
    to.write_text("\n".join(made) + "\n")
    return to


def votes(file):
    path = file.parent / "votes.jsonl"
    return len(path.read_text().splitlines()) if path.exists() else 0


# a budget


def test_a_batch_is_handed_in_as_far_as_the_budget_bears(study, shop, said):
    file = study("one", "two")
    assert run(file, "--batch", "--budget", "0") == 4
    told = said()
    assert shop.batches == {}
    assert "are held back: the next may come to $" in told
    assert "the budget is used up" in told
    assert commands(told)[0][2:] == [str(file), "--budget", "DOLLARS", "--batch"]
    assert run(file, "--batch", "--budget", "0.02", "--json") == 4
    some = json.loads(said())
    handed = len(shop.asked)
    assert 0 < handed < some["votes"]["asked"]
    assert some["unasked"] == {"budget": some["votes"]["asked"] - handed}
    assert sum(part["requests"] for part in some["in_batches"]) == handed
    assert run(file, "--batch", "--budget", "0.02") == 4  # what is under way may cost all of it
    told = said()
    assert len(shop.asked) == handed
    assert "for what is under way" in told
    assert commands(told)[0][2:] == [str(file), "--budget", "0.02", "--batch"]
    for _ in range(30):
        shop.end()
        if run(file, "--batch", "--budget", "0.02") == 0:
            break
    assert votes(file) == some["votes"]["asked"] == len(shop.asked) == len(set(shop.asked))
    assert shop.seen == []


def test_the_budget_of_the_study_holds_for_batches(study, shop, said):
    file = study("one")
    file.write_text(file.read_text().replace("[panel]\n", "[panel]\nbudget = 0.0\n"))
    assert run(file, "--batch") == 4
    assert shop.batches == {}


def test_a_budget_for_an_unknown_price_is_refused_before_anything_is_sent(study, shop, capsys):
    file = study("one", price="")
    assert run(file, "--batch", "--budget", "5") == 2
    assert "the price of one is not known, so a budget cannot hold" in capsys.readouterr().err
    assert (shop.batches, shop.files, shop.seen) == ({}, {}, [])


def test_so_is_one_of_a_judge_that_is_asked_one_by_one(study, shop, capsys):
    file = study("one")
    guest = 'class Guest:\n    name, family, seal = "g", "g", "0" * 64\n    def ask(self, request, *, timeout):\n        raise AssertionError\n'
    (file.parent / "brought.py").write_text(guest)
    file.write_text(file.read_text() + '[panel.judge.guest]\nmodel = "python:brought:Guest"\n')
    assert run(file, "--batch", "--budget", "5") == 2
    assert "the price of guest is not known" in capsys.readouterr().err
    assert (shop.batches, shop.files) == ({}, {})


# what is under way


def test_what_lies_in_a_batch_is_not_asked_live(study, shop, said):
    file = study("one", "two")
    assert run(file, "--batch") == 4
    told = said()
    n = len(shop.asked)
    assert re.search(rf"{n // 2} requests of one wait in a batch handed in on \S+ \(batch_1\)", told)
    assert ["judge", "panel", str(file), "--batch"] in commands(told)
    assert "mend:" not in told  # nothing is missing but what is under way
    assert run(file) == 4
    told = said()
    assert shop.seen == []
    assert f"not asked again: {n // 2} requests of two wait in a batch" in told
    assert run(file, "--estimate") == 0
    told = said()
    assert "0 calls" not in told
    assert "nothing else is asked" in told
    assert ["judge", "panel", str(file), "--batch"] in commands(told)
    assert run(file, "--estimate", "--json") == 0
    ahead = json.loads(said())
    assert (ahead["calls"], ahead["votes_to_come"]) == (0, 0)
    assert sum(part["requests"] for part in ahead["in_batches"]) == n
    shop.end()
    assert run(file, "--batch") == 0
    told = said()
    assert f"{n} votes out of batches that have ended" in told
    assert "INCOMPLETE" not in told
    assert (shop.seen, votes(file), len(shop.asked)) == ([], n, n)


def test_a_batch_can_be_given_up_and_asked_live(study, shop, said, capsys):
    file = study("one", "two")
    run(file, "--batch")
    give_up = next(words for words in commands(said()) if "--give-up-batch" in words)
    assert give_up[2:] == [str(file), "--give-up-batch", "one", "--give-up-batch", "two"]
    assert run(file, "--give-up-batch", "three") == 2
    assert "those with one: one, two" in capsys.readouterr().err
    assert run(file, "--give-up-batch", "one", "--estimate") == 2
    assert run(file, "--give-up-batch", "one") == 4
    told = said()
    n = len(shop.asked) // 2
    assert shop.seen == ["one-tiny"] * n
    assert f"given up: {n} requests of one" in told
    assert f"{n} requests of two wait in a batch" in told
    assert main(give_up[:3] + give_up[5:]) == 0
    assert run(file, "--give-up-batch", "one") == 2


def test_what_lies_in_a_file_is_not_asked_live_nor_counted(study, shop, tmp_path, said):
    file = study("one", "two")
    assert run(file, "--emit-batch", "out.jsonl") == 0
    said()
    assert run(file) == 4
    told = said()
    assert shop.seen == []
    assert re.search(r"requests of one wait in a file emitted on \S+ \(\.\./out-one\.jsonl\)", told)
    assert ["judge", "panel", str(file), "--collect", "FILE"] in commands(told)
    (tmp_path / "out-one.jsonl").unlink()
    assert run(file, "--estimate", "--json") == 0
    assert json.loads(said())["calls"] == 0
    assert run(file) == 4
    assert "out-one.jsonl, which is not there any more)" in said()


# files


def test_nothing_is_emitted_into_a_folder_that_is_not_there(study, shop, tmp_path, capsys):
    file = study("one", "two")
    assert run(file, "--emit-batch", "none/out.jsonl") == 2
    assert "there is no folder none" in capsys.readouterr().err
    (tmp_path / "out-two.jsonl").write_text("mine")
    assert run(file, "--emit-batch", "out.jsonl") == 2  # and no file for one without a file for two
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out-two.jsonl"]
    assert run(file, "--emit-batch", "other.jsonl") == 0
    assert len(list(tmp_path.glob("other-*.jsonl"))) == 2


def test_a_study_whose_emitted_file_was_lost_is_mended_as_it_says(study, shop, tmp_path, capsys):
    file = study("one")
    assert run(file, "--emit-batch", "out.jsonl") == 0
    before = (tmp_path / "out-one.jsonl").read_bytes()
    (tmp_path / "out-one.jsonl").unlink()
    assert run(file, "--emit-batch", "out.jsonl") == 2
    told = capsys.readouterr().err
    assert "what one lacks lies in batches under way" in told
    anew = shlex.split(told.rsplit("write it anew: ", 1)[1])
    assert anew[3:] == [str(file), "--emit-batch", "out.jsonl", "--give-up-batch", "one"]
    assert main(anew[1:]) == 0
    assert (tmp_path / "out-one.jsonl").read_bytes() == before


def test_a_batch_of_an_older_version_that_was_marked_without_a_file_can_be_given_up(study, shop, said):
    file = study("one")
    run(file, "--emit-batch", "out.jsonl")
    journal = Calls(file.parent / ".evenhand")
    ((key, content),) = journal.notes("batch").items()
    journal.note("batch", key, {name: value for name, value in content.items() if name != "file"})
    journal.close()
    said()
    assert run(file) == 4
    assert "the file's name was not noted" in said()
    assert run(file, "--give-up-batch", "one") == 0
    assert len(shop.seen) == votes(file)


def test_a_runners_output_comes_in_parts_in_any_order_and_again(study, shop, tmp_path, said):
    file = study("one", "two")
    run(file, "--emit-batch", "out.jsonl")
    said()
    n = len((tmp_path / "out-one.jsonl").read_text().splitlines())
    late = replied(shop, tmp_path / "out-one.jsonl", tmp_path / "late.jsonl", slice(5, None))
    early = replied(shop, tmp_path / "out-one.jsonl", tmp_path / "early.jsonl", slice(5))
    two = replied(shop, tmp_path / "out-two.jsonl", tmp_path / "two.jsonl")
    assert run(file, "--collect", late) == 4
    assert f"{n - 5} votes out of late.jsonl" in said()
    assert run(file, "--collect", late, "--collect", late, "--collect", early) == 4
    told = said()
    assert told.count(f"0 votes out of late.jsonl, {n - 5} known before") == 2
    assert "5 votes out of early.jsonl\n" in told
    assert run(file, "--collect", early, "--collect", two) == 0
    there = (file.parent / "votes.jsonl").read_bytes()
    assert votes(file) == 2 * n
    assert run(file, "--collect", two, "--collect", late) == 0
    assert (file.parent / "votes.jsonl").read_bytes() == there
    assert shop.seen == []


def test_votes_that_were_lost_come_back_out_of_the_same_file(study, shop, tmp_path, said):
    file = study("one")
    run(file, "--emit-batch", "out.jsonl")
    output = replied(shop, tmp_path / "out-one.jsonl", tmp_path / "in.jsonl")
    assert run(file, "--collect", output) == 0
    there = (file.parent / "votes.jsonl").read_bytes()
    (file.parent / "votes.jsonl").unlink()
    assert run(file, "--collect", output) == 0
    assert (file.parent / "votes.jsonl").read_bytes() == there


def test_what_is_wrong_in_a_file_is_told_and_costs_nothing_else(study, shop, tmp_path, said, capsys):
    file = study("one")
    run(file, "--emit-batch", "out.jsonl")
    said()
    output = replied(shop, tmp_path / "out-one.jsonl", tmp_path / "in.jsonl")
    lines = output.read_text().splitlines()
    strangers = [json.dumps(json.loads(lines[0]) | {"custom_id": f"mine-{i}"}) for i in range(5)]
    output.write_text("\n".join([*strangers, "oops", *lines[1:], lines[0][:40]]))
    assert run(file, "--collect", output) == 4
    told = said()
    assert f"{len(lines) - 1} votes out of in.jsonl" in told
    assert "5 results of in.jsonl are of nothing that was emitted" in told
    assert "'mine-0'; 'mine-1'; 'mine-2'; and 2 more" in " ".join(told.split())
    assert "1 line of in.jsonl cannot be read: in.jsonl:6: no line of a batch's output" in told
    assert f"in.jsonl:{len(lines) + 6}: the last line ends before its end" in told
    assert "1 request of one waits in a file" in told
    output.write_text("oops\n" + "\n".join(lines))
    assert run(file, "--collect", output) == 0  # nothing is missing
    assert run(file, "--collect", output, "--collect", "none.jsonl") == 2
    assert "none.jsonl cannot be read" in capsys.readouterr().err


def test_judges_that_go_into_no_file_are_named_with_how_to_ask_them(study, shop, said, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-two")
    file = study("one", program=True)
    file.write_text(
        file.read_text() + f'[panel.judge.far]\nmodel = "anthropic:far-1"\nbase_url = "{shop.url}"\n'
    )
    assert run(file, "--emit-batch", "out.jsonl") == 0
    told = said()
    assert f"prog (command:{sys.executable} judge.py) goes into no file" in told
    assert "far (anthropic:far-1) goes into no file: it is not asked in OpenAI's form" in told
    assert sorted(words[3:] for words in commands(told)) == [[], ["--batch"]]


def test_a_command_that_is_printed_keeps_its_options(study, shop, said):
    file = study("one")
    options = ["--budget", "0.009", "--deadline", "60", "--repeats", "2", "--engine", "local"]
    assert run(file, *options) == 4
    (mend,) = commands(said())
    assert mend == ["judge", "panel", str(file), *options]
    asked = len(shop.seen)
    assert asked > 0
    main(mend)
    assert len(shop.seen) > asked


def test_batches_know_what_waits(study, shop):
    file = study("one")
    run(file, "--emit-batch", "out.jsonl")
    journal = Calls(file.parent / ".evenhand")
    assert len(Batches({}, journal).waiting()) > 5
    journal.close()


def test_a_batch_whose_requests_are_gone_can_be_given_up(study, shop, capsys):
    file = study("one")
    run(file, "--batch")
    (kept,) = (file.parent / ".evenhand" / "calls").glob("batch-*.jsonl")
    kept.unlink()
    assert run(file) == 2
    assert "wait for it no longer: evenhand judge panel STUDY.toml --give-up-batch" in capsys.readouterr().err
    assert run(file, "--give-up-batch", "one") == 0
    assert len(shop.seen) == votes(file)


def test_what_a_study_shares_with_another_does_not_stop_it(study, shop, tmp_path, said):
    """A second study in the folder, with a judge of the same name on another model."""
    file = study("one")
    run(file, "--emit-batch", "out.jsonl")
    other = file.with_name("other.toml")
    other.write_text(file.read_text().replace("one-tiny", "another-tiny"))
    other.write_text(other.read_text().replace("depth = 1", 'depth = 1\nvotes = "other.jsonl"'))
    output = replied(shop, tmp_path / "out-one.jsonl", tmp_path / "in.jsonl")
    said()
    assert run(other, "--collect", output) == 4
    assert "was made for another model or other settings of one" in said()
    assert run(other) == 0
    assert set(shop.seen) == {"another-tiny"}
    assert run(file, "--collect", output) == 0
