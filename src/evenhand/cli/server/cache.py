"""``evenhand cache``: what a study keeps so as not to do it twice, and how to make room."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.shared.command_group import group
from evenhand.text.plural import many, money, verb

if TYPE_CHECKING:
    from evenhand.store.calls.journal import Calls

__all__ = ["app"]

app = group(name="cache", help="What a study keeps so as not to do it twice: ls, prune, export.")

WHERE = typer.Argument(help="A study file, its folder, or the cache folder itself.", metavar="STUDY")
Where = Annotated[Path, WHERE]
Model = Annotated[str, typer.Option(help="Only calls to the model of this name.")]
HERE = Path()


def _root(where: Path) -> Path:
    """The cache folder of a study."""
    from evenhand.errors import InputError

    if not where.exists():
        raise InputError(f"{where} does not exist", mend="name a study file or its folder")
    folder = where if where.is_dir() else where.parent
    return folder if folder.name == ".evenhand" else folder / ".evenhand"


def _journal(root: Path) -> Calls:
    from evenhand.store.calls.journal import Calls

    return Calls(root)


def _files(n: int) -> str:
    return many(n, "file")


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 50_000 else f"{size / 1e3:,.1f} kB"


@app.command("ls")
def ls(
    where: Where = HERE,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what is kept: steps by kind, calls to models by model, with sizes, ages and what was paid."""
    from evenhand.report.output.terminal import clean
    from evenhand.store.cache_usage import asked, shelves

    root = _root(where)
    with _journal(root) as journal:
        steps, calls, torn = shelves(root), asked(journal), journal.torn
    if json:
        from evenhand.model.seal import canonical

        rows = [
            {"kind": one.kind, "n": one.n, "bytes": one.size, "oldest": f"{one.oldest:%FT%TZ}"}
            for one in steps
        ]
        print(
            canonical(
                {
                    "steps": rows,
                    "calls": [vars(one) | {"price": money(one.price)} for one in calls],
                    "torn": torn,
                }
            ).decode()
        )
        return
    if not steps and not calls:
        print(f"nothing is kept in {root}")
        return
    for shelf in steps:
        age = f"{shelf.oldest:%F} to {shelf.newest:%F}"
        print(f"{clean(shelf.kind)}: {_files(shelf.n)}, {_size(shelf.size)}, {age}")
    for one in calls:
        outcomes = ", ".join(f"{n:,} {what}" for what, n in sorted(one.outcomes.items()))
        paid = f"${one.price:.2f}" + (
            f" and {many(one.unpriced, 'call')} of unknown price" if one.unpriced else ""
        )
        print(
            f"calls to {clean(one.chat)}: {one.n:,} ({outcomes}), {_size(one.size)}, {paid}, "
            f"{one.oldest[:10]} to {one.newest[:10]}"
            + (
                f"; {many(one.twice, 'line')} {verb(one.twice, 'repeats', 'repeat')} another"
                if one.twice
                else ""
            )
        )
    if torn:
        print(f"{many(torn, 'line')} of the journal {verb(torn, 'is', 'are')} torn and not counted")
    print(root)


@app.command("prune")
def prune(
    where: Where = HERE,
    *,
    kind: Annotated[str, typer.Option(help="Only this kind, as `ls` names it; `calls` for models.")] = "",
    model: Model = "",
    older_than: Annotated[str, typer.Option(help="Only what is older: 36h, 30d, 8w.", metavar="AGE")] = "",
    faults: Annotated[bool, typer.Option("--faults", help="Only calls that failed.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="All of it, replies that were paid for too.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Take away what is named. Steps are made again when they are needed; replies are paid for again."""
    from datetime import UTC, datetime

    from evenhand.errors import InputError
    from evenhand.store.cache_usage import ago, prune_calls, prune_steps

    of_calls = bool(model or faults)
    if not (kind or of_calls or older_than or everything):
        raise InputError(
            "nothing is named that should go", mend="--kind, --model, --older-than, --faults or --all"
        )
    if kind not in ("", "calls") and of_calls:
        raise InputError(
            f"--kind {kind} has no models and no faults",
            mend="--kind calls, or leave --model and --faults away",
        )
    root = _root(where)
    before = ago(older_than, datetime.now(UTC)) if older_than else None
    verb = "would go" if dry_run else "gone"
    if kind != "calls" and not of_calls:
        went = prune_steps(root, kind=kind, before=before, dry=dry_run)
        print(f"steps: {_files(went.n)}, {_size(went.size)} {verb}")
    if kind in ("", "calls"):
        with _journal(root) as journal:
            calls = prune_calls(journal, chat=model, before=before, faults=faults, dry=dry_run)
        print(f"calls: {calls.n:,}, {_size(calls.size)}, paid ${calls.price:.2f}, {verb}")


@app.command("export")
def export(
    to: Annotated[Path, typer.Argument(help="A new file of JSON lines.", metavar="FILE")],
    where: Where = HERE,
    *,
    model: Model = "",
) -> None:
    """Write the replies of the journal as a recording, which `recorded:FILE` replays without a key."""
    from evenhand.errors import InputError, nearest
    from evenhand.llm.clients.replay import record

    if to.exists():
        raise InputError(f"{to} exists already", mend="name a new file: nothing is overwritten")
    with _journal(_root(where)) as journal:
        every = list(journal.standing())
    standing = [one for one in every if not model or one.chat == model]
    if not standing:
        known = {one.chat for one in every}
        mend = nearest(model, known) if known else "ask first: evenhand judge panel"
        raise InputError("the journal has no such calls" if model else "the journal is empty", mend=mend)
    if len({one.call.model for one in standing}) > 1:
        named = sorted({one.chat for one in standing})
        raise InputError(
            f"the journal has replies of several models ({', '.join(named)}), and a recording is one",
            mend="name one by --model; replies of another version of it go by `evenhand cache prune`",
        )
    from evenhand.formats.raw_bytes import write_bytes

    lines = list(record(standing))
    write_bytes(to, "".join(f"{line}\n" for line in lines).encode())
    print(f"{many(len(lines), 'reply')} → {to}")
