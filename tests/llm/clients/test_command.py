import json
import os
import sys
import time
from pathlib import Path

import pytest
from tests.llm.asked import ASKED, GOOD, asked

from evenhand.errors import InputError, Unreachable
from evenhand.llm.providers.factory import chat_of, ready

ECHO = """
import json, sys
asked = json.load(sys.stdin)
open("asked.json", "w").write(json.dumps(asked))
print({!r})
"""


def program(folder, text, arguments=""):
    (folder / "judge.py").write_text(text, "utf-8")
    return chat_of(f"command:{sys.executable} judge.py {arguments}".strip(), folder=folder)


def test_the_request_goes_in_and_the_text_comes_out(tmp_path):
    reply = program(tmp_path, ECHO.format(GOOD)).ask(ASKED, timeout=20)
    assert (reply.text, reply.data, reply.rung) == (GOOD, json.loads(GOOD), "prompt")
    sent = json.loads((tmp_path / "asked.json").read_text())
    assert [one["role"] for one in sent["messages"]] == ["system", "user"]
    assert sent["schema"] == ASKED.schema
    assert "task" not in sent  # a name of ours, which may tell more than a judge may know


def test_an_envelope_tells_more(tmp_path):
    told = json.dumps({"text": "I won't", "stop": "refused", "model": "m-1", "tokens_in": 5, "logprob": -1})
    reply = program(tmp_path, ECHO.format(told)).ask(ASKED, timeout=20)
    assert (reply.text, reply.stop, reply.model, reply.tokens_in) == ("I won't", "refused", "m-1", 5)
    assert (reply.data, reply.logprob) == (None, -1.0)
    verdict = '{"text": "this is a verdict", "sufficient": "no", "level": 0}'  # no envelope: other keys
    assert program(tmp_path, ECHO.format(verdict)).ask(ASKED, timeout=20).data["level"] == 0


@pytest.mark.parametrize(("code", "again"), [(1, False), (75, True)])
def test_exit_codes(tmp_path, code, again):
    chat = program(tmp_path, f"import sys; print('no model', file=sys.stderr); sys.exit({code})")
    with pytest.raises(Unreachable, match="'no model'") as told:
        chat.ask(ASKED, timeout=20)
    assert (told.value.why, told.value.again) == (f"exit code {code}", again)


def test_what_takes_too_long_is_ended_with_all_it_started(tmp_path):
    text = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "open('child', 'w').write(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    begun = time.monotonic()
    with pytest.raises(Unreachable, match="no reply within"):
        program(tmp_path, text).ask(ASKED, timeout=2)
    assert time.monotonic() - begun < 15
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the program's child is still running")


def test_no_shell_reads_the_words(tmp_path):
    text = "import sys; print(sys.argv[1:])"
    reply = program(tmp_path, text, "'; touch hacked' $HOME").ask(asked(schema=None), timeout=20)
    assert reply.text == "['; touch hacked', '$HOME']"
    assert not (tmp_path / "hacked").exists()


def test_the_seal_is_of_the_words_and_of_the_programs_own_files(tmp_path):
    one = program(tmp_path, "print(1)").seal
    assert program(tmp_path, "print(2)").seal != one
    assert program(tmp_path, "print(1)", "-v").seal != one
    assert program(tmp_path, "print(1)").seal == one


def test_no_such_program(tmp_path):
    with pytest.raises(InputError, match="there is no program 'no-such-judge'"):
        ready(chat_of("command:no-such-judge", folder=tmp_path))


def test_numbers_of_an_envelope_that_can_be_none_are_unknown(tmp_path):
    huge = "1" + "0" * 400
    envelope = f'{{"text": "x", "tokens_in": {huge}, "tokens_out": -1, "logprob": -{huge}}}'
    reply = program(tmp_path, ECHO.format(envelope)).ask(ASKED, timeout=20)
    assert reply.text == "x"
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached, reply.logprob) == (None,) * 4


def test_what_a_program_says_of_its_failure_is_kept_without_keys(tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "qzCANARYxw-judge")
    text = (
        "import os, sys\n"
        "print('loading', file=sys.stderr)\n"
        "print('bad key', os.environ['JUDGE_KEY'], '\\t at line 3\\n\\n', file=sys.stderr)\n"
        "sys.exit(1)\n"
    )
    with pytest.raises(Unreachable) as told:
        program(tmp_path, text).ask(ASKED, timeout=20)
    assert (told.value.why, told.value.said) == ("exit code 1", "bad key … at line 3")


def test_a_program_that_is_killed_names_the_signal(tmp_path):
    with pytest.raises(Unreachable) as told:
        program(tmp_path, "import os\nos.kill(os.getpid(), 9)\n").ask(ASKED, timeout=20)
    assert told.value.why == "signal 9"


def test_what_a_program_says_when_it_fails_shows_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-verysecret-0123456789")
    text = "import os, sys\nsys.exit('401 for ' + os.environ['MY_API_KEY'])"
    with pytest.raises(Unreachable, match="401 for …"):
        program(tmp_path, text).ask(ASKED, timeout=20)
