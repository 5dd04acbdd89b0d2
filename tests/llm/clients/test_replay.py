import json

import pytest
from tests.llm.asked import ASKED, GOOD, asked

from evenhand.errors import InputError, Unreachable
from evenhand.llm.clients.replay import record
from evenhand.llm.providers.factory import chat_of, ready
from evenhand.model.call import Call, Reply
from evenhand.store.calls.record import Recorded


def recording(folder, *lines):
    (folder / "kept.jsonl").write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return chat_of("recorded:kept.jsonl", folder=folder)


def test_by_seal_first_then_by_task_and_repeat(tmp_path):
    chat = recording(
        tmp_path,
        {"task": "q1/u1", "reply": {"text": "{'sufficient': 'no', 'level': 0}", "model": "llama-3"}},
        {"request": ASKED.seal, "reply": {"text": GOOD}},
        {"task": "q1/u1", "repeat": 1, "reply": {"text": "", "stop": "refused"}},
    )
    assert chat.ask(ASKED, timeout=1).data == {"sufficient": "yes", "level": 2}
    assert chat.ask(asked(seed=1), timeout=1).data == {"sufficient": "no", "level": 0}
    assert chat.ask(asked(repeat=1), timeout=1).stop == "refused"
    assert (chat.family, chat.price(Reply(text=""))) == ("llama", 0.0)


def test_a_missing_reply_names_the_request(tmp_path):
    chat = recording(tmp_path, {"task": "other", "reply": {"text": GOOD}})
    with pytest.raises(InputError, match="'q1/u1', repeat 0") as told:
        chat.ask(ASKED, timeout=1)
    assert ASKED.seal[:12] in str(told.value)


def test_its_seal_is_its_contents(tmp_path):
    one = recording(tmp_path, {"task": "a", "reply": {"text": "x"}}).seal
    assert recording(tmp_path, {"task": "a", "reply": {"text": "y"}}).seal != one
    assert recording(tmp_path, {"task": "a", "reply": {"text": "x"}}).seal == one


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "expected an object"),
        ('{"task": "a", "reply": {"text": "x"}, "rely": 1}', "unknown key 'rely'"),
        ('{"reply": {"text": "x"}}', "neither request nor task"),
        ('{"task": "a"}', "either reply or fault"),
        ('{"task": "a", "reply": {}}', "has no text"),
        ('{"task": "a", "reply": {"text": "x", "stp": "end"}}', "unknown key 'stp'"),
        ('{"task": "a", "reply": {"text": "x", "stop": "ended"}}', "stopped by 'ended'"),
        ('{"task": 3, "reply": {"text": "x"}}', "must be texts"),
        ('{"task": "a", "repeat": "b", "reply": {"text": "x"}}', "expected a whole number"),
        ('{"task": "a", "reply": {"text": "x"}}\n{"task": "a", "reply": {"text": "y"}}', "line 2: a second"),
    ],
)
def test_what_is_wrong_with_a_recording(tmp_path, line, what):
    (tmp_path / "kept.jsonl").write_text(line, "utf-8")
    with pytest.raises(InputError) as told:
        ready(chat_of("recorded:kept.jsonl", folder=tmp_path))
    assert what in told.value.what


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        ready(chat_of("recorded:none.jsonl", folder=tmp_path))


def test_what_a_journal_holds_is_given_again(tmp_path):
    """Every end comes back as it was, faults too; the texts that were sent are not in the file."""
    replies = [
        Reply(text=GOOD, data=json.loads(GOOD), rung="tool", model="m", tokens_in=3, without=("seed",)),
        Reply(text="I won't", stop="refused", rung="json-schema"),
        Reply(text='{"suf', stop="length", rung="json-schema"),
        Reply(text="maybe", rung="prompt", reasked=True, earlier="perhaps"),
        None,
    ]
    outcomes = ["reply", "refused", "cut-off", "reply", "fault"]
    held = []
    for number, (reply, outcome) in enumerate(zip(replies, outcomes, strict=True)):
        request = asked(task=f"t{number}", seed=number)
        call = Call(
            key=str(number), task=request.task, model="s", outcome=outcome, reply=reply, why="HTTP 500"
        )
        held.append(Recorded(call=call, request=request, chat="a", at="2026-01-01T00:00:00Z"))
    text = "\n".join(record(held))
    assert "Unit: this" not in text
    (tmp_path / "kept.jsonl").write_text(text, "utf-8")
    chat = chat_of("recorded:kept.jsonl", folder=tmp_path)
    for one, reply in zip(held, replies, strict=True):
        if reply is None:
            with pytest.raises(Unreachable, match="HTTP 500") as told:
                chat.ask(one.request, timeout=1)
            assert told.value.again is False
        else:
            assert chat.ask(one.request, timeout=1) == reply


def kept(prompt, text, **more):
    request = asked(task="item1", prompt=prompt, **more)
    outcome = "fault" if text is None else "reply"
    reply = None if text is None else Reply(text=text)
    call = Call(key="0", task="item1", model="s", outcome=outcome, reply=reply, why="HTTP 500")
    return Recorded(call=call, request=request, chat="a", at="2026-01-01T00:00:00Z")


def test_one_task_under_two_wordings_is_written_so_that_it_can_be_read(tmp_path):
    """Each reply is found by its request; by the task's name alone it is not known which is meant."""
    held = [
        kept("sheet v1", "yes"),
        kept("sheet v2", "no"),
        kept("sheet v1", "yes", repeat=1),
        kept("sheet v2", "yes", repeat=1),
        kept("sheet v1", None, repeat=2),
        kept("sheet v2", "no", repeat=2),
    ]
    (tmp_path / "kept.jsonl").write_text("\n".join(record(held)), "utf-8")
    chat = chat_of("recorded:kept.jsonl", folder=tmp_path)
    for one in held:
        if one.call.reply is None:
            with pytest.raises(Unreachable, match="HTTP 500"):
                chat.ask(one.request, timeout=1)
        else:
            assert chat.ask(one.request, timeout=1).text == one.call.reply.text
    with pytest.raises(InputError, match="no reply to request"):
        chat.ask(asked(task="item1", prompt="sheet v3"), timeout=1)
    assert chat.ask(asked(task="item1", prompt="sheet v3", repeat=1), timeout=1).text == "yes"


def test_half_a_character_in_a_reply_can_be_written_and_read(tmp_path):
    held = [kept("sheet v1", "yes \ud83d, é")]
    (tmp_path / "kept.jsonl").write_text("\n".join(record(held)), "utf-8")
    chat = chat_of("recorded:kept.jsonl", folder=tmp_path)
    assert chat.ask(held[0].request, timeout=1).text == "yes \ud83d, é"
