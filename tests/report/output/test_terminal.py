from __future__ import annotations

import io
import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.output.terminal import PIPED_WIDTH, clean, console, progress

BASE = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CI", "COLUMNS", "FORCE_COLOR")}


def test_escape_sequences_go_whole():
    assert clean("a\x1b[31mred\x1b[0m b") == "ared b"
    assert clean("a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c\x9b2Jd") == "abcd"
    assert clean("x\x00\x08\x7fy") == "xy"


def test_bidirectional_controls_and_invisible_characters_go():
    assert clean("a\u202egnp.exe\u2066\u200b\ufeff") == "agnp.exe"
    assert clean("👩‍💻 می‌خواهم Łódź") == "👩‍💻 می‌خواهم Łódź"
    assert clean("\ud800") == "\ufffd"


def test_lines_are_kept_when_asked():
    assert clean("a\r\nb\tc\u2028d") == "a b c d"
    assert clean("a\r\nb\tc", lines=True) == "a\nb\tc"


@given(st.text())
def test_nothing_that_is_left_acts(text):
    done = clean(text)
    assert clean(done) == done
    assert all(
        char.isprintable() or char in "\u200c\u200d" or char in " \xa0" or not char.isascii() for char in done
    )
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in done)
    done.encode()


def test_a_console_that_is_not_a_terminal_is_plain_and_wide_enough(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    made = console(file=io.StringIO())
    assert not made.is_terminal
    assert made.color_system is None
    assert made.width == PIPED_WIDTH
    for asked, width in (("96", 96), ("30", PIPED_WIDTH), ("wide", PIPED_WIDTH)):
        monkeypatch.setenv("COLUMNS", asked)
        assert console(file=io.StringIO()).width == width


CODE = """
from rich.text import Text
from evenhand.report.output.terminal import console
on = console()
on.print(Text("\u2705 \u2265 \u0144 \u2013 \u00e9 end"))
"""


def test_b077_redirected_output_is_utf8_and_whole_whatever_the_encoding_of_the_stream():
    env = {**BASE, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, env=env, check=True)
    assert done.stdout.decode("utf-8").split() == ["✅", "≥", "ń", "–", "é", "end"]
    assert done.stderr == b""


def test_a_terminal_keeps_its_encoding_and_shows_what_it_cannot_as_escapes():
    from evenhand.report.output.terminal import mend_stream

    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    raw = io.BytesIO()
    stream = Terminal(raw, encoding="cp1252")
    mend_stream(stream)
    stream.write("✅–")
    stream.flush()
    assert raw.getvalue() == b"\\u2705\x96"


def test_colours_are_off_with_no_color_and_ci(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for name in ("NO_COLOR", "CI", "TERM", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert console(file=Terminal()).is_terminal
    for name in ("NO_COLOR", "CI"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "1")
            assert not console(file=Terminal()).is_terminal
            assert console(file=Terminal()).color_system is None


def test_with_json_words_go_to_standard_error(capsys):
    from rich.text import Text

    console(json=True).print(Text("a word"))
    told = capsys.readouterr()
    assert told.out == ""
    assert "a word" in told.err


def test_plain_progress_is_one_line_a_stage():
    stream = io.StringIO()
    with progress(console(file=stream)) as lines:
        for i in range(4):
            lines("embed\x1b[2J", i + 1, 4, "3 cached")
        lines("embed", 4, 4)
        lines("search", 0, 2)
        lines("search", 2, 2)
    assert stream.getvalue().splitlines() == ["embed: 4/4 (3 cached)", "search: 2/2"]


def test_long_stages_say_what_is_left(monkeypatch):
    from evenhand.report.output import terminal

    now = iter([0.0, 5.0, 12.0, 13.0, 20.0])
    monkeypatch.setattr(terminal.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    lines = progress(console(file=stream))
    for done in (0, 25, 50, 51, 100):
        lines("embed", done, 100)
    assert stream.getvalue().splitlines() == ["embed: 50/100, about 12 s left", "embed: 100/100"]


def test_a_second_stage_of_one_name_has_a_time_of_its_own(monkeypatch):
    from evenhand.report.output import terminal

    clock = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock[0])
    stream = io.StringIO()
    lines = progress(console(file=stream))
    for now, done in ((0, 0), (20, 50), (40, 100), (1000, 0), (1020, 25), (1080, 100)):
        clock[0] = float(now)
        lines("embed units", done, 100)
    assert stream.getvalue().splitlines() == [
        "embed units: 50/100, about 20 s left",
        "embed units: 100/100",
        "embed units: 25/100, about 60 s left",
        "embed units: 100/100",
    ]


def test_what_a_cache_gave_at_once_does_not_make_the_rest_look_quick(monkeypatch):
    from evenhand.report.output import terminal

    clock = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock[0])
    stream = io.StringIO()
    lines = progress(console(file=stream))
    for now, done in ((0, 0), (0.01, 900), *((n, 900 + n) for n in range(5, 80, 5))):
        clock[0] = float(now)
        lines("embed", done, 1000)
    last = stream.getvalue().splitlines()[-1]
    assert last == "embed: 970/1,000, about 30 s left"  # one a second, by the last minute


def test_a_stage_that_was_stopped_has_no_time_left():
    from rich.console import Console

    stream = io.StringIO()
    lines = progress(console(file=stream))
    lines("judge", 3, 10, "$0.10 · stopped")
    assert "left" not in stream.getvalue()
    stream = io.StringIO()
    bars = progress(Console(file=stream, force_terminal=True, width=90))
    bars.__enter__()
    bars("embed", 0, 10)
    bars._left["embed"]._seen[0] = (bars._left["embed"]._seen[0][0] - 100, 0)
    bars("embed", 5, 10)
    bars.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert "left" not in stream.getvalue().rsplit("embed", 1)[1]


def test_a_note_that_tells_the_time_left_is_not_followed_by_another(monkeypatch):
    from evenhand.report.output import terminal

    now = iter([0.0, 5.0, 12.0])
    monkeypatch.setattr(terminal.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    lines = progress(console(file=stream))
    for done in (0, 25, 50):
        lines("judge", done, 100, "$0.10 · 5 s left")
    assert stream.getvalue() == "judge: 50/100 ($0.10 · 5 s left)\n"


def test_a_bar_leaves_the_time_left_to_a_note_that_tells_it():
    from rich.console import Console

    stream = io.StringIO()
    with progress(Console(file=stream, force_terminal=True, width=100)) as lines:
        lines("judge", 1, 4, "$0.10 · 5 s left")
    assert "5 s left" in stream.getvalue()
    assert "-:--" not in stream.getvalue()


def test_progress_on_a_terminal_is_a_bar():
    from rich.console import Console

    stream = io.StringIO()
    on = Console(file=stream, force_terminal=True, width=100)
    with progress(on) as lines:
        lines("embed", 1, 4)
        lines("embed", 4, 4, "done")
    assert "4/4" in stream.getvalue()
    assert "embed" in stream.getvalue()
