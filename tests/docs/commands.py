"""One command line of a page: ``evenhand`` in this process, as start-up is most of what it takes; else by bash."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

from evenhand.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
OWN = tuple(str(place) for place in (sys.prefix, sys.base_prefix, ROOT / "src", ROOT / "tests"))
LASTS = 180  # seconds
# arguments, 2>&1, and what the shell does with the output; anything it would expand is left to it
_EVENHAND = re.compile(
    r"""evenhand\ (?P<given>(?:[^'"|<>&;$`*?]|'[^']*'|"[^"$`]*")*?)\s*(?P<both>2>&1)?\s*(?P<rest>[|>][^&]*)?$""",
    re.VERBOSE,
)


def run(command: str, folder: Path, env: dict[str, str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of *command* in *folder* with the environment *env*."""
    found = _EVENHAND.fullmatch(command)
    if found is None:
        return _by_shell(command, folder, env)
    with _guests():
        code, out, err = _in_process(shlex.split(found["given"]), folder, env, both=bool(found["both"]))
    if found["rest"]:
        after, out, more = _by_shell(f"cat {found['rest']}", folder, env, said=out)
        code, err = after or code, err + more
    return code, out, err


def _in_process(given: list[str], folder: Path, env: dict[str, str], *, both: bool) -> tuple[int, str, str]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = out if both else io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with (
        mock.patch.dict(os.environ, env, clear=True),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(given)
    said = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]
    return code, said[0], "" if both else said[1]


@contextlib.contextmanager
def _guests():
    """A study's own code is imported anew by each command, as it is where each is a process of its own."""
    path, before = list(sys.path), set(sys.modules)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and not file.startswith(OWN):
                del sys.modules[name]


def _by_shell(
    command: str, folder: Path, env: dict[str, str], *, said: str | None = None
) -> tuple[int, str, str]:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=env,
        input=said,
        text=True,
        encoding="utf-8",
        capture_output=True,
        timeout=LASTS,
    )
    return done.returncode, done.stdout, done.stderr
