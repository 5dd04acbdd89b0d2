"""``evenhand study``: register, amend, open the holdout once, verify, package; and the pilot before it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.shared.command_group import group
from evenhand.cli.shared.rerun_hint import again
from evenhand.cli.shared.runs_code import runs_code
from evenhand.cli.study import verify
from evenhand.text.plural import many, noun, verb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenhand.model.plan.study import Plan

__all__ = ["app"]

app = group(name="study", help="Registered studies: seal the plan, amend, look once, verify, package.")
Study = Annotated[Path, typer.Argument(help="The study file.", metavar="STUDY.toml")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def opened(study: Path) -> tuple[Plan, Path]:
    """The plan of a study file and the folder that its paths begin in."""
    from evenhand.formats.study_file.read import read_study

    file = study / "study.toml" if study.is_dir() else study
    return read_study(file), file.parent


@app.command("register")
@runs_code
def register(
    study: Study,
    *,
    anchor_git: Annotated[
        str | None, typer.Option(help="A git tag whose commit holds the study as it is.", metavar="TAG")
    ] = None,
    anchor_file: Annotated[
        Path | None,
        typer.Option(help="A proof of time (RFC 3161, OpenTimestamps) from elsewhere.", metavar="PROOF"),
    ] = None,
    ledger: Annotated[
        list[Path] | None,
        typer.Option(help="Ledger of another gold set, whose seen questions may not be in this holdout."),
    ] = None,
    json: Json = False,
) -> None:
    """Seal plan, corpus, gold, systems, code and criteria into registration.json, and into the ledger.

    Nothing of the holdout is shown. A study that is registered is not registered again; an anchor that
    came later (of registration.json itself) can be added to it.
    """
    from evenhand.errors import InputError
    from evenhand.report.output.terminal import clean
    from evenhand.store.clock import now
    from evenhand.study.ledger.state import CLAIMS, NOT_STAMPED, gold_of
    from evenhand.study.ledger.timestamp import by_file, by_git
    from evenhand.study.registration.register import register as seal_all

    if anchor_git is not None and anchor_file is not None:
        raise InputError("two anchors were given", mend="give one; the other can be added afterwards")
    plan, folder = opened(study)
    file = study / "study.toml" if study.is_dir() else study

    def anchors(files: Mapping[str, Path]) -> dict[str, Any] | None:
        if anchor_git is not None:
            return by_git(anchor_git, folder, [file, gold_of(plan, folder)])
        return by_file(anchor_file, files) if anchor_file is not None else None

    made = told(lambda: seal_all(plan, folder, now=now, anchors=anchors, ledgers=ledger or ()), file)
    for note in made.notes:
        print(f"evenhand: warning: {clean(note)}", file=sys.stderr)
    content = made.content
    anchor = made.entry.content.get("anchor")
    if json:
        _print_json(
            {
                "file": made.file.name,
                "seal": made.seal,
                "entry": made.entry.n,
                "anchor": anchor,
                "warnings": list(made.notes),
                **{key: content[key] for key in ("seals", "sample_sizes", "criteria", "family", "code")},
            }
        )
        return
    if made.anchored:
        print(f"{clean(plan.name)} was registered already; the anchor was added to the ledger")
    else:
        sizes = content["sample_sizes"]
        print(f"registered {clean(plan.name)} in {made.file.name}  (sha256 {made.seal[:16]}…)")
        print(
            f"  sealed: {many(sizes['documents'], 'document')}, "
            f"{many(sizes['dev']['questions'], 'dev question')}, "
            f"{len(content['systems'])} {noun(len(content['systems']), 'system')}, "
            f"{len(content['criteria'])} {verb(len(content['criteria']), 'criterion', 'criteria')}, the code"
        )
        print(
            f"  holdout: {many(sizes['holdout'], 'question')}, sealed; nothing of it was shown"
            if sizes["holdout"]
            else "  holdout: none; what is tuned and what is reported are the same questions"
        )
        pairs, metric = len(content["family"]["pairs"]), content["family"]["metric"]
        print(f"  family: {pairs} {noun(pairs, 'pair')} on {metric}, {content['family']['adjust']}")
    print(f"  ledger: {made.ledger.name}, entry {made.entry.n}")
    if anchor is not None:
        from evenhand.study.ledger.section import anchor_told

        print(clean(anchor_told(anchor)))
    elif not made.anchored:
        print(f"{NOT_STAMPED}: every report will say so")
        print(
            "  mend: evenhand study register STUDY.toml --anchor-git TAG or --anchor-file PROOF, also later"
        )
    print(CLAIMS)


@app.command("amend")
@runs_code
def amend(
    study: Study,
    *,
    author: Annotated[str, typer.Option(help="Who amends; stands in every report.")] = "",
    reason: Annotated[str, typer.Option(help="Why; stands in every report.")] = "",
    accept: Annotated[
        list[str] | None,
        typer.Option(help="A criterion of trust that failed and is accepted in writing (repeatable)."),
    ] = None,
    json: Json = False,
) -> None:
    """Write what differs from the registration into the ledger, with author and reason.

    Planned values stay in every table beside the amended ones. After the look, what its result depends on
    is refused (exit code 3).
    """
    from evenhand.report.output.terminal import clean
    from evenhand.report.sections.criteria.tables import change_told
    from evenhand.store.clock import now
    from evenhand.study.registration.amend import amend as write

    plan, folder = opened(study)
    made = told(
        lambda: write(plan, folder, author=author, reason=reason, accepts=accept or (), now=now), study
    )
    if json:
        _print_json(made.entry.as_json())
        return
    n = len(made.changes)
    values = f"{n} value{'' if n == 1 else 's'}"
    print(f"amended {clean(plan.name)}: {values}, {made.ledger.name} entry {made.entry.n}")
    for change in made.changes[:MOST]:
        print(f"  {clean(change_told(change))}")
    if len(made.changes) > MOST:
        print(f"  … and {len(made.changes) - MOST} more in the ledger")
    for name in made.entry.content["accepts"]:
        print(f"  accepted in writing: {clean(name)}")


MOST = 20


@app.command("open-holdout")
@runs_code
def open_holdout(
    study: Study,
    *,
    out: Annotated[
        Path | None, typer.Option(help="Where holdout/ is made; default: results/ beside the study file.")
    ] = None,
    ledger: Annotated[
        list[Path] | None,
        typer.Option(help="Ledger of another gold set, whose seen questions may not be in this holdout."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the path of the report.")] = False,
) -> None:
    """Look at the holdout: once, by the registered plan. Afterwards the same command checks the bytes.

    Exit code as `evenhand run`; 3 when anything is not as it was registered.
    """
    from evenhand.cli.shared.live_progress import watched
    from evenhand.cli.study.run import decide, incomplete, show
    from evenhand.report.output.terminal import clean
    from evenhand.store.clock import now
    from evenhand.study.registration.holdout import look

    plan, folder = opened(study)
    options: dict[str, Any] = {"now": now, "out": out, "ledgers": ledger or ()}
    command = again("study", "open-holdout", study, out=out, ledger=ledger)
    target = (out or folder / "results") / "holdout"
    with watched(plan, folder, command=command, split="holdout", out=target, silent=quiet or json) as lines:
        made = told(lambda: look(plan, folder, progress=lines, **options), study)
    show(made.outcome, json=json, quiet=quiet)
    words = {
        "first": "the holdout was looked at, and is seen from now on; the ledger has it",
        "resumed": "the same look went on; it counts once",
        "integrity": "seen already: this was a check of integrity, and no evidence; the bytes are the same",
    }
    for line in (words[made.how], *made.notes):
        print(f"evenhand: {clean(line)}", file=sys.stderr)
    incomplete(made.outcome.report, study, command=command)
    decide(made.outcome.report)


app.command("verify")(verify.verify)
app.command("package")(verify.package)
app.command("pilot")(runs_code(verify.pilot))


def told(work: Callable[[], Any], study: Path) -> Any:
    """Do *work*; what is wrong with a section of the study file is said with its line."""
    from evenhand.formats.study_file.error_location import placing

    with placing(study):
        return work()


def _print_json(thing: Any) -> None:
    import json

    print(json.dumps(thing, ensure_ascii=True, indent=1, sort_keys=True))
