"""``evenhand gold import | export``: gold sets from and to the forms of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.gold_author import documents_at

__all__ = ["export", "import_"]

Documents = Annotated[Path | None, typer.Option("--corpus", help="The documents the quotes are from.")]
Out = Annotated[Path, typer.Option(help="What to write; nothing is overwritten.")]


def import_(
    source: Annotated[Path, typer.Argument(help="The gold set of another tool.")],
    *,
    out: Out,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="ragas, deepeval, langfuse, langsmith, or what `gold check` reads; default: by content.",
        ),
    ] = "",
    corpus: Documents = None,
    qrels: Annotated[Path | None, typer.Option(help="Judgements of topics or BEIR queries.")] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Leave out questions whose evidence is not found.")
    ] = False,
) -> None:
    """Make a gold.jsonl of another tool's gold set; what is lost on the way is counted."""
    from evenhand.formats.encoding import decode
    from evenhand.formats.gold import read_gold, write_gold
    from evenhand.formats.gold_lines import question_of
    from evenhand.formats.guests.rag_sets import RAG_SETS, rows_of_rag_set
    from evenhand.formats.raw_bytes import read_bytes
    from evenhand.model.gold import GoldSet
    from evenhand.report.terminal import clean

    _free(out)
    documents = documents_at(corpus)
    told: tuple[str, ...]
    if form in RAG_SETS:
        text, _ = decode(read_bytes(source), where=source.name)
        rows, told = rows_of_rag_set(text, source.name, documents)
        gold = GoldSet(tuple(question_of(row, documents)[0] for row in rows))
    else:
        gold = read_gold(source, documents, format=form or None, qrels=qrels, lenient=lenient)
        told = gold.warnings
    write_gold(out, gold)
    for one in told:
        print(f"note: {clean(one)}")
    print(f"{len(gold)} questions → {out}; look at them: evenhand gold check {out}")


def export(
    gold: Annotated[Path, typer.Argument(help="gold.jsonl, or what `gold check` reads.")],
    *,
    form: Annotated[
        str, typer.Option("--format", help="chroma, squad, beir, ragas, deepeval, langfuse, langsmith.")
    ],
    out: Out,
    corpus: Documents = None,
) -> None:
    """Write a gold set for another tool; what its form cannot carry is counted."""
    from evenhand.formats.gold import read_gold
    from evenhand.formats.gold_out import export_gold
    from evenhand.report.terminal import clean

    _free(out)
    documents = documents_at(corpus)
    whole = read_gold(gold, documents)
    lost = export_gold(out, form, whole, documents)
    for one in lost:
        print(f"not carried: {clean(one)}")
    print(f"{len(whole)} questions → {out}")


def _free(out: Path) -> None:
    from evenhand.errors import InputError

    if out.exists():
        raise InputError(f"{out} exists already", mend="name a new one: nothing is overwritten")
