"""``evenhand answers rate`` and ``ratings``: the rubric desk, and what was said at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.judge.pool import DEFAULT, SEED, Where
from evenhand.cli.shared import argument_limits
from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.answer.rating.batch import Pack
    from evenhand.protocols import Store

__all__ = ["rate", "ratings"]


def rate(  # noqa: PLR0917 - typer makes options of them
    source: Annotated[
        str,
        typer.Argument(
            help="answers.jsonl, a study file with [answers], or a pack of the store by name.",
            metavar="FILE|PACK",
        ),
    ],
    rater: Annotated[
        list[str] | None, typer.Option(help="Who rates (repeatable): a desk and a link each.")
    ] = None,
    name: Annotated[
        str,
        typer.Option(help="What the pack is called; default: the file's name (of study.toml: its folder's)."),
    ] = "",
    order: Annotated[str, typer.Option(help="blocks (of a topic) or mixed.")] = "blocks",
    hide: Annotated[
        str, typer.Option(help="Hide the checks until: faithful (is rated), or item (all of it is).")
    ] = "faithful",
    seed: Annotated[int, typer.Option(help="The same seed gives the same order.")] = SEED,
    serve: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Serve the desk now, or only make it.")
    ] = True,
    host: Annotated[str, typer.Option(help="Where to listen; `evenhand serve` knows more.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: any free one.", min=0, max=65535)] = 8765,
    store: Where = DEFAULT,
    panel: Annotated[
        bool,
        typer.Option(
            "--ask-panel", help="Have the judges of [answers.panel] rate too (this may cost money)."
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
) -> None:
    """Rate generated items blind in the browser: the checks stay hidden until "faithful" is rated.

    Items, passages and findings are kept in the store; run it again to go on where everybody was. With
    --ask-panel the study's judges rate "faithful" as well: they are reported by their agreement with people.
    """
    from evenhand.errors import InputError

    if panel or estimate:
        from evenhand.cli.answers.rate_by_models import ask_models

        ask_models(Path(source), estimate=estimate, budget=budget)
        return
    if not rater:
        raise InputError("nobody is to rate", mend="name them: --rater ann --rater ben")
    from evenhand.report.output.terminal import clean
    from evenhand.store.clock import now
    from evenhand.store.open import open_store

    kept = open_store(store)
    try:
        pack = _pack(kept, source, name)
        from evenhand.answer.rating.rater_queues import open_desk

        for one in rater:
            open_desk(kept, pack.seal, one, order=order, seed=seed, hide=hide, at=now())
    finally:
        kept.close()
    print(
        f"pack {clean(pack.name)} {pack.seal[:12]}: {many(len(pack.items), 'item')}, {len(rater)} "
        f"{noun(len(rater), 'rater')}"
    )
    if serve:
        from evenhand.cli.server.command import serve as run

        run([store], host=host, port=port, invite=list(rater))
        return
    print(f"next: {clean(again('serve', store, invite=list(rater)))}")


def _called(path: Path) -> str:
    """What a file's pack is called: a folder's study.toml by the folder, others by themselves."""
    folder = path if path.is_dir() else path.parent if path.name == "study.toml" else None
    return path.stem if folder is None else folder.resolve().name


def _pack(kept: Store, source: str, name: str) -> Pack:
    """A pack that is there, or one made of a file with what checks find in it now."""
    from evenhand.answer.rating.rater_queues import keep_pack, pack_named
    from evenhand.store.clock import now

    path = Path(source)
    if not path.exists():
        if path.suffix in (".jsonl", ".toml"):
            from evenhand.errors import InputError

            raise InputError(f"there is no file {source}", mend="name answers.jsonl, or a study file")
        return pack_named(kept, source)
    from evenhand.answer.generation.requests import CLOSED_BOOK
    from evenhand.answer.rating.batch import pack_of
    from evenhand.cli.answers.import_export import checked
    from evenhand.formats.answers.jsonl import finding_json

    generations, findings, _ = checked(path)
    # what was written without passages has nothing to be faithful to
    shown = [one for one in generations if not one.system.endswith(CLOSED_BOOK)]
    pack = pack_of(shown, name=name or _called(path))
    keep_pack(kept, pack, [finding_json(one) for one in findings], at=now())
    return pack


def ratings(
    pack: Annotated[str, typer.Argument(help="Name or beginning of the seal; default: the last.")] = "",
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="A file of JSON lines, or a table where it ends in .csv.")
    ] = Path("ratings.jsonl"),
    store: Where = DEFAULT,
) -> None:
    """Write the ratings that stand, each with whether the checks were on screen before it."""
    from evenhand.answer.rating.rater_queues import pack_named
    from evenhand.answer.rating.ratings import ratings_in
    from evenhand.formats.labels.ratings import write_ratings
    from evenhand.report.output.terminal import clean
    from evenhand.store.open import open_store

    kept = open_store(store)
    try:
        chosen = pack_named(kept, pack)
        found = ratings_in(kept, chosen.seal)
    finally:
        kept.close()
    write_ratings(out, found)
    shown = sum(one.checks_shown_before_rating for one in found)
    raters = len({one.rater for one in found})
    print(
        f"pack {clean(chosen.name)}: {many(len(found), 'rating')} by {raters}, "
        f"{shown:,} of them after the checks were shown"
    )
    print(f"→ {out}")
