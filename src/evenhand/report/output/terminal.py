"""The terminal: hostile text made harmless, one console, progress."""

from __future__ import annotations

import os
import re
import sys
import time
import unicodedata
from typing import IO, TYPE_CHECKING, Any, Self

from evenhand.model.pace import Remaining

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

__all__ = ["PIPED_WIDTH", "ProgressLines", "clean", "console", "mend_stream", "progress"]

PIPED_WIDTH = 110

# Whole escape sequences go, so that no "[31m" is left behind: CSI, then OSC/DCS/PM/APC/SOS with their
# bodies up to the terminator, then any two-character escape; the 8-bit forms of the same.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_JOINERS = "\u200c\u200d"  # needed inside Persian words and emoji


def clean(text: str, *, lines: bool = False) -> str:
    """Take out of *text* whatever would act on a terminal instead of being shown.

    Escape sequences, control characters, bidirectional controls and other invisible format characters
    are dropped, lone surrogates become U+FFFD, and all white space becomes single blanks; with *lines*
    newlines and tabs are kept.
    """
    text = _SEQUENCE.sub("", text.replace("\r\n", "\n"))
    kept: list[str] = []
    for char in text:
        kind = unicodedata.category(char)
        if char in "\n\t\r\v\f\x85" or kind in ("Zl", "Zp"):
            kept.append(char if lines and char in "\n\t" else " ")
        elif kind == "Cs":
            kept.append("\ufffd")
        elif kind == "Cc" or (kind == "Cf" and char not in _JOINERS):
            continue
        else:
            kept.append(char)
    done = "".join(kept)
    return done if lines else " ".join(done.split())


def mend_stream(stream: Any) -> None:
    """Make *stream* unable to fail on a character.

    The rule: what is not a terminal (a file, a pipe) is written as UTF-8, whatever the locale or
    PYTHONIOENCODING says; a terminal keeps its own encoding, and a character that it cannot show is
    written as a backslash escape. Lines leave as they end, so that output and errors keep their order where
    both go into one file. Streams that cannot be reconfigured (in memory) are left alone.
    """
    change = getattr(stream, "reconfigure", None)
    if change is None:
        return
    if stream.isatty():
        change(errors="backslashreplace", line_buffering=True)
    else:
        change(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def console(*, file: IO[str] | None = None, json: bool = False) -> Console:
    """A console on *file* (standard output), plain where nobody watches.

    No colours, bars or styles when the stream is not a terminal or NO_COLOR or CI is set; 110 columns
    wide when piped (COLUMNS overrides). With *json* words go to standard error, so that standard
    output holds one JSON object and nothing else. The stream is mended, see `mend_stream`.
    """
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            # rich would leave with code 1, which says that a criterion is not met
            raise BrokenPipeError

    stream: Any = file if file is not None else (sys.stderr if json else sys.stdout)
    mend_stream(stream)
    plain = _plain(stream)
    width = None
    if not stream.isatty():
        asked = os.environ.get("COLUMNS", "")
        width = int(asked) if asked.isdigit() and int(asked) >= 40 else PIPED_WIDTH
    return _Console(
        file=stream,
        force_terminal=False if plain else None,
        color_system=None if plain else "auto",
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False if plain else None,
    )


def _plain(stream: Any) -> bool:
    flags = os.environ
    return not stream.isatty() or bool(flags.get("NO_COLOR")) or flags.get("CI", "") not in ("", "0", "false")


class ProgressLines:
    """Progress by `evenhand.protocols.Progress`: a bar a stage on a terminal, else plain lines.

    Use it as a context manager. On a terminal each stage is one line with done/total and the time that
    is left; elsewhere a stage is a line when it ends, and one every ten seconds while it runs.
    """

    EVERY = 10.0  # seconds between plain lines of one stage

    def __init__(self, console: Console) -> None:
        self.console = console
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._left: dict[str, Remaining] = {}
        self._said: dict[str, float] = {}
        self._ended: set[str] = set()

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._bars = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TextColumn("{task.fields[left]}", style="progress.remaining", markup=False),
                TextColumn("{task.fields[note]}", style="dim", markup=False),
                console=self.console,
            )
            self._bars.start()
        return self

    def __exit__(self, *failure: object) -> None:
        if self._bars is not None:
            for task in self._tasks.values() if any(failure) else ():
                self._bars.update(task, left="")  # what was stopped takes no more time
            self._bars.stop()
            self._bars = None

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """*done* of *total* steps of *stage* are finished."""
        name, note = clean(stage), clean(note)
        now = time.monotonic()
        pace = self._left.setdefault(name, Remaining())
        begun = pace.begun
        seconds = pace.tell(now, done, total)
        if pace.begun != begun:  # one of that name begins
            self._ended.discard(name)
            self._said.pop(name, None)
        ended = done >= total
        if self._bars is not None:
            if name not in self._tasks:
                self._tasks[name] = self._bars.add_task(name, total=total, note=note, left="")
            took = _clock(now - pace.begun) if ended else "" if seconds is None else f"{_clock(seconds)} left"
            left = "" if _tells_left(note) else took
            self._bars.update(self._tasks[name], completed=done, total=total, note=note, left=left)
            return
        if not ended and now - self._said.get(name, pace.begun) < self.EVERY:
            return
        if ended and name in self._ended:
            return
        self._said[name] = now
        line = f"{name}: {done:,}/{total:,}"
        if ended:
            self._ended.add(name)
        elif seconds is not None and not _tells_left(note):
            line += f", about {seconds:.0f} s left"
        from rich.text import Text

        self.console.print(Text(line + (f" ({note})" if note else "")), soft_wrap=True)


def _tells_left(note: str) -> bool:
    """Whether a note says itself how long it will take, by better knowledge than ours: or that it ended."""
    return any(part.endswith(" left") or part == "stopped" for part in note.split(" · "))


def _clock(seconds: float) -> str:
    """``12:05``, or ``3:12:05`` from an hour on."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def progress(on: Console | None = None) -> ProgressLines:
    """Progress on the console *on* (a new one on standard error), so that results can be redirected."""
    return ProgressLines(on if on is not None else console(file=sys.stderr))
