"""``evenhand answers import`` and ``export``: outputs of other tools in, ours out, with what was found."""

from __future__ import annotations

from collections.abc import Callable
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import many, noun, verb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evenhand.errors import InputError
    from evenhand.model.answer import Finding, Generation, Rating
    from evenhand.study.comparison.steps import Table

__all__ = ["answer_gaps", "checked", "export", "import_", "of_study"]

SEED = 20241009
Gap = Callable[[str, str], None]


def import_(
    file: Annotated[Path, typer.Argument(help="A file of the tool.", metavar="FILE")],
    *,
    tool: Annotated[
        str,
        typer.Option(
            "--from",
            help="jsonl, ragas, deepeval, langfuse, openinference, ragchecker, open-rag-eval, "
            "haystack, openevals.",
        ),
    ] = "jsonl",
    out: Annotated[Path, typer.Option("--out", "-o", help="Where our lines go.")] = Path("answers.jsonl"),
    system: Annotated[str, typer.Option(help="Who answered, where the file does not say.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Bring generated answers of another tool into answers.jsonl; what cannot be carried is counted."""
    from evenhand.errors import InputError
    from evenhand.formats.answers.jsonl import write_answers
    from evenhand.formats.guests.answers.registry import import_answers
    from evenhand.report.output.terminal import clean

    if out.exists() and not force:
        raise InputError(f"{out} is there already", mend="name another --out, or give --force")
    brought = import_answers(file, tool, system=system)
    write_answers(out, brought.generations)
    names = sorted({one.system for one in brought.generations})
    items = sum(len(one.items) for one in brought.generations)
    print(
        f"{many(len(brought.generations), 'topic')}, {many(items, 'item')}, by "
        f"{clean(', '.join(names)) or 'nobody'}"
    )
    for line in brought.lost:
        print(f"not carried over: {clean(line)}")
    if tool == "ragchecker":
        _print_claims(brought.generations)
    print(f"→ {out}")
    print(f"next: {clean(again('answers', 'check', out))}")


def _print_claims(generations: Sequence[Generation]) -> None:
    """Rates of claims as RAGChecker's checker found them, each with its interval over answers."""
    from evenhand.formats.guests.answers.ragchecker import claimed_of
    from evenhand.metrics.catalogue.claims import CLAIM_RATES, claim_rates
    from evenhand.stats.intervals.bootstrap import mean_percentile

    found = [claim_rates(claimed) for one in generations if (claimed := claimed_of(one)) is not None]
    if not found:
        return
    print(
        f"claims of {len(found):,} of {many(len(generations), 'answer')}, as RAGChecker's checker found them"
    )
    print("(mean over answers, percentile bootstrap, 95%; an answer without such claims is left out, not 0):")
    for name, says in CLAIM_RATES.items():
        values = [value for one in found if (value := one[name]) is not None]
        if not values:
            print(f"  {name:29} undefined, n 0  {says}")
            continue
        mean = mean_percentile(values, level=0.95, seed=SEED)
        low, high = mean.interval.low, mean.interval.high
        between = mean.interval.reason if low is None or high is None else f"[{low:.2f}, {high:.2f}]"
        print(f"  {name:29} {mean.point:.2f} {between}, n {len(values)}  {says}")


def export(
    source: Annotated[
        Path, typer.Argument(help="answers.jsonl, or a study file with [answers].", metavar="FILE")
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where it goes.")],
    tool: Annotated[
        str,
        typer.Option(
            "--to",
            help="json, csv, jsonl, ragas, deepeval, langfuse, openinference, ragchecker, open-rag-eval, "
            "haystack, openevals.",
        ),
    ] = "json",
    ratings: Annotated[
        Path | None, typer.Option(help="People's ratings; default for a study: its [answers] ratings.")
    ] = None,
) -> None:
    """Write items with what checks found and how people rated, as JSON, CSV or for another tool.

    Each rating says whether checks were on screen before it was given.
    """
    from evenhand.errors import InputError, nearest
    from evenhand.formats.guests.answers.export import Outgoing
    from evenhand.formats.guests.answers.registry import WRITES, export_answers
    from evenhand.report.output.terminal import clean

    known = ("json", "csv", *WRITES)
    if tool not in known:
        raise InputError(f"--to: nothing is written for {tool!r}", mend=nearest(tool, known))
    generations, findings, rated = checked(source, ratings=ratings)
    lost: tuple[str, ...] = ()
    if tool in ("json", "csv"):
        whole = Outgoing(generations, findings, rated)
        whole.all_of_it()
        made = whole.done()
    if tool == "json":
        _json(out, generations, findings, rated)
    elif tool == "csv":
        from evenhand.formats.answers.table import answers_csv
        from evenhand.formats.raw_bytes import write_bytes

        write_bytes(out, answers_csv(generations, findings, rated).encode("utf-8", "replace"))
    else:
        made = export_answers(out, tool, generations, findings, rated)
        lost = made.lost
    if ratings is not None:
        from evenhand.formats.labels.ratings import read_ratings

        others = len(read_ratings(ratings)) - len(rated)
        lost += (
            (f"{others} {noun(others, 'rating')} {verb(others, 'is', 'are')} of items that are not here",)
            if others
            else ()
        )
    print(", ".join(many(n, what.removesuffix("s")) for what, n in made.written.items()))
    for line in lost:
        print(f"not carried over: {clean(line)}")
    print(f"→ {out}")


def _json(out: Path, generations: list[Generation], findings: list[Finding], rated: list[Rating]) -> None:
    from evenhand.formats.answers.jsonl import finding_json, generation_json
    from evenhand.formats.raw_bytes import write_bytes
    from evenhand.report.output.assemble import dumps

    made: dict[str, Any] = {
        "schema": "evenhand.answers/1",
        "generations": [generation_json(one) for one in generations],
        "findings": [finding_json(one) for one in findings],
        "ratings": [],
    }
    if rated:
        from evenhand.formats.labels.ratings import rating_json

        made["ratings"] = [rating_json(one) for one in rated]
    write_bytes(out, dumps(made))


def checked(
    source: Path,
    *,
    ratings: Path | None = None,
    only: tuple[str, ...] = (),
    settings: Any = None,
    gap: Gap = lambda *_: None,
) -> tuple[list[Generation], list[Finding], list[Rating]]:
    """Generations that count, what checks found in them, and ratings, of a file or of a study.

    *gap* is called with what a study lacks, and what mends it.
    """
    rated: list[Rating] = []
    if of_study(source):
        generations, findings, rated = _of_study(source, gap)
        if only:
            findings = [one for one in findings if one.check in only]
    else:
        from evenhand.answer.checks.run_checks import Context, check_all
        from evenhand.answer.checks.settings import Settings
        from evenhand.answer.diagnosis.failure_rates import standing
        from evenhand.errors import InputError
        from evenhand.formats.answers.jsonl import read_answers

        generations = standing(read_answers(source))
        if not generations:
            raise InputError(
                f"{source} holds no generation", mend="evenhand answers import, or generate, writes some"
            )
        findings = check_all(generations, context=Context(settings=settings or Settings(), checks=only))
    if ratings is not None:
        from evenhand.formats.labels.ratings import read_ratings

        there = {item.id for one in generations for item in one.items}
        rated = [one for one in read_ratings(ratings) if one.item in there]
    return generations, findings, rated


def answer_gaps(part: Mapping[str, Any], study: Path) -> list[tuple[str, str]]:
    """What a study's answers lack, each with what mends it; *part* counts as the section of a report does."""
    claims = part["claims"] or {"missing": 0, "failed": 0}
    votes = claims["missing"] + claims["failed"]
    found = []
    if gone := part["missing"] + part["failed"]:
        told = f"{many(gone, 'answer')} {verb(gone, 'is', 'are')} missing"
        found.append((told, _more(part, study)))
    if votes:
        told = f"{many(votes, 'vote')} on claims {verb(votes, 'is', 'are')} missing"
        found.append((told, again("answers", "check", study, ask_panel=True)))
    return found


def _more(part: Mapping[str, Any], study: Path) -> str:
    """How answers that are missing come: the model is asked, or a line is added to the file that is named."""
    from evenhand.study.generation.ask import is_source

    source = part["source"]
    if not is_source(source):
        return again("answers", "generate", study, retry_failed=bool(part["failed"]) and not part["missing"])
    first = (part["lacks"] or [{"topic": "…", "ask": "…", "system": part["name"]}])[0]
    line = {**first, "items": [{"kind": "answer", "text": "…"}]}
    return f"add a line to {source} for each, such as {dumps(line, ensure_ascii=False)}"


def of_study(source: Path) -> bool:
    """Whether *source* is a study, and no file of answers."""
    return source.suffix == ".toml" or source.is_dir()


def _nothing(table: Table, told: Mapping[str, Any], file: Path) -> InputError:
    """Of a study without a single answer: whose answers these are instead, and how there come to be some."""
    from evenhand.errors import InputError
    from evenhand.study.generation.ask import name_of
    from evenhand.study.generation.requests import plan_of

    plan = plan_of(table.plan)
    other = f" ({many(told['other'], 'line')} of others)" if told["other"] else ""
    mend = _more({**told, "source": plan.source, "name": name_of(plan)}, file)
    return InputError(
        f"{plan.source or plan.out} holds no answer to a question of {file.name}{other}", mend=mend
    )


def _of_study(source: Path, gap: Gap) -> tuple[list[Generation], list[Finding], list[Rating]]:
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import progress
    from evenhand.study.generation.ask import name_of
    from evenhand.study.generation.cases import ground_of
    from evenhand.study.generation.context import laid_answers
    from evenhand.study.generation.entailment import ENTAILED
    from evenhand.study.generation.generations import GENERATIONS
    from evenhand.study.generation.requests import plan_of

    file = source / "study.toml" if source.is_dir() else source
    with progress() as lines, laid_answers(read_study(file), file.parent, progress=lines) as laid:
        laid.make(GENERATIONS, *([ENTAILED] if plan_of(laid.table.plan).entailment else []))
        told = laid.larder[GENERATIONS]
        if not told["rows"]:
            raise _nothing(laid.table, told, file)
        ground = ground_of(laid.table, laid.larder, told, progress=lines)
        plan = plan_of(laid.table.plan)
    for what, mend in answer_gaps({**told, "source": plan.source, "name": name_of(plan)}, file):
        gap(what, mend)
    found = [one for item in ground.findings.values() for one in item]
    return [*ground.open, *ground.closed], found, list(ground.ratings)
