"""docs/reference/cli.md, made from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

HEAD = """\
# Command line

Made from the commands themselves by `python -m tests.docs.runner --update`; a test fails when it is stale.

Every command prints `--help`. What was found goes to standard output, progress and errors to standard error.
Exit codes are [the same for all](errors.md#exit-codes). `NO_COLOR` and a pipe switch colours and bars off;
`COLUMNS` sets the width of tables.
"""


def commands(node: Any, path: tuple[str, ...] = ("evenhand",)) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with the words that call it; a group after its members' heads."""
    yield path, node
    for name, child in getattr(node, "commands", {}).items():
        if not child.hidden:
            yield from commands(child, (*path, name))


def front() -> Any:
    """The whole command line as click sees it."""
    import typer

    from evenhand.cli.main import app

    return typer.main.get_command(app)


def parameters(node: Any) -> tuple[list[Any], list[Any]]:
    """Arguments and options, hidden ones left out; --help is everywhere."""
    shown = [one for one in node.params if not getattr(one, "hidden", False) and one.name != "help"]
    return (
        [one for one in shown if one.param_type_name == "argument"],
        [one for one in shown if one.param_type_name == "option"],
    )


def spelled(option: Any) -> str:
    """``-m``, ``--metric``."""
    return ", ".join(f"`{name}`" for name in sorted(option.opts, key=len))


def metavar(argument: Any) -> str:
    """What stands for an argument in a usage line."""
    return str(argument.metavar or argument.name).upper() if not argument.metavar else str(argument.metavar)


def _kind(option: Any) -> str:
    if getattr(option, "is_flag", False):
        return ""
    said = option.metavar or ""
    if not said:
        annotation = str(getattr(getattr(option, "type_descriptor", None), "annotation", ""))
        words = {"Path": "path", "int": "whole number", "float": "number", "str": "text"}
        said = next((word for name, word in words.items() if name in annotation), "text")
    else:
        said = f"`{said}`"
    return f"{said}, repeatable" if option.multiple else said


def _default(option: Any) -> str:
    value = option.default
    if callable(value) or value in (None, False, "", ()) or "Sentinel" in type(value).__name__:
        return "required" if option.required else ""
    return f"`{value}`"


def _cell(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").replace("|", "\\|").strip()


def render() -> str:
    """The page."""
    out = [HEAD]
    for path, node in commands(front()):
        if len(path) == 1:
            arguments, options = parameters(node)
            out.append("## evenhand\n")
            out.append(f"{_cell(node.help)}\n")
            names = [name for name, child in node.commands.items() if not child.hidden]
            out.append("| command | what it does |\n|---|---|")
            out += [
                f"| [`evenhand {name}`](#evenhand-{name}) | {_first(node.commands[name].help)} |"
                for name in names
            ]
            out.append("")
        else:
            arguments, options = parameters(node)
            out.append(f"{'#' * len(path)} evenhand {' '.join(path[1:])}\n")
            out += [f"{_paragraph(part)}\n" for part in re.split(r"\n\s*\n", (node.help or "").strip())]
        if not hasattr(node, "commands"):
            usage = [*path, *(["[OPTIONS]"] if options else []), *map(metavar, arguments)]
            out.append(f"```text\n{' '.join(usage)}\n```\n")
        if arguments:
            out.append("| argument | meaning |\n|---|---|")
            out += [f"| `{metavar(one)}` | {_cell(one.help)} |" for one in arguments]
            out.append("")
        if options:
            out.append("| option | value | default | meaning |\n|---|---|---|---|")
            out += [f"| {spelled(o)} | {_kind(o)} | {_default(o)} | {_cell(o.help)} |" for o in options]
            out.append("")
    return "\n".join(out).rstrip() + "\n"


def _first(text: str | None) -> str:
    return _cell((text or "").strip().split("\n\n")[0])


def _paragraph(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
