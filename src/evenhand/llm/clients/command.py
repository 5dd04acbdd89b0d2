"""A program on this machine as a chat: the request as JSON on its input, the reply on its output.

No shell is involved. The program gets, on one line, ``messages`` (role, content), ``schema`` and
``schema_name`` when a form is asked for, ``temperature``, ``max_tokens``, ``seed``, ``repeat``. What it
prints is the reply's text; or it prints an object with ``text`` and, if it likes, ``stop`` (end, length,
refused), ``model``, ``tokens_in``, ``tokens_out``, ``tokens_cached``, ``logprob``. Exit code 0: a reply;
75: ask again later; any other: a fault.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, Unreachable
from evenhand.llm.costs.prices import FREE
from evenhand.llm.parsing.json_reply import found, shown_in
from evenhand.llm.parsing.structured_output import Form, Raw
from evenhand.llm.providers.families import family_of
from evenhand.model.call import STOPS, Reply, Request
from evenhand.model.json_text import loads
from evenhand.model.seal import seal
from evenhand.plugins import may_run
from evenhand.redact import in_line

__all__ = ["Command"]

AGAIN = 75  # EX_TEMPFAIL of sysexits.h
MOST = 4000  # bytes of what a program wrote on standard error, of which the last line is told
_ENVELOPE = ("text", "stop", "model", "tokens_in", "tokens_out", "tokens_cached", "logprob")


class Command:
    """A `protocols.Chat` that starts a program for each question, in *folder*.

    Its seal is over the words of the command and the contents of those words that name files in *folder*.
    """

    tariff = FREE

    def __init__(self, line: str, *, name: str = "", family: str = "", folder: Path | None = None) -> None:
        try:
            self.words = tuple(shlex.split(line))
        except ValueError as error:
            raise InputError(f"command:{line} cannot be read: {error}", mend="close its quotes") from error
        if not self.words:
            raise InputError("command: names no program", mend="command:program arguments")
        self.name = name or f"command:{line}"
        self.family = family or family_of(line)
        self.folder = folder or Path()

    @cached_property
    def seal(self) -> str:
        """Identity of the command and of its own files."""
        return seal(["command/1", self.settings()])

    def settings(self) -> dict[str, Any]:
        """What a reply depends on, as far as it can be seen."""
        files = {word: self.folder / word for word in self.words if not Path(word).is_absolute()}
        sums = {
            word: hashlib.sha256(path.read_bytes()).hexdigest()
            for word, path in files.items()
            if path.is_file()
        }
        return {"model": "command:" + shlex.join(self.words), "files": sums}

    def price(self, reply: Reply) -> float:  # noqa: ARG002 - the shape of a priced chat
        """Nothing, as far as we know."""
        return 0.0

    def ready(self) -> None:
        """Raise when there is no such program."""
        self._program()

    def _program(self) -> str:
        word = self.words[0]
        own = self.folder / word
        program = str(own.resolve()) if os.sep in word and own.is_file() else shutil.which(word)
        if program is None:
            raise InputError(
                f"{self.name}: there is no program {word!r}",
                mend="give its path relative to the study file, or put it on the PATH",
            )
        return program

    def ask(self, request: Request, *, timeout: float) -> Reply:
        """Start the program once; its group is ended when the time is over."""
        asked: dict[str, Any] = {
            "messages": [{"role": one.role, "content": one.content} for one in request.messages],
            "schema": dict(request.schema) if request.schema is not None else None,
            "schema_name": request.schema_name if request.schema is not None else None,
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "seed": request.seed,
            "repeat": request.repeat,
        }
        data = json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        may_run(self.name)
        try:
            running = subprocess.Popen(
                [self._program(), *self.words[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(
                f"{self.name}: the program cannot be started ({error.strerror})",
                mend="make it executable, or start it by its interpreter",
            ) from error
        with running:
            try:
                out, told = running.communicate(data, timeout=timeout)
            except subprocess.TimeoutExpired:
                _end(running)
                raise Unreachable(
                    f"{self.name}: no reply within {timeout:.3g} s",
                    mend="raise the time a call may take",
                    why="no answer in time",
                ) from None
            except BaseException:
                _end(running)
                raise
        if code := running.returncode:
            ended, said = f"exit code {code}" if code > 0 else f"signal {-code}", _last(told)
            raise Unreachable(
                f"{self.name} ended with {ended}: {said!r}",
                mend="run it by hand with a request on its input, and see what it says",
                why=ended,
                said=said,
                again=code == AGAIN,
            )
        raw = _raw(out.decode("utf-8", "replace"))
        if raw.stop not in STOPS:
            raise Unreachable(
                f"{self.name}: the reply ended for a reason that is not known: {raw.stop[:80]!r}",
                mend=f"let the program write one of {', '.join(STOPS)} as its stop",
                why="the reply was broken off",
                said=in_line(raw.stop, 80),
            )
        return _reply(raw, request)


def _end(running: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it started."""
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        running.kill()


def _last(told: bytes) -> str:
    """The last line that the program wrote on standard error, without keys of the environment."""
    lines = told[-MOST:].decode("utf-8", "replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    return in_line(last, len(last))[-200:]


def _raw(out: str) -> Raw:
    """An envelope when it is one, the bare text otherwise."""
    try:
        told = loads(out)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("text"), str) or set(told) - set(_ENVELOPE):
        return Raw(text=out.strip("\r\n"))
    counts = {key: told.get(key) for key in _ENVELOPE[3:6]}
    return Raw(
        text=told["text"],
        stop=str(told.get("stop") or "end"),
        model=str(told.get("model") or ""),
        logprob=told.get("logprob"),
        **counts,
    )


def _reply(raw: Raw, request: Request) -> Reply:
    asked = request.schema is not None
    form = Form("prompt" if asked else "")
    return Reply(
        text=raw.text,
        data=found(raw.text, request.schema, shown=shown_in(request))
        if asked and raw.stop == "end"
        else None,
        stop=raw.stop,
        rung=form.rung,
        model=raw.model,
        tokens_in=raw.tokens_in,
        tokens_out=raw.tokens_out,
        tokens_cached=raw.tokens_cached,
        logprob=raw.logprob,
    )
