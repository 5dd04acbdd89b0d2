"""``evenhand judge published | correlate``: published labels of people and machines, read and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.text.plural import many

__all__ = ["correlate", "published"]


def published(
    folder: Annotated[Path, typer.Argument(help="The folder with the files as published.")],
    *,
    name: Annotated[str, typer.Option("--set", help="wice, crowdrag25, ragchecker-meta or alce-utility.")],
    out: Annotated[Path, typer.Option(help="A folder for judgements.jsonl and votes.jsonl.")],
    aspect: Annotated[str, typer.Option(help="Which of several things was judged.")] = "",
    cut: Annotated[float | None, typer.Option(help="Machines' scores from here on are yes.")] = None,
) -> None:
    """Take in a published set of labels by people and machines, as judgements and votes of our own form."""
    from evenhand.errors import InputError
    from evenhand.formats.guests.published.registry import read_published
    from evenhand.formats.labels.judgements import write_labels
    from evenhand.formats.labels.votes import write_votes
    from evenhand.report.output.terminal import clean

    files = out / "judgements.jsonl", out / "votes.jsonl"
    for file in files:
        if file.exists():
            raise InputError(f"{file} exists already", mend="name another folder: nothing is overwritten")
    found = read_published(folder, name, aspect=aspect, cut=cut)
    out.mkdir(parents=True, exist_ok=True)
    write_labels(files[0], found.labels)
    write_votes(files[1], found.votes)
    print(f"{many(len(found.labels), 'label')} of people → {files[0]}")
    print(f"{many(len(found.votes), 'vote')} of machines → {files[1]}")
    for note in found.notes:
        print(f"note: {clean(note)}")


def correlate(
    votes: Annotated[Path, typer.Option("--votes", help="A votes.jsonl.", metavar="FILE")],
    labels: Annotated[Path, typer.Option("--labels", help="A judgements.jsonl.", metavar="FILE")],
    *,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Do a machine's grades rise with people's? For scores on a scale of their own."""
    from evenhand.formats.labels.judgements import read_labels
    from evenhand.formats.labels.votes import read_votes
    from evenhand.judge.calibration.rank_correlation import correlated
    from evenhand.labelling.desk.agreement_text import number_words
    from evenhand.report.output.terminal import clean

    made = correlated(read_labels(labels), read_votes(votes), level=level)
    if json:
        from json import dumps

        print(dumps(made, indent=1))
        return
    rows = [(f"{row['judge']} and people", row) for row in made["machines"]]
    rows += [(" and ".join(row["people"]), row) for row in made["people"]]
    for name, row in rows:
        print(
            f"{clean(name)}: Pearson {number_words(row['pearson'])}, "
            f"Spearman {number_words(row['spearman'])}, n {row['n']:,}"
            + (f" of {many(row['items'], 'item')}" if row.get("items", row["n"]) != row["n"] else "")
        )
    for row in made["machines"]:
        if row["lost"]:
            print(
                f"note: {many(row['lost'], 'vote')} of {clean(row['judge'])} hold no "
                "grade, and count for nothing"
            )
