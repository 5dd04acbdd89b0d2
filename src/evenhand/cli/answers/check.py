"""``evenhand answers check``: what the checks find in generated items, in numbers and item by item."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.shared import argument_limits
from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import many

if TYPE_CHECKING:
    from rich.console import Console

    from evenhand.answer.checks.settings import Settings
    from evenhand.model.answer import Finding, Generation, Item

__all__ = ["check"]

SHOWN = 10  # failing items that are listed
INCOMPLETE = 4


def check(  # noqa: PLR0917 - typer makes options of them
    source: Annotated[
        Path, typer.Argument(help="answers.jsonl, or a study file with [answers].", metavar="FILE")
    ],
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Make this check alone (repeatable).", metavar="CHECK")
    ] = None,
    item: Annotated[
        str, typer.Option("--item", help="Say all that was found in the items of this id or topic.")
    ] = "",
    panel: Annotated[
        bool,
        typer.Option(
            "--ask-panel", help="Ask the judges of [answers.panel] about claims first (this may cost money)."
        ),
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="With --ask-panel: say what it would cost, and ask nothing.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            callback=argument_limits.budget, help="With --ask-panel: the most to be spent now, in US dollars."
        ),
    ] = None,
    look_in: Annotated[
        str,
        typer.Option(
            "--look-in",
            help="For a file: cited, retrieved, or auto: the passages an answer cites, all if it cites none. "
            "A study has it under [answers.checks].",
        ),
    ] = "auto",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check generated items: citations, numbers, words, quotations, keys, options, repeats, abstention.

    Rates are over the items of topics that gave some, and stand beside the share of those topics. Each
    finding says what was looked for, what was found and where. Exit code 4: answers of the study, or votes on
    claims, are missing.
    """
    from evenhand.answer.checks.run_checks import checks_named, looked_in
    from evenhand.answer.diagnosis.failure_rates import accounts
    from evenhand.cli.answers.import_export import checked
    from evenhand.errors import InputError
    from evenhand.report.output.terminal import console
    from evenhand.study.generation.text import looked_words

    on = console(json=json)
    made = checks_named(only or (), "--only")
    if panel or estimate:
        if source.suffix != ".toml" and not source.is_dir():
            raise InputError("a file of answers has no panel", mend="give the study file")
        from evenhand.cli.answers.claims import ask_claims

        complete = ask_claims(source, estimate=estimate, budget=budget, json=json and estimate, on=on)
        if estimate:
            return
    else:
        complete = True
    settings = _settings(source, look_in)
    gaps: list[tuple[str, str]] = []
    generations, findings, _ = checked(
        source, only=made, settings=settings, gap=lambda *one: gaps.append(one)
    )
    by_item: dict[str, list[Finding]] = defaultdict(list)
    for one in findings:
        by_item[one.item].append(one)
    if item:
        _explain(item, generations, by_item)
        return
    with_findings = [one for one in generations if any(item.id in by_item for item in one.items)]
    looked = looked_in(with_findings, settings)
    if json:
        _print_json(generations, findings, looked)
    else:
        said = looked_words(looked)
        _say(accounts(generations, findings), generations, by_item, source, looked=said, on=on)
    for told, mend in gaps:
        print(f"evenhand: incomplete: {told}\n  mend: {mend}", file=sys.stderr)
    if gaps or not complete:
        raise typer.Exit(INCOMPLETE)


def _settings(source: Path, look_in: str) -> Settings:
    """Those of a file by option, those of a study by its file."""
    from evenhand.answer.checks.settings import settings_of
    from evenhand.cli.answers.import_export import of_study
    from evenhand.errors import InputError

    if not of_study(source):
        return settings_of({"look_in": look_in}, "--look-in")
    if look_in != "auto":
        raise InputError(
            "--look-in: a study says it itself", mend=f'under [answers.checks] write look_in = "{look_in}"'
        )
    from evenhand.formats.study_file.read import read_study
    from evenhand.study.generation.requests import plan_of

    file = source / "study.toml" if source.is_dir() else source
    return settings_of(plan_of(read_study(file)).checks)


def _print_json(generations: list[Generation], findings: list[Finding], looked: dict[str, int]) -> None:
    from evenhand.answer.diagnosis.failure_rates import accounts
    from evenhand.formats.answers.jsonl import finding_json
    from evenhand.report.output.assemble import dumps
    from evenhand.study.generation.rates import account_json

    told = {
        "schema": "evenhand.answers-checked/1",
        "accounts": [account_json(one) for one in accounts(generations, findings)],
        "looked_in": looked,
        "findings": [finding_json(one) for one in findings],
    }
    print(dumps(told).decode(), end="")


def _say(
    made: Any,
    generations: list[Generation],
    by_item: dict[str, list[Finding]],
    source: Path,
    *,
    looked: list[str],
    on: Console,
) -> None:
    from evenhand.report.output.terminal import clean
    from evenhand.report.sections.generation.tables import accounts_table
    from evenhand.study.generation.rates import account_json

    part = {"accounts": [account_json(one) for one in made]}
    for table in accounts_table(part):
        on.print(table)
        on.print()
    for one in made:
        on.print(clean(one.sentence()))
    for line in looked:
        on.print(line)
    failing = [
        (one, item, [f for f in by_item.get(item.id, ()) if f.passed is False])
        for one in generations
        for item in one.items
    ]
    failing = [row for row in failing if row[2]]
    on.print()
    made_on = sum(bool(by_item.get(item.id)) for one in generations for item in one.items)
    on.print(f"{len(failing):,} of {many(made_on, 'item')} fail a check")
    for one, item, found in failing[:SHOWN]:
        on.print(f"  {clean(one.topic)} {item.id}  {clean(_short(item))}")
        for finding in found:
            on.print(f"    {finding.check}: {clean(_told(finding))}")
    if len(failing) > SHOWN:
        on.print(f"  … {len(failing) - SHOWN:,} more")
    if failing:
        following = again("answers", "check", source, item=failing[0][1].id)
        on.print(f"next: {clean(following)}", soft_wrap=True)


def _short(item: Item) -> str:
    text = " ".join(item.text.split())
    return text if len(text) <= 80 else text[:79] + "…"


def _told(one: Finding) -> str:
    if one.check == "abstention":
        told = f"expected {', '.join(one.sought)}, found {', '.join(one.found)}"
        return f"{told}: {one.why}" if one.why else told
    missing = f"missing {', '.join(one.missing[:5])}" if one.missing else ""
    return "; ".join(part for part in (one.why, missing) if part) or "fails"


def _explain(name: str, generations: list[Generation], by_item: dict[str, list[Finding]]) -> None:
    """Every finding of some items: what was sought, what was found, where, in which words."""
    from evenhand.errors import InputError, nearest
    from evenhand.report.output.terminal import clean
    from evenhand.study.generation.items import finding_told

    meant = [
        (one, item)
        for one in generations
        for item in one.items
        if one.topic == name or (len(name) > 3 and item.id.startswith(name))
    ]
    if not meant:
        known = [one.topic for one in generations]
        raise InputError(f"--item: no item or topic is called {name!r}", mend=nearest(name, known))
    for one, item in meant:
        print(clean(f"{one.topic}, {one.system}, item {item.id}: {one.ask}"))
        print(clean(f"  {item.text}", lines=True))
        for i, option in enumerate(item.options):
            print(clean(f"  {chr(65 + i)}) {option}" + ("  (key)" if i == item.key else "")))
        if item.answer:
            print(clean(f"  answer: {item.answer}"))
        for finding in by_item.get(item.id, ()):
            told = finding_told(finding, one, item)
            word = {True: "passes", False: "FAILS", None: "undecided"}[told["passed"]]
            print(f"  {word:9} {told['check']}" + (f": {clean(told['why'])}" if told["why"] else ""))
            for key in ("sought", "found", "missing"):
                if told[key]:
                    print(f"            {key}: {clean(', '.join(told[key]))}")
            for place in told["places"]:
                words = f" “{clean(place['words'])}”" if place["words"] else ""
                print(f"            at {place['place']} {place['start']}–{place['end']}{words}")
