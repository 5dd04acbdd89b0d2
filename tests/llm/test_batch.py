import json

import pytest
from tests.llm.batching import batching
from tests.llm.faulty import says
from tests.llm.toys import Toy, request, requests

from evenhand.errors import InputError, Unreachable
from evenhand.llm.batch import Batches
from evenhand.llm.batch_wires import _Anthropic, _OpenAI
from evenhand.llm.caller import Caller
from evenhand.llm.models import chat_of
from evenhand.store.calls import Calls

SCHEMA = {
    "type": "object",
    "properties": {"grade": {"type": "integer"}},
    "required": ["grade"],
    "additionalProperties": False,
}
PRICE = {"input": 1.0, "output": 10.0}


@pytest.fixture
def shop():
    with batching() as made:
        yield made


@pytest.fixture(params=["openai", "anthropic"])
def chat(request, shop, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-two")
    base = f"{shop.url}/v1" if request.param == "openai" else shop.url
    return chat_of(f"{request.param}:judge-1", {"base_url": base, "price": PRICE})


@pytest.fixture
def journal(tmp_path):
    made = Calls(tmp_path / ".evenhand")
    yield made
    made.close()


def asked(count, first=0):
    return [("j", request(n, schema=SCHEMA)) for n in range(first, first + count)]


def test_submitted_polled_and_collected(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    (made,) = batches.submit(asked(5))
    assert (made.state, made.n, made.chat) == ("sent", 5, "j")
    assert made.id in shop.batches
    assert [(one.ended, one.done) for one in batches.poll()] == [(False, 0)]
    assert list(batches.collect()) == []
    shop.end()
    assert [(one.ended, one.done) for one in batches.poll()] == [(True, 5)]
    calls = {call.task: call for call in batches.collect()}
    assert sorted(calls) == [f"t{n}" for n in range(5)]
    assert {call.outcome for call in calls.values()} == {"reply"}
    assert calls["t3"].reply.data == {"grade": 2}
    assert calls["t3"].reply.rung == "json-schema"
    # half the price: 60 new tokens and 40 of the provider's cache, 10 out
    assert calls["t3"].price == pytest.approx(chat.price(calls["t3"].reply) / 2)
    assert list(batches.collect()) == []
    assert list(journal.file.path.parent.glob("batch-*")) == []


def test_what_was_collected_is_in_the_journal_for_the_caller(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    batches.submit(asked(3))
    shop.end()
    list(batches.collect())
    calls = list(Caller({"j": chat}, journal).ask(asked(3)))
    assert all(call.cached and call.outcome == "reply" for call in calls)


def test_nothing_is_handed_in_that_is_in_the_journal_or_under_way(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    batches.submit(asked(3))
    (second,) = batches.submit(asked(5))
    assert second.n == 2
    assert batches.submit(asked(5)) == []
    shop.end()
    list(batches.collect())
    assert batches.submit(asked(5)) == []
    assert len(shop.asked) == len(set(shop.asked)) == 5


def test_faults_of_single_requests_are_faults_and_may_be_submitted_again(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    batches.submit(asked(3))
    shop.spoil[shop.asked[1]] = "this prompt is too long"
    shop.end()
    calls = {call.task: call for call in batches.collect()}
    assert {task: call.outcome for task, call in calls.items()} == {
        "t0": "reply",
        "t1": "fault",
        "t2": "reply",
    }
    assert "this prompt is too long" in calls["t1"].why
    (again,) = batches.submit(asked(3))
    assert again.n == 1


def test_a_process_killed_after_the_hand_in_finds_its_batch_again(chat, shop, journal, monkeypatch, tmp_path):
    wire = _OpenAI if chat.provider == "openai" else _Anthropic
    send = wire.send

    def killed(self, lines, mark):
        send(self, lines, mark)
        raise KeyboardInterrupt

    with monkeypatch.context() as killing:
        killing.setattr(wire, "send", killed)
        with pytest.raises(KeyboardInterrupt):
            Batches({"j": chat}, journal).submit(asked(4))
    resumed = Batches({"j": chat}, Calls(tmp_path / ".evenhand"))
    assert [one.state for one in resumed.all()] == ["sending"]
    assert resumed.submit(asked(4)) == []
    assert [(one.state, one.n) for one in resumed.all()] == [("sent", 4)]
    assert len(shop.asked) == 4
    shop.end()
    assert len(list(resumed.collect())) == 4


def test_a_process_killed_before_the_hand_in_submits_once(chat, shop, journal, monkeypatch):
    wire = _OpenAI if chat.provider == "openai" else _Anthropic

    def killed(_self, _lines, _mark):
        raise KeyboardInterrupt

    with monkeypatch.context() as killing:
        killing.setattr(wire, "send", killed)
        with pytest.raises(KeyboardInterrupt):
            Batches({"j": chat}, journal).submit(asked(4))
    Batches({"j": chat}, journal).submit(asked(4))
    assert len(shop.asked) == 4
    assert [one.state for one in Batches({"j": chat}, journal).all()] == ["lost", "sent"]


def test_an_answer_that_is_lost_on_the_way_is_looked_for(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    shop.swallow = True
    with pytest.raises(Unreachable):
        batches.submit(asked(4))
    assert batches.submit(asked(4)) == []
    assert len(shop.asked) == 4


def test_a_process_killed_while_it_collects_collects_again(chat, shop, journal, monkeypatch, tmp_path):
    Batches({"j": chat}, journal).submit(asked(6))
    shop.end()
    add, count = journal.add, []

    def killed(made):
        if len(count) == 3:
            raise KeyboardInterrupt
        count.append(made)
        add(made)

    with monkeypatch.context() as killing:
        killing.setattr(journal, "add", killed)
        with pytest.raises(KeyboardInterrupt):
            list(Batches({"j": chat}, journal).collect())
    again = Calls(tmp_path / ".evenhand")
    assert len(list(Batches({"j": chat}, again).collect())) == 6
    assert sum(1 for _ in again.lines()) == 6


def test_a_refused_batch_is_told_and_its_requests_are_free(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    shop.fail = (400, "no such model")
    with pytest.raises(Unreachable, match="no such model"):
        batches.submit(asked(2))
    assert [one.state for one in batches.all()] == ["lost"]
    shop.fail = None
    assert [one.n for one in batches.submit(asked(2))] == [2]


def test_a_batch_that_failed_as_a_whole_is_lost_with_its_reason(shop, journal, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    chat = chat_of("openai:judge-1", {"base_url": f"{shop.url}/v1"})
    batches = Batches({"j": chat}, journal)
    batches.submit(asked(2))
    shop.end(status="failed")
    (one,) = batches.poll()
    assert (one.state, one.why) == ("lost", "the batch is failed: the file is not right")
    assert [one.n for one in batches.submit(asked(2))] == [2]


def test_a_batch_given_up_sets_its_requests_free(chat, journal):
    batches = Batches({"j": chat}, journal)
    (made,) = batches.submit(asked(2))
    batches.give_up(made)
    assert batches.poll() == []
    assert [one.n for one in batches.submit(asked(2))] == [2]


def test_results_of_another_batch_are_not_taken(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    (made,) = batches.submit(asked(2))
    for line in shop.batches[made.id]["lines"]:
        line["custom_id"] = "f" * 64
    shop.end()
    with pytest.raises(InputError, match="not those of what was handed in"):
        list(batches.collect())
    assert len(journal) == 0


def test_a_model_that_was_changed_meanwhile_is_said(chat, shop, journal):
    Batches({"j": chat}, journal).submit(asked(2))
    shop.end()
    other = chat_of(f"{chat.provider}:judge-2", {"base_url": chat.base_url})
    with pytest.raises(InputError, match="another model or other settings"):
        list(Batches({"j": other}, journal).collect())


def test_large_batches_are_cut(chat, shop, journal, monkeypatch):
    monkeypatch.setattr("evenhand.llm.batch.MOST", 2)
    assert [one.n for one in Batches({"j": chat}, journal).submit(asked(5))] == [2, 2, 1]


def test_a_chat_without_batches_is_said(journal):
    with pytest.raises(InputError, match="takes no batches"):
        Batches({"toy": Toy()}, journal).submit(requests(1))


def test_an_emitted_file_is_run_offline_and_collected(tmp_path, journal):
    chat = chat_of("vllm:judge-1", {})
    batches = Batches({"j": chat}, journal)
    file, output = tmp_path / "batch.jsonl", tmp_path / "out.jsonl"
    made = batches.emit(asked(3), file)
    assert (made.state, made.n) == ("emitted", 3)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    assert lines[0]["body"]["model"] == "judge-1"
    assert lines[0]["body"]["response_format"]["json_schema"]["schema"] == SCHEMA

    class Seen:
        claude = False

        def __init__(self, body):
            self.body = body

    rows = [
        {"id": "v", "custom_id": line["custom_id"], "error": None,
         "response": {"status_code": 200, "request_id": "r", "body": json.loads(says('{"grade": 1}').content(Seen(line["body"])))}}
        for line in lines
    ]  # fmt: skip
    rows[1]["response"] = {"status_code": 400, "request_id": "r", "body": {"message": "out of memory"}}
    output.write_text("".join(json.dumps(row) + "\n" for row in rows))
    calls = list(batches.collect_file(output))
    assert [(call.outcome, call.price) for call in calls] == [("reply", 0.0), ("fault", None), ("reply", 0.0)]
    assert "out of memory" in calls[1].why
    again = batches.emit(asked(3), tmp_path / "again.jsonl")
    assert again.n == 1
    assert batches.emit(asked(3), tmp_path / "none.jsonl") is None
    assert not (tmp_path / "none.jsonl").exists()


def test_emitting_says_what_it_cannot(tmp_path, journal, monkeypatch):
    chats = {
        "j": chat_of("vllm:a", {}),
        "k": chat_of("vllm:b", {}),
        "toy": Toy(),
        "c": chat_of("anthropic:x"),
    }
    batches = Batches(chats, journal)
    (tmp_path / "there").write_text("")
    with pytest.raises(InputError, match="exists already"):
        batches.emit(asked(1), tmp_path / "there")
    with pytest.raises(InputError, match="for one model"):
        batches.emit([("j", request(1)), ("k", request(1))], tmp_path / "f")
    for name in ("toy", "c"):
        with pytest.raises(InputError, match="not asked in OpenAI's form"):
            batches.emit([(name, request(1))], tmp_path / "f")
    with pytest.raises(InputError, match=r"named .x."):
        batches.emit([("x", request(1))], tmp_path / "f")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing", "line 1: no line of a batch's output"),
        ('{"custom_id": "abc", "response": {}}', "was in no file"),
        ('{"response": 1}', "no line"),
    ],
)
def test_an_output_that_is_none_is_said(tmp_path, journal, text, told):
    batches = Batches({"j": chat_of("vllm:a", {})}, journal)
    (tmp_path / "out").write_text(text)
    with pytest.raises(InputError, match=told):
        list(batches.collect_file(tmp_path / "out"))


def test_the_requests_of_a_batch_that_are_gone_or_changed_are_said(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    (made,) = batches.submit(asked(2))
    path = batches._file(made.key)
    path.write_bytes(path.read_bytes().replace(b"unit", b"unix"))
    with pytest.raises(InputError, match="was changed"):
        batches.submit(asked(2))
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        batches.submit(asked(2))
