"""``evenhand judge``: pool, assign desks, invite judges, see how far they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.judge import calibrate, import_export, panel, published, results, stress
from evenhand.cli.judge import pool as judge_pool
from evenhand.cli.judge.pool import DEFAULT, SEED, Where
from evenhand.cli.shared.command_group import group
from evenhand.cli.shared.rerun_hint import again
from evenhand.cli.shared.runs_code import runs_code
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.model.judging import Desk
    from evenhand.model.pool import Pool
    from evenhand.model.sheet import Sheet
    from evenhand.store.sql import SqlStore

__all__ = ["Where", "app", "name_of_pool", "pool_named", "sheet_named"]

app = group(name="judge", help="Judgements: pool, assign, invite, status; panel; agree, adjudicate, qrels.")
app.command("pool")(judge_pool.pool)
app.command("panel")(runs_code(panel.panel))
app.command("stress")(runs_code(stress.stress))
app.command("adjudicate")(results.adjudicate)
app.command("agree")(results.agree)
app.command("qrels")(results.qrels)
app.command("card")(results.card)
app.command("calibrate")(runs_code(calibrate.calibrate))
app.command("correlate")(published.correlate)
app.command("published")(published.published)
app.command("export")(import_export.export)
app.command("import")(import_export.import_)


def _open(where: str) -> SqlStore:
    from evenhand.store.open import open_store

    return open_store(where)


@app.command("assign")
def assign(  # noqa: PLR0917 - typer makes options of them
    judge: Annotated[list[str], typer.Option(help="A judge's name (repeatable).")],
    pool: Annotated[str, typer.Option(help="Name or beginning of the seal; default: the last.")] = "",
    sheet: Annotated[
        str, typer.Option(help="contribution, sufficiency, or a file in TOML.")
    ] = "contribution",
    per_item: Annotated[int, typer.Option(help="How many judges see every item.")] = 1,
    overlap: Annotated[float, typer.Option(help="Share of items that one judge more sees.")] = 0.2,
    by: Annotated[str, typer.Option(help="Deal out items, or whole questions: item, question.")] = "item",
    order: Annotated[str, typer.Option(help="blocks, mixed, unit-id or priority.")] = "blocks",
    repeats: Annotated[float, typer.Option(help="Share of own items that come again, hidden.")] = 0.05,
    warm_up: Annotated[int, typer.Option(help="Items before the first that counts.")] = 5,
    attention: Annotated[int, typer.Option(help="Nonsense texts among the others.")] = 0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same desks.")] = SEED,
    store: Where = DEFAULT,
) -> None:
    """Give each judge a desk: who sees what, and in which order, by seed."""
    from evenhand.labelling.desk.assign import Filling
    from evenhand.labelling.desk.assign import assign as deal
    from evenhand.labelling.desk.attention_checks import attention_items, warm_up_items
    from evenhand.report.output.terminal import clean
    from evenhand.store.clock import now

    kept = _open(store)
    try:
        whole = pool_named(kept, pool)
        mark, at, chosen = whole.seal, now(), sheet_named(sheet)
        filling = Filling(per_item=per_item, overlap=overlap, by=by, order=order, repeats=repeats)
        known = {
            name: chosen.levels[-1].grade
            for _, line in kept.lines(f"pool/{mark}")
            for name in line.get("holds_evidence", ())
        }
        first = warm_up_items(whole, known, n=warm_up, seed=seed)
        words = {word for item in whole.items[:500] for word in kept.text(item.text_sha256).split()}
        planted, texts = attention_items(whole, words, n=attention, seed=seed)
        desks = deal(
            whole,
            judge,
            sheet=chosen.seal,
            seed=seed,
            filling=filling,
            warm_up=first,
            attention=planted,
            at=at,
        )
        _one_each(kept, mark, [desk for desk, _ in desks])
        kept.use_sheet(mark, chosen, by="owner", at=at, reason="assigned")
        if planted:
            kept.add_items(planted, texts)
        kept.add_desks(desks)
    finally:
        kept.close()
    for desk, tasks in desks:
        print(f"desk {desk.id}  {clean(desk.judge)}: {len(tasks):,} tasks")
    print(f"pool {clean(whole.name)} {mark[:12]}, sheet {clean(chosen.name)} {chosen.seal[:12]}, seed {seed}")
    for desk, _ in desks:
        way_in = again("judge", "invite", desk.judge, store=store if store != DEFAULT else "")
        print(f"next: {clean(way_in)}")


def _one_each(store: SqlStore, pool: str, desks: list[Desk]) -> None:
    """A judge with two desks on one pool would be counted twice."""
    from evenhand.errors import InputError

    there = {desk.judge: desk.id for desk in store.desks(pool=pool, kind="judge")}
    for desk in desks:
        if there.get(desk.judge, desk.id) != desk.id:
            raise InputError(
                f"{desk.judge} has a desk on this pool already, filled in another way",
                mend="repeat the same seed, judges and shares, or name other judges",
            )


def pool_named(store: SqlStore, name: str) -> Pool:
    """The pool of this name, or whose seal begins with it; without a name the last one."""
    from evenhand.errors import InputError, nearest

    there = store.pools()
    if not there:
        raise InputError("the store has no pool", mend="evenhand judge pool STUDY.toml")
    if not name:
        return store.pool(there[-1][0])
    found = [mark for mark, called, _ in there if called == name or (len(name) > 3 and mark.startswith(name))]
    if not found:
        raise InputError(
            f"no pool is called {name!r}", mend=nearest(name, [called for _, called, _ in there])
        )
    if len(found) > 1:
        raise InputError(
            f"{len(found)} pools are called {name!r}",
            mend=f"name one by its seal: {', '.join(mark[:12] for mark in found)}",
        )
    return store.pool(found[0])


def name_of_pool(store: SqlStore, mark: str) -> str:
    """What `pool_named` finds this pool by: its name, or the seal's beginning where two have the name."""
    there = store.pools()
    name = next(called for seal, called, _ in there if seal == mark)
    alone = sum(called == name for _, called, _ in there) == 1
    return name if alone and name else mark[:12]


def sheet_named(name: str) -> Sheet:
    """A sheet that comes with evenhand, or that of a file in TOML."""
    if name.endswith(".toml"):
        from evenhand.formats.labels.sheet import read_sheet

        return read_sheet(Path(name))
    from evenhand.judge.sheets.built_in import built_in

    return built_in(name)


@app.command("sheet")
def sheet(
    name: Annotated[str, typer.Argument(help="contribution, sufficiency, or a file in TOML.")],
    *,
    use: Annotated[str, typer.Option(help="Show it from now on to the desks of this pool.")] = "",
    reason: Annotated[str, typer.Option(help="Why the guideline changes; it goes on record.")] = "",
    store: Where = DEFAULT,
) -> None:
    """Print a sheet in TOML, to be edited; or bring a new version into use (labels keep theirs)."""
    from evenhand.errors import InputError

    chosen = sheet_named(name)
    if not use:
        from evenhand.formats.labels.sheet import sheet_toml

        print(sheet_toml(chosen), end="")
        return
    if not reason.strip():
        raise InputError("a guideline is changed without a reason", mend="say why with --reason")
    from evenhand.store.clock import now

    kept = _open(store)
    try:
        mark = pool_named(kept, use).seal
        old = kept.sheet_of(mark)
        kept.use_sheet(mark, chosen, by="owner", at=now(), reason=reason)
    finally:
        kept.close()
    print(
        f"sheet {old.seal[:12]} → {chosen.seal[:12]}; earlier labels keep the version they were given under"
    )


@app.command("invite")
def invite(
    name: Annotated[str, typer.Argument(help="The judge's name, as at the desk.")],
    *,
    role: Annotated[str, typer.Option(help="judge, adjudicator or owner.")] = "judge",
    store: Where = DEFAULT,
) -> None:
    """Make a token for a person. It is shown once and kept only as a hash."""
    from evenhand.report.output.terminal import clean
    from evenhand.store.clock import now

    kept = _open(store)
    try:
        access, token = kept.grant(name, role, at=now())
    finally:
        kept.close()
    print(f"{clean(access.name)} ({access.role}), access {access.id}: this token is shown once")
    print(token)


@app.command("revoke")
def revoke(
    access: Annotated[str, typer.Argument(help="The id of the access, or a name: all of that person's.")],
    *,
    store: Where = DEFAULT,
) -> None:
    """End an access from now on."""
    from evenhand.errors import InputError
    from evenhand.report.output.terminal import clean
    from evenhand.store.clock import now

    kept = _open(store)
    try:
        meant = [one for one in kept.accesses() if access in (one.id, one.name) and not one.revoked]
        if not meant:
            raise InputError(
                f"nobody has access under {access!r}", mend="`evenhand judge status` lists who has"
            )
        for one in meant:
            kept.revoke(one.id, at=now())
    finally:
        kept.close()
    print(f"ended: {len(meant)} access of {clean(meant[0].name)}")


@app.command("status")
def status(
    *,
    store: Where = DEFAULT,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Pools, desks and how far they are; who has access. No grade and no agreement."""
    from evenhand.model.judging import SESSIONS
    from evenhand.report.output.terminal import clean

    kept = _open(store)
    try:
        pools: list[dict[str, Any]] = [
            {"pool": mark, "name": name, "items": n} for mark, name, n in kept.pools()
        ]
        desks = [_progress(kept, desk.id) for desk in kept.desks()]
        browsers = {line["session"] for _, line in kept.lines(SESSIONS)}  # that came in by a link: not people
        people = [
            {"access": one.id, "name": one.name, "role": one.role, "since": one.at, "revoked": one.revoked}
            for one in kept.accesses()
            if one.id not in browsers
        ]
    finally:
        kept.close()
    if json:
        from json import dumps

        print(
            dumps({"schema": "evenhand.desks/1", "pools": pools, "desks": desks, "access": people}, indent=1)
        )
        return
    for pool in pools:
        print(f"pool {clean(pool['name'])} {pool['pool'][:12]}: {many(pool['items'], 'item')}")
    for desk in desks:
        skips = f", {desk['skipped']} skipped" if desk["skipped"] else ""
        last = f", last {desk['last']}" if desk["last"] else ""
        print(
            f"  desk {desk['desk']}  {clean(desk['judge'])} ({desk['kind']}): "
            f"{desk['done']:,} of {desk['total']:,}{skips}{last}"
        )
    for one in people:
        ended = f", ended {one['revoked']}" if one["revoked"] else ""
        print(f"access {one['access']}  {clean(one['name'])} ({one['role']}) since {one['since']}{ended}")
    if not pools:
        print("no pool yet: evenhand judge pool STUDY.toml")


def _progress(store: SqlStore, name: str) -> dict[str, Any]:
    desk = store.desk(name)
    done, total = store.progress(name)
    entries = list(store.book(name))
    skipped = sum(one.entry is not None and one.entry.kind == "skip" for one in store.standing(name))
    return {
        "desk": name,
        "pool": desk.pool,
        "judge": desk.judge,
        "kind": desk.kind,
        "done": done,
        "total": total,
        "skipped": skipped,
        "last": entries[-1].at if entries else "",
    }
