import json

import pytest
from tests.llm.batching import batching
from tests.llm.faulty import says
from tests.llm.toys import Toy, request, requests

from evenhand.errors import InputError, Unreachable
from evenhand.llm.batch.batches import Batches
from evenhand.llm.batch.budget import bound
from evenhand.llm.batch.providers import Result, _Anthropic, _OpenAI
from evenhand.llm.batch.state import call_of
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.caller import Caller
from evenhand.store.calls.journal import Calls

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


def test_two_processes_do_not_hand_in_the_same(chat, shop, journal, tmp_path, monkeypatch):
    other, sending = Batches({"j": chat}, Calls(tmp_path / ".evenhand")), []

    def begun(self, *_given):  # while one of them is sending, the other one comes
        for look in (
            lambda: other.submit(asked(5)),
            other.poll,
            lambda: other.emit(asked(5), tmp_path / "f"),
        ):
            with pytest.raises(InputError, match="another process is handing in batches"):
                look()
            sending.append(self)
        return send(self, *_given)

    kind = _OpenAI if "openai" in chat.provider else _Anthropic
    send = kind.send
    monkeypatch.setattr(kind, "send", begun)
    Batches({"j": chat}, journal).submit(asked(3))
    monkeypatch.setattr(kind, "send", send)
    assert len(sending) == 3
    assert [one.n for one in other.submit(asked(5))] == [2]
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
    monkeypatch.setattr("evenhand.llm.batch.batches.MOST", 2)
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
    calls = batches.collect_file(output).calls
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


def answered(row, text='{"grade": 1}'):
    body = {
        "id": "c", "object": "chat.completion", "created": 1, "model": "judge-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }  # fmt: skip
    response = {"status_code": 200, "request_id": "r", "body": body}
    return json.dumps({"id": "v", "custom_id": row["custom_id"], "error": None, "response": response})


def failed(row):
    response = {"status_code": 500, "request_id": "r", "body": {"message": "out of memory"}}
    return json.dumps({"id": "v", "custom_id": row["custom_id"], "error": None, "response": response})


@pytest.fixture
def emitted(tmp_path, journal):
    """Six requests in a file: the batches, and a line for each."""
    batches = Batches({"j": chat_of("vllm:judge-1", {})}, journal)
    batches.emit(asked(6), tmp_path / "batch.jsonl")
    return batches, [json.loads(line) for line in (tmp_path / "batch.jsonl").read_text().splitlines()]


def given(path, lines, end="\n"):
    path.write_text("\n".join(lines) + end, encoding="utf-8")
    return path


def test_an_output_may_come_in_parts_in_any_order_and_again(tmp_path, journal, emitted):
    batches, rows = emitted
    second = given(tmp_path / "second.jsonl", map(answered, rows[4:]))
    first = given(tmp_path / "first.jsonl", map(answered, rows[:4]))
    made = batches.collect_file(second)
    assert [call.task for call in made.calls] == ["t4", "t5"]
    assert (made.known, made.unknown, made.broken, made.torn) == (0, (), (), "")
    assert [(one.state, one.done) for one in batches.all()] == [("emitted", 2)]
    assert set(batches.waiting()) == {row["custom_id"] for row in rows[:4]}
    for _ in range(2):
        again = batches.collect_file(second)
        assert (len(again.calls), again.known, again.unknown) == (2, 2, ())
    assert batches.collect_file(first).known == 0
    assert [(one.state, one.done) for one in batches.all()] == [("collected", 6)]
    assert list(journal.file.path.parent.glob("batch-*")) == []
    assert batches.collect_file(first).known == 4  # also when nothing waits any more
    assert sum(1 for _ in journal.lines()) == 6


def test_what_failed_in_one_part_may_come_in_another(tmp_path, journal, emitted):
    batches, rows = emitted
    batches.collect_file(given(tmp_path / "a", [failed(rows[0]), *map(answered, rows[1:])]))
    made = batches.collect_file(given(tmp_path / "b", [answered(rows[0])]))
    assert [(call.outcome, call.cached, call.task) for call in made.calls] == [("reply", False, "t0")]
    assert journal.state(rows[0]["custom_id"]) == "stands"
    both = batches.collect_file(given(tmp_path / "c", [failed(rows[1]), answered(rows[1]), failed(rows[1])]))
    assert [(call.outcome, call.cached) for call in both.calls] == [("reply", True)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing\n", "out:1: no line of a batch's output"),
        ('{"response": 1}', "out:1: no line of a batch's output"),
        ('{"custom_id": "c"}\n{"custom_id": 1', "out:2: the last line ends before its end"),
        ("\xff\n", "out:1: not UTF-8"),
    ],
)
def test_lines_that_are_none_are_told_with_their_place_and_cost_no_other(tmp_path, emitted, text, told):
    batches, rows = emitted
    (tmp_path / "out").write_bytes(text.encode("latin-1"))
    made = batches.collect_file(tmp_path / "out")
    assert told in "".join([*made.broken, made.torn])
    assert made.calls == ()
    whole = text if text.endswith("\n") else text + "\n"
    (tmp_path / "out").write_bytes((answered(rows[0]) + "\n").encode() + text.encode("latin-1"))
    assert len(batches.collect_file(tmp_path / "out").calls) == 1
    (tmp_path / "out").write_bytes(whole.encode("latin-1") + answered(rows[1]).encode())
    assert len(batches.collect_file(tmp_path / "out").calls) == 1  # nor need the last line have an end


def test_results_of_nothing_that_was_emitted_are_named(tmp_path, emitted):
    batches, rows = emitted
    strangers = ["mine-1", "f" * 64, "ü"]
    lines = [answered({"custom_id": one}) for one in strangers]
    made = batches.collect_file(given(tmp_path / "out", [lines[0], answered(rows[0]), *lines[1:]]))
    assert made.unknown == tuple(strangers)
    assert len(made.calls) == 1


def test_an_output_that_is_not_there_is_said(tmp_path, emitted):
    with pytest.raises(InputError, match="none cannot be read: No such file"):
        emitted[0].collect_file(tmp_path / "none")


def test_results_of_a_model_that_was_changed_cost_no_others(tmp_path, journal, emitted):
    batches, rows = emitted
    other = Batches({"j": chat_of("vllm:judge-2", {}), "k": chat_of("vllm:judge-3", {})}, journal)
    other.emit([("k", request(9, schema=SCHEMA))], tmp_path / "k.jsonl")
    row = json.loads((tmp_path / "k.jsonl").read_text())
    made = other.collect_file(given(tmp_path / "out", [answered(rows[0]), answered(row)]))
    assert [call.task for call in made.calls] == ["t9"]
    assert "another model or other settings of j" in made.changed[0]
    assert set(batches.waiting()) == {row["custom_id"] for row in rows}


def test_nothing_counts_as_emitted_before_its_file_is_there(tmp_path, journal, monkeypatch):
    batches = Batches({"j": chat_of("vllm:judge-1", {})}, journal)
    with pytest.raises(InputError, match="there is no folder") as error:
        batches.emit(asked(3), tmp_path / "none" / "batch.jsonl")
    assert "make the folder first" in str(error.value)
    assert batches.all() == []

    def full(_self, _to):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as filling:
        filling.setattr("pathlib.Path.replace", full)
        with pytest.raises(InputError, match=r"batch\.jsonl cannot be written: No space left"):
            batches.emit(asked(3), tmp_path / "batch.jsonl")
    assert batches.all() == []
    assert [path.name for path in tmp_path.iterdir() if path.name != ".evenhand"] == []
    made = batches.emit(asked(3), tmp_path / "batch.jsonl")
    assert (made.n, made.file, batches.lies(made)) == (3, "batch.jsonl", True)
    (tmp_path / "batch.jsonl").unlink()
    assert not batches.lies(made)


def test_a_file_that_cannot_be_marked_does_not_stay(tmp_path, journal, monkeypatch):
    batches = Batches({"j": chat_of("vllm:judge-1", {})}, journal)

    def full(*_args):
        raise InputError("no room", mend="make room")

    monkeypatch.setattr("evenhand.llm.batch.batches.write_asked", full)
    with pytest.raises(InputError, match="no room"):
        batches.emit(asked(3), tmp_path / "batch.jsonl")
    assert not (tmp_path / "batch.jsonl").exists()


def test_what_was_given_up_may_still_come(tmp_path, emitted):
    batches, rows = emitted
    batches.give_up(batches.all()[0])
    assert batches.waiting() == {}
    assert len(batches.collect_file(given(tmp_path / "a", map(answered, rows[:2]))).calls) == 2
    assert batches.emit(asked(6), tmp_path / "again.jsonl").n == 4
    assert len(batches.collect_file(given(tmp_path / "b", map(answered, rows))).calls) == 6
    assert [one.state for one in batches.all()] == ["lost", "collected"]


def test_a_budget_holds_back_what_does_not_fit(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    one = bound(chat, asked(1)[0][1])
    fits = batches.fitting(asked(5), 3 * one)
    assert ([made.task for _, made in fits.requests], fits.left) == (["t0", "t1", "t2"], 2)
    assert (fits.most, fits.under_way, fits.next) == (pytest.approx(3 * one), 0, pytest.approx(one))
    batches.submit(fits.requests)
    later = batches.fitting(asked(5), 3 * one)  # a batch under way counts until it is collected
    assert (later.requests, later.left, later.under_way) == ((), 2, pytest.approx(3 * one))
    shop.end()
    spent = sum(call.price for call in batches.collect())
    assert spent <= 3 * one
    assert batches.fitting(asked(5), 3 * one).left == 0
    assert batches.fitting(asked(5), 0).left == 2


def test_a_budget_for_a_price_that_is_not_known_is_refused(shop, journal, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    batches = Batches({"j": chat_of("openai:judge-1", {"base_url": f"{shop.url}/v1"})}, journal)
    with pytest.raises(InputError, match="the price of j is not known, so a budget cannot hold"):
        batches.fitting(asked(1), 1.0)
    assert shop.asked == []


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


def test_a_cut_file_of_requests_is_said_wherever_the_cut_is(chat, shop, journal):
    batches = Batches({"j": chat}, journal)
    (made,) = batches.submit(asked(3))
    path = batches._file(made.key)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for left in (whole[:-40], whole[:-1], b"".join(lines[:2]), b""):
        path.write_bytes(left)
        with pytest.raises(InputError, match="of the 3 requests that are in the batch"):
            batches.submit(asked(3))
    path.write_bytes(whole)
    assert batches.submit(asked(3)) == []


def test_what_a_provider_says_of_a_failed_request_is_kept_without_what_acts_on_a_terminal(chat, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-verysecret-0123456789")
    (_, request), *_ = asked(1)
    odd = "no key sk-verysecret-0123456789 \x1b]0;pwned\x07\nhere"
    call = call_of(chat, request, Result(key="0" * 64, why=odd), 0.5)
    assert (call.outcome, call.why) == ("fault", "no key … ]0;pwned here")


def test_a_batch_is_no_larger_than_a_provider_takes(chat, shop, journal, monkeypatch):
    one = len(json.dumps(chat.written(request(0, schema=SCHEMA)))) + 300
    monkeypatch.setattr("evenhand.llm.batch.batches.LARGEST", 2 * one + 50)
    made = Batches({"j": chat}, journal).submit(asked(5))
    assert [batch.n for batch in made] == [2, 2, 1]
