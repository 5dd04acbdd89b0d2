"""``evenhand audit FIGURE [FIGURE]``: what a published figure supports, without its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.metrics.planning.audit import Audit

__all__ = ["audit"]


def audit(  # noqa: PLR0917 - typer makes options of them
    figures: Annotated[
        list[str],
        typer.Argument(
            help="One figure or two: 17/20, 85% with -n, or 0.71 with -n and --sd.", metavar="FIGURE"
        ),
    ],
    n: Annotated[
        list[int] | None, typer.Option("-n", help="Questions; twice where the two figures differ in it.")
    ] = None,
    sd: Annotated[
        list[float] | None, typer.Option(help="Standard deviation over questions; twice for two.")
    ] = None,
    se: Annotated[
        list[float] | None, typer.Option(help="Standard error instead: the spread over the root of n.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option("-m", "--metric", help="The metric, such as Success@5 (yes/no) or nDCG@10.")
    ] = None,
    relevant: Annotated[
        int | None,
        typer.Option(help="Relevant units of each question, where all have as many: recall goes in steps."),
    ] = None,
    of: Annotated[
        int | None, typer.Option("--of", help="How many systems or settings were compared.")
    ] = None,
    tests: Annotated[int | None, typer.Option(help="How many tests; default: all pairs of --of.")] = None,
    paired: Annotated[
        bool | None,
        typer.Option("--paired/--unpaired", help="On the same questions, or not; not known when left out."),
    ] = None,
    at_least: Annotated[
        str | None, typer.Option(help="A value that the figure is said to reach, such as 0.75 or 75%.")
    ] = None,
    clusters: Annotated[
        int | None, typer.Option(help="From how many documents or topics the questions come.")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals; tests are at 1 − level.")] = 0.95,
    power: Annotated[float, typer.Option(help="Chance of finding the smallest difference named.")] = 0.8,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what a figure without its data supports: its interval, what could be shown at all, what not."""
    from evenhand.metrics.planning.audit import audit as look
    from evenhand.metrics.planning.published_figures import read_figure

    if len(figures) > 2:
        raise InputError(
            f"{len(figures)} figures are given", mend="give one or two, and the number compared as --of"
        )
    if sd and se:
        raise InputError("both --sd and --se are given", mend="give one of them")
    sizes, sds, ses = (_each(x, len(figures), name) for x, name in ((n, "-n"), (sd, "--sd"), (se, "--se")))
    read = []
    for text, size, spread, error in zip(figures, sizes, sds, ses, strict=True):
        if error is not None:
            if size is None:
                raise InputError("--se needs the number of questions", mend="give -n as well")
            spread = error * float(size) ** 0.5  # noqa: PLW2901 - the same thing in another unit
        count = None if size is None else int(size)
        read.append(read_figure(text, n=count, sd=spread, metric=metric, relevant=relevant))
    found = look(
        read,
        systems=of,
        tests=tests,
        paired=paired,
        at_least=_share(at_least),
        clusters=clusters,
        level=level,
        power=power,
    )
    _print_json(found) if json else _print(found)


def _each(given: list[int] | list[float] | None, many: int, name: str) -> list[float | None]:
    """One entry a figure; one given holds for all."""
    if not given:
        return [None] * many
    if len(given) not in (1, many):
        raise InputError(
            f"{name} is given {len(given)} times for {many} figure{'s' * (many > 1)}",
            mend="give it once for all, or once for each",
        )
    return [*given] * (many if len(given) == 1 else 1)


def _share(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise InputError(f"--at-least {text!r} is not a number", mend="write 0.75 or 75%")
    return value


def _print_json(found: Audit) -> None:
    import json
    from dataclasses import asdict

    from evenhand.metrics.planning.audit import SCHEMA

    print(json.dumps({"schema": SCHEMA, **asdict(found)}, ensure_ascii=False, allow_nan=False, indent=1))


def _print(found: Audit) -> None:
    from textwrap import fill

    from evenhand.report.output.terminal import clean, console

    on = console()
    width = min(on.width, 110)
    for row in found.figures:
        value = f"{row['value']:.3f}"
        k = f"{row['k']} of {row['n']}" if row["k"] is not None else f"n = {row['n']}"
        if row["wrong"]:
            bounds = f"no interval: {clean(row['printed'])} cannot be right"
        elif row["low"] is None:
            bounds = "no interval from one question"
        else:
            bounds = f"[{row['low']:.3f}, {row['high']:.3f}]  {row['level']:.0%} {row['method']}"
        if row["exact"]:
            bounds += f"; exact [{row['exact'][0]:.3f}, {row['exact'][1]:.3f}]"
        on.print(f"{value}  {k}  {bounds}", style="bold")
    heads = (
        ("note", found.notes),
        ("supports", found.supports),
        ("does not support", found.does_not_support),
        ("would help to know", found.would_help),
    )
    marks = {"note": "!", "supports": "+", "does not support": "−", "would help to know": "?"}
    for head, lines in heads:
        if lines:
            on.print()
            on.print(head, style="bold")
            for line in lines:
                on.print(fill(clean(line), width, initial_indent=f"{marks[head]} ", subsequent_indent="  "))
