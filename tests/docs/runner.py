"""Runs what the documentation shows, and compares what comes out; ``--update`` writes it in.

    python -m tests.docs.runner            # compare
    python -m tests.docs.runner --update   # refresh the outputs shown, and what is made from the code

The conventions of a page, top to bottom, in one temporary folder with ``examples/`` in it:

- A block ``console``: each line that begins with ``$ `` is a command, what follows is its output. A line
  of ``…`` alone stands for any number of lines. A command that ends with an exit code other than 0 must be
  followed by ``$ echo $?``; what it wrote to standard error is shown only then. A command that ends with
  ``&`` goes on until the page ends. ``make demo`` runs what its recipe runs; other targets are not run.
- A block with ``title="path"`` is a file, written when it is reached; ``title="Add to path"`` is appended.
- ``<!-- run -->`` before a ``python`` block runs it; a ``text`` block right after it is what it prints.
- ``<!-- columns 96 -->`` sets the width of the terminal from there on.
- A port written as ``localhost:8765`` is replaced by a free one.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs import commands

ROOT = Path(__file__).resolve().parents[2]


def run_pages() -> tuple[str, ...]:
    """Pages that hold something to run, README first; a page is run once it shows a command."""
    found = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))]
    shows = re.compile(r"^ *```console|^<!-- run -->", re.MULTILINE)
    return tuple(page for page in found if shows.search((ROOT / page).read_text(encoding="utf-8")))


_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>.*)$")
_TITLE = re.compile(r'title="([^"]*)"')
_NOTE = re.compile(r"^\s*<!--\s*(?P<word>\w+)\s*(?P<rest>.*?)\s*-->\s*$")
_PROGRESS = re.compile(r"^.{1,80}: [\d,]+/[\d,]+( \(.*\))?$")
_TIMES = re.compile(r"\b\d+(\.\d+)? (s|ms|seconds)\b")
_PORT = re.compile(r"localhost:(\d{4,5})")
MAKE = {"make demo": "evenhand demo"}  # a test holds this against the Makefile
ALIKE = 12  # characters by which a line after … is found again
_HEX = re.compile(r"\b[0-9a-f]{64}\b")


@dataclass
class Block:
    """One fenced block: lines ``first`` to ``last`` (0-based, fences not counted) of its page."""

    language: str
    title: str
    notes: dict[str, str]
    indent: int
    first: int
    last: int
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def where(self) -> str:
        return f"line {self.first}"


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, with the comments that stand right before each."""
    found: list[Block] = []
    lines = text.split("\n")
    notes: dict[str, str] = {}
    i = 0
    while i < len(lines):
        fence, note = _FENCE.match(lines[i]), _NOTE.match(lines[i])
        if note:
            notes[note["word"]] = note["rest"]
        elif fence:
            indent, info = len(fence["indent"]), fence["info"].strip()
            close = next(j for j in range(i + 1, len(lines)) if lines[j].strip() == fence["fence"])
            title = _TITLE.search(info)
            found.append(
                Block(
                    language=info.split(" ")[0],
                    title=title[1] if title else "",
                    notes=notes,
                    indent=indent,
                    first=i + 1,
                    last=close,
                    lines=[line[indent:] for line in lines[i + 1 : close]],
                )
            )
            notes, i = {}, close
        elif lines[i].strip():
            notes = {}
        i += 1
    return found


def normal(line: str) -> str:
    """A line without what differs from run to run: times, seals, white space at its end."""
    line = _HEX.sub("<sha256>", _TIMES.sub("<time>", line))
    line = re.sub(r"Python 3\.\d+\.\d+\S*, .*", "Python <here>", line)
    return line.rstrip()


def agree(shown: list[str], got: list[str]) -> bool:
    """Whether the output shown is what came out, ``…`` standing for any lines."""
    want, have = [normal(s) for s in shown], [normal(g) for g in got]
    while want and not want[-1]:
        want.pop()
    while have and not have[-1]:
        have.pop()
    parts: list[list[str]] = [[]]
    for line in want:
        if line == "…":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return want == have
    if have[: len(parts[0])] != parts[0]:
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        at = next((i + len(part) for i in range(at, len(have)) if have[i : i + len(part)] == part), -1)
        if at < 0:
            return False
    tail = parts[-1]
    return len(have) - len(tail) >= at and (not tail or have[-len(tail) :] == tail)


def renewed(shown: list[str], got: list[str]) -> list[str]:
    """The output to be shown now: as much of it as was shown before."""
    got = [line.rstrip() for line in got]
    while got and not got[-1]:
        got.pop()
    if "…" not in shown:
        return got
    parts: list[list[str]] = [[]]
    for line in shown:
        if line == "…":
            parts.append([])
        else:
            parts[-1].append(line)
    while parts[-1] and not parts[-1][-1]:
        parts[-1].pop()
    made = got[: len(parts[0])]
    at = len(made)
    for part in parts[1:-1]:
        # found again by how its first line begins
        start = next((i for i in range(at, len(got)) if got[i][:ALIKE] == part[0][:ALIKE]), at)
        at = start + len(part)
        made += ["…", *got[start:at]]
    tail = len(parts[-1])
    return [*made, "…", *(got[-tail:] if tail else [])]


@dataclass
class Page:
    """One page while it is run in *folder*."""

    name: str
    folder: Path
    text: str
    update: bool = False
    columns: int = 110
    failures: list[str] = field(default_factory=list)
    ports: dict[str, str] = field(default_factory=dict)
    space: dict[str, object] = field(default_factory=dict)
    background: list[subprocess.Popen[str]] = field(default_factory=list)
    code: int = 0
    unseen: str = ""

    def go(self) -> str:
        """Run the page, and give back its text, with the outputs of now if *update*."""
        for port in _PORT.findall(self.text):
            self.ports.setdefault(port, _free_port())
        lines = self.text.split("\n")
        fresh: list[tuple[Block, list[str]]] = []
        every = blocks(self.text)
        try:
            for i, block in enumerate(every):
                if block.notes.get("columns"):
                    self.columns = int(block.notes["columns"])
                if block.title:
                    self.write(block)
                elif block.language == "console":
                    fresh.append((block, self.console(block)))
                elif block.language == "python" and "run" in block.notes:
                    after = every[i + 1] if i + 1 < len(every) else None
                    printed = self.python(block)
                    if after and after.language == "text" and after.first - block.last <= 3:
                        if not agree(after.lines, printed):
                            self.differ(after, after.lines, printed)
                        fresh.append((after, renewed(after.lines, printed)))
                    elif printed:
                        self.failures.append(
                            f"{self.name}: {block.where}: prints {printed}, which is not shown"
                        )
        finally:
            for process in self.background:
                process.terminate()
                process.wait(timeout=10)
        for block, shown in reversed(fresh):
            lines[block.first : block.last] = [(" " * block.indent + line).rstrip() for line in shown]
        return "\n".join(lines)

    def differ(self, block: Block, shown: list[str], got: list[str]) -> None:
        told = difflib.unified_diff(
            [normal(s) for s in shown], [normal(g) for g in got], "shown", "printed", lineterm=""
        )
        self.failures.append(f"{self.name}: {block.where}:\n" + "\n".join(told))

    def with_ports(self, text: str, *, back: bool = False) -> str:
        for shown, real in self.ports.items():
            text = text.replace(real, shown) if back else text.replace(shown, real)
        return text

    def write(self, block: Block) -> None:
        name = block.title.removeprefix("Add to ")
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = "a" if block.title.startswith("Add to ") else "w"
        with path.open(mode, encoding="utf-8", newline="") as file:
            file.write(
                ("\n" if mode == "a" and block.language == "toml" else "") + self.with_ports(block.text)
            )

    def console(self, block: Block) -> list[str]:
        shown: list[str] = []
        steps: list[tuple[str, list[str]]] = []
        for line in block.lines:
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif steps:
                steps[-1][1].append(line)
        for i, (command, output) in enumerate(steps):
            after = steps[i + 1][0] if i + 1 < len(steps) else ""
            if command.split(" ")[0] == "make" and command not in MAKE:
                shown += [f"$ {command}", *output]
                continue
            got = self.run(MAKE.get(command, command), forgiven=after == "echo $?")
            if self.code and command != "echo $?" and after != "echo $?":
                self.failures.append(
                    f"{self.name}: {block.where}: {command!r} ended with {self.code}\n{self.unseen}"
                )
            if not agree(output, got):
                self.differ(block, [f"$ {command}", *output], [f"$ {command}", *got])
            shown += [f"$ {command}", *renewed(output, got)]
            if output and not output[-1] and i + 1 < len(steps):
                shown.append("")
        return shown

    def run(self, command: str, *, forgiven: bool) -> list[str]:
        if command == "echo $?":
            return [str(self.code)]
        if re.match(r"cd \S+$", command):
            self.folder = (self.folder / command[3:]).resolve()
            return []
        bare = self.with_ports(command)
        if bare.endswith(" &"):
            self.background.append(
                subprocess.Popen(
                    bare.removesuffix(" &").split(" "),
                    cwd=self.folder,
                    env=self.environment(),
                    text=True,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            _wait_for(self.ports.values())
            self.code = 0
            return []
        self.code, out, err = commands.run(bare, self.folder, self.environment())
        self.unseen = "\n".join(line for line in err.splitlines() if not _PROGRESS.match(line))
        if "| head" in bare and not self.unseen:
            self.code = 0  # head closes the pipe early, which is no failure of what writes into it
        text = out + (f"{self.unseen}\n" if forgiven and self.unseen else "")
        return self.with_ports(text, back=True).splitlines()

    def environment(self) -> dict[str, str]:
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("evenhand", "PYTEST_", "COV_"))}
        scripts = str(Path(sys.executable).parent)
        return {
            **keep,
            "EVENHAND_STATE": "off",  # no page knows what another has looked at
            "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": str(self.columns),
            "NO_COLOR": "1",
            "PYTHONWARNINGS": "",
        }

    def python(self, block: Block) -> list[str]:
        printed = io.StringIO()
        before = Path.cwd()
        sys.path.insert(0, str(self.folder))
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(ast.parse(block.text), f"{self.name}:{block.first}", "exec"), self.space)  # noqa: S102
        finally:
            os.chdir(before)
            sys.path.remove(str(self.folder))
        return printed.getvalue().splitlines()


def _free_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def _wait_for(ports: Iterator[str] | object) -> None:
    for port in ports:  # type: ignore[attr-defined]
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("localhost", int(port)), timeout=1):
                break
            time.sleep(0.05)


@contextlib.contextmanager
def _warm(cache: Path) -> Iterator[None]:
    """Embeddings of the handbook that lie in the source tree already; they are named by their content."""
    known = ROOT / "examples" / "handbook" / ".evenhand" / "embeddings"
    if known.is_dir():
        shutil.copytree(known, cache)
    yield


def run_page(
    name: str,
    *,
    update: bool = False,
    embedded: Callable[[Path], contextlib.AbstractContextManager[None]] = _warm,
) -> Page:
    """Run one page in a folder of its own; *embedded* fills the folder of the demo's embeddings, if it can."""
    path = ROOT / name
    folder = Path(tempfile.mkdtemp(prefix="evenhand-docs-"))
    try:
        (folder / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
        page = Page(name, folder, path.read_text(encoding="utf-8"), update=update)
        with embedded(folder / "evenhand-demo" / ".evenhand" / "embeddings"):
            text = page.go()
    finally:
        shutil.rmtree(folder)
    # what a command printed that failed is not what the page wants to show
    if update and text != page.text and not any("ended with" in failure for failure in page.failures):
        path.write_text(text, encoding="utf-8")
    return page


def main(arguments: list[str]) -> int:
    update = "--update" in arguments
    asked = [one for one in arguments if not one.startswith("-")]
    if update and not asked:
        from tests.docs import api_reference, cli_reference, metrics_reference

        (ROOT / "docs/reference/cli.md").write_text(cli_reference.render(), encoding="utf-8")
        (ROOT / "docs/reference/api.md").write_text(api_reference.render(), encoding="utf-8")
        metrics = ROOT / "docs/reference/metrics.md"
        metrics.write_text(metrics_reference.render(metrics.read_text(encoding="utf-8")), encoding="utf-8")
    failed = 0
    for name in asked or run_pages():
        begun = time.perf_counter()
        page = run_page(name, update=update)
        state = "ok" if not page.failures else "renewed" if update else "DIFFERS"
        print(f"{name}: {state} ({time.perf_counter() - begun:.1f} s)")
        for failure in page.failures:
            failed += not update or "ended with" in failure
            if not update or "ended with" in failure:
                print(failure)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
