"""``evenhand doctor``: what is here, what is missing, and the command that mends it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.cli.shared.runs_code import RunCode
from evenhand.report.output.terminal import clean

__all__ = ["doctor", "examine", "judges"]

KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "OLLAMA_BASE_URL",
    "EVENHAND_OFFLINE",
)
USES = {
    "dense": "the embedded embedder (all-MiniLM-L6-v2 on onnxruntime)",
    "plots": "pictures of tables and plots as files",
    "html": "reading HTML",
    "pdf": "reading PDF",
    "office": "reading DOCX and PPTX",
    "web": "the local web pages",
    "llm": "models over HTTP",
    "torch": "any sentence-transformers model",
    "fast": "BM25 compiled by numba",
    "postgres": "a shared PostgreSQL store",
    "dask": "work on a Dask cluster",
    "ray": "work on a Ray cluster",
    "verify": "checks against trec_eval and statsmodels",
}
_REQUIREMENT = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[^\]]*\])?(?P<bounds>[^;]*)(;(?P<marker>.*))?$")
_EXTRA = re.compile(r"""extra\s*==\s*["']([\w-]+)["']""")


def doctor(
    study: Annotated[
        Path | None,
        typer.Argument(help="A study: say what its judges and its drafter would call.", metavar="STUDY.toml"),
    ] = None,
    run_code: RunCode = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say which versions, extras, models and keys are here, and how to get what is missing.

    Judges and a drafter that are code of the study (python:) are imported only with --run-code.
    """
    found = examine()
    if study is not None:
        found["judges"], found["drafter"] = judges(study, run_code=run_code)
    if json:
        import json as writer

        print(writer.dumps(found, ensure_ascii=False, indent=2, sort_keys=True))
        return
    print(f"evenhand {found['evenhand']}, Python {found['python']}, {found['platform']}")
    print(f"core: {_told(found['core'])}")
    for name, extra in found["extras"].items():
        if extra["installed"]:
            print(f"extra {name}: ok ({USES.get(name, 'optional')})")
    for name, model in found["models"].items():
        print(f"model {name}: {model['state']}")
    there = [name for name, present in found["keys"].items() if present]
    print(f"set in the environment (values are never shown): {', '.join(there) or 'none of ours'}")
    for name, told in found["providers"].items():
        print(f"provider {name}: {_provider(told)}")
    for told in (*found.get("judges", ()), *found.get("drafter", ())):
        part = "drafter" if told in found["drafter"] else f"judge {clean(told['name'])}"
        print(f"{part}: {clean(_judge(told))}")
        if told["why"]:
            print(f"  cannot be asked: {clean(told['why'])}\n  mend: {clean(told['mend'])}")
    if not found["missing"]:
        print("nothing is missing")
    for one in found["missing"]:
        print(f"missing: {one['what']}\n  mend: {one['mend']}")


def _told(packages: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {version or 'MISSING'}" for name, version in packages.items())


def _provider(told: dict[str, Any]) -> str:
    address = told["address"] or "no address of its own: give base_url"
    if not told["keys"]:
        return f"{address} (asks for no key)" if told["local"] else address
    return f"{address}, {told['set']} is set" if told["set"] else f"{address}, no {' or '.join(told['keys'])}"


def _judge(told: dict[str, Any]) -> str:
    key = f", {told['key']} is {'set' if told['set'] else 'not set'}" if told["key"] else ""
    return f"{told['calls']} (family {told['family'] or 'not known'}){key}"


def judges(study: Path, *, run_code: bool = False) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What each judge of a study's panel, and the drafter of its questions, would call; nothing is called.

    Each with what keeps it from that.
    """
    from evenhand.formats.study_file.read import read_study
    from evenhand.llm.providers.available import of_model
    from evenhand.plugins import code, importable
    from evenhand.study.panel.ask import of_chat

    plan = read_study(study)
    asked = [] if plan.panel is None else [(one.name, one) for one in plan.panel.judges]
    drafting = [] if plan.draft is None else [("drafter", plan.draft)]

    def told(name: str, one: Any) -> dict[str, Any]:
        settings = of_chat(one.model, one.settings)
        return of_model(name, one.model, settings, family=one.family, folder=study.parent)

    with code(runs=run_code), importable(study.parent):
        return [told(*one) for one in asked], [told(*one) for one in drafting]


def examine() -> dict[str, Any]:
    """All that `doctor` tells, as plain JSON; the values of keys are never read into it."""
    import platform
    from importlib.metadata import requires, version

    core: dict[str, str | None] = {}
    extras: dict[str, dict[str, Any]] = {}
    for line in requires("evenhand") or []:
        parts = _REQUIREMENT.match(line)
        if parts is None:
            continue
        name, marker = parts["name"], parts["marker"] or ""
        extra = _EXTRA.search(marker)
        if extra is None:
            core[name] = _version(name)
        else:
            entry = extras.setdefault(extra[1], {"installed": True, "packages": {}})
            entry["packages"][name] = _version(name)
            entry["installed"] = entry["installed"] and entry["packages"][name] is not None
    models = {"minilm": _minilm()}
    from evenhand.llm.providers.available import providers

    missing = [
        {"what": f"package {name}", "mend": f"pip install {name}"}
        for name, there in core.items()
        if there is None
    ]
    missing += [
        {
            "what": f"extra {name}, optional: {USES.get(name, '')}".rstrip(": "),
            "mend": f"pip install 'evenhand[{name}]'",
        }
        for name, entry in extras.items()
        if not entry["installed"]
    ]
    missing += [
        {"what": f"model {name}: {model['state']}", "mend": model["mend"]}
        for name, model in models.items()
        if model["mend"]
    ]
    return {
        "evenhand": version("evenhand"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "core": core,
        "extras": dict(sorted(extras.items())),
        "models": models,
        "keys": {name: name in os.environ for name in KEYS},
        "providers": providers(),
        "missing": missing,
    }


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _minilm() -> dict[str, Any]:
    """Whether the weights are here, are the ones that were measured, and give a vector."""
    from evenhand.errors import EvenhandError
    from evenhand.retrieve.models.minilm import MiniLM

    try:
        model = MiniLM(threads=1)
        length = float((model.embed(["does it work?"]) ** 2).sum())
    except EvenhandError as error:
        return {"state": error.what, "mend": error.mend, "seal": None}
    state = "ok" if abs(length - 1) < 1e-3 else f"gives a vector of length {length:.3f}, not 1"
    return {"state": state, "mend": None, "seal": model.seal}
