"""``evenhand store``: make the database of judgements, check it, copy it, carry it elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.shared.command_group import group
from evenhand.text.plural import noun

__all__ = ["app"]

app = group(name="store", help="The database of judgements: init, check, export, import, backup.")

WHERE = typer.Argument(help="A file (SQLite) or a URL (postgresql://…).", metavar="STORE")
Where = Annotated[str, WHERE]
DEFAULT = "judgements.sqlite"


@app.command("init")
def init(where: Where = DEFAULT) -> None:
    """Make a store, or bring an older one to the present form. Nothing else ever makes one."""
    from evenhand.report.output.terminal import clean
    from evenhand.store.open import create_store, shown

    create_store(where).close()
    print(f"store ready: {clean(shown(where))}")


@app.command("check")
def check(where: Where = DEFAULT) -> None:
    """Verify every hash, pointer and book. Exit code 3 when something is not as it was written."""
    from evenhand.answer.rating.rater_queues import rated_at
    from evenhand.report.output.terminal import clean
    from evenhand.store.open import open_store, shown

    store = open_store(where)
    try:
        faults = store.check()
        packs, raters, rated = rated_at(store)
        desks, pools = store.desks(), store.pools()
        answered = sum(store.progress(desk.id)[0] for desk in desks)
    finally:
        store.close()
    for fault in faults:
        print(f"fault: {clean(fault)}")
    print(
        f"{len(pools)} {noun(len(pools), 'pool')}, {len(desks)} {noun(len(desks), 'desk')}, "
        f"{answered} {noun(answered, 'task')} with an answer or a skip"
    )
    if packs:
        print(
            f"{packs} {noun(packs, 'pack')} of items, {raters} {noun(raters, 'desk')} of raters, {rated} "
            f"{noun(rated, 'item')} with a rating or a skip"
        )
    if faults:
        print(
            f"{len(faults)} {noun(len(faults), 'fault')} in {clean(shown(where))}: restore a backup, or "
            "export what is whole"
        )
        raise typer.Exit(3)
    print(f"no fault in {clean(shown(where))}")


@app.command("export")
def export(
    where: Where = DEFAULT,
    *,
    to: Annotated[Path, typer.Option(help="A new file of JSON lines.")],
) -> None:
    """Write everything to a file of JSON lines that `import` takes; the store may be in use."""
    from evenhand.store.export import export_store
    from evenhand.store.open import open_store

    store = open_store(where)
    try:
        n = export_store(store, to)
    finally:
        store.close()
    print(f"{n} records → {to}")


@app.command("import")
def import_(
    where: Where = DEFAULT,
    *,
    source: Annotated[Path, typer.Option("--from", help="What `evenhand store export` wrote.")],
) -> None:
    """Take in an export, all or nothing; what is there already is passed over."""
    from evenhand.store.export import read_export
    from evenhand.store.open import open_store

    store = open_store(where)
    try:
        n = store.load(read_export(source))
    finally:
        store.close()
    print(f"{n} new records from {source}; nobody's link came with them (evenhand judge invite)")


@app.command("backup")
def backup(
    where: Where = DEFAULT,
    *,
    to: Annotated[Path, typer.Option(help="A new file.")],
) -> None:
    """Copy the store while it is in use: SQLite to SQLite, PostgreSQL to an export."""
    from evenhand.store.export import export_store
    from evenhand.store.open import open_store

    store = open_store(where)
    try:
        if store.engine.dialect.name == "sqlite":
            store.backup(to)
        else:
            export_store(store, to)
    finally:
        store.close()
    print(f"copy: {to}")
