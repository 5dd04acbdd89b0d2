"""``evenhand answers agree``: how far checks, people and models agree on generated items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.text.plural import many

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.model.answer import Rating

__all__ = ["agree"]

SEED = 20241009


def agree(  # noqa: PLR0917 - typer makes options of them
    source: Annotated[
        Path, typer.Argument(help="answers.jsonl, or a study file with [answers].", metavar="FILE")
    ],
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="Ratings, JSON lines or CSV (repeatable); default for a study: its own."),
    ] = None,
    store: Annotated[str, typer.Option("--store", help="Take the ratings of this store's desks, too.")] = "",
    level: Annotated[float, typer.Option(help="Of the intervals.", min=0.5, max=0.999)] = 0.95,
    resamples: Annotated[int, typer.Option(help="Of topics.", min=200)] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same intervals.")] = SEED,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Hold each check against people, people against each other, and models against people.

    Only ratings given before the checks were shown are compared. Intervals resample whole topics.
    """
    from evenhand.answer.rating.human_agreement import agreement
    from evenhand.cli.answers.import_export import checked
    from evenhand.errors import InputError
    from evenhand.formats.labels.ratings import read_ratings

    generations, findings, rated = checked(source)
    every: list[Rating] = list(rated)
    for file in ratings or ():
        every += read_ratings(file)
    if store:
        every += _of_store(store, {item.id for one in generations for item in one.items})
    if not every:
        raise InputError(
            "nobody has rated anything",
            mend=f"evenhand answers rate {source} --rater NAME; or give --ratings",
        )
    made = agreement(generations, findings, every, level=level, resamples=resamples, seed=seed)
    if json:
        from evenhand.report.output.assemble import dumps

        print(dumps(made).decode(), end="")
        return
    _say(made)


def _of_store(where: str, items: set[str]) -> list[Rating]:
    """Ratings of every pack of a store that are about these items."""
    from evenhand.answer.rating.rater_queues import desks_of
    from evenhand.answer.rating.ratings import ratings_in
    from evenhand.store.open import open_store

    kept = open_store(where)
    try:
        packs = dict.fromkeys(desk.pack for desk in desks_of(kept))
        return [one for pack in packs for one in ratings_in(kept, pack) if one.item in items]
    finally:
        kept.close()


def _say(made: Mapping[str, Any]) -> None:
    from rich.table import Table

    from evenhand.labelling.desk.agreement_text import number_words
    from evenhand.report.output.terminal import clean, console

    on = console()
    for one in made["raters"]:
        print(
            f"{clean(one['rater'])} ({one['by']}): {many(one['ratings'], 'rating')}, {one['blind']:,} blind"
        )
    rows = [row for row in made["checks"] if row["n"]]
    if rows:
        table = Table(box=None, pad_edge=False)
        for name in (
            "check",
            "of",
            "n",
            "agree",
            "no skill",
            "kappa",
            "AC1",
            "faults found",
            "passed rightly",
        ):
            side: Any = "left" if name in ("check", "of") else "right"
            table.add_column(name, justify=side, overflow="fold")
        for row in rows:
            kappa = "none" if row["kappa"]["value"] is None else f"{row['kappa']['value']:.2f}"
            shares = [_share(row[name], n=True) for name in ("sensitivity", "specificity")]
            skill = row["no_skill"]["value"]
            ac1 = row["ac1"]["value"]
            table.add_row(
                *(row["check"], row["field"], str(row["n"]), _share(row["raw"])),
                *("none" if skill is None else f"{skill:.0%}", kappa),
                *("none" if ac1 is None else f"{ac1:.2f}", *shares),
            )
        on.print(table)
        print("no skill: the agreement of one who always says what people say more often")
    for sentence in made["sentences"]:
        if not any(sentence.startswith(f"{row['check']} agrees") for row in rows):
            print(clean(sentence))
    for row in rows:
        if row["kappa"]["value"] is not None:
            print(f"kappa of {row['check']} on {row['field']}: {number_words(row['kappa'])}")
    for one in made["warnings"]:
        print(f"warning: {clean(one['text'])}")


def _share(one: Mapping[str, Any], *, n: bool = False) -> str:
    """A share with its interval, and with *n* of how many it is."""
    if one["value"] is None:
        return "none"
    told = f"{one['value']:.0%}" + (f" of {one['n']:,}" if n else "")
    if one["low"] is None:
        return told
    return f"{told} [{one['low']:.0%}, {one['high']:.0%}]"
