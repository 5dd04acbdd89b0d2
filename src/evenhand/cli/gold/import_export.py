"""``evenhand gold import | export``: gold sets from and to the forms of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.gold.author import documents_at
from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import noun

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
            help="ragas, deepeval, langfuse, langsmith, autorag, context-grid, chunklab, promptfoo, "
            "llama-index, legalbench-rag, ragproof, hydrag, freshstack, bright, parquet, or what "
            "`gold check` reads; default: by content.",
        ),
    ] = "",
    corpus: Documents = None,
    qrels: Annotated[Path | None, typer.Option(help="Judgements of topics or BEIR queries.")] = None,
    chunks: Annotated[
        Path | None,
        typer.Option(help="The tool's own passages: AutoRAG's corpus.parquet, FreshStack's corpus …"),
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Leave out questions whose evidence is not found.")
    ] = False,
) -> None:
    """Make a gold.jsonl of another tool's gold set; what is lost on the way is counted."""
    from evenhand.errors import InputError, nearest
    from evenhand.formats.gold.gold_set import FORMATS, gold_of_rows, read_gold, write_gold
    from evenhand.formats.guests.detect_format import whose
    from evenhand.formats.guests.gold_registry import READS, come
    from evenhand.report.output.terminal import clean

    _free(out)
    documents = documents_at(corpus)
    lost: tuple[str, ...] = ()
    form = form or whose(source)
    if form and form not in (*READS, *FORMATS):
        raise InputError(f"gold format {form!r} is not known", mend=nearest(form, (*READS, *FORMATS)))
    if form in READS:
        coming = come(source, form, documents, chunks=chunks)
        lost = coming.told()
        if not coming.rows:
            raise InputError(
                f"{source.name} gives no question" + "".join(f"; {one}" for one in lost),
                mend="give --corpus, the documents that its evidence is from"
                if documents is None
                else "is it the right file, and are these its documents?",
            )
        gold = gold_of_rows(coming.rows, documents, file=source.name, lenient=lenient)
    else:
        gold = read_gold(source, documents, format=form or None, qrels=qrels, lenient=lenient)
    write_gold(out, gold)
    for one in lost:
        print(f"not carried: {clean(one)}")
    for one in gold.warnings:
        print(f"note: {clean(one)}")
    look = clean(again("gold", "check", out))
    print(f"{len(gold)} {noun(len(gold), 'question')} → {out}; look at them: {look}")


def export(
    gold: Annotated[Path, typer.Argument(help="gold.jsonl, or what `gold check` reads.")],
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="chroma, squad, beir, ragas, deepeval, langfuse, langsmith, autorag, context-grid, "
            "chunklab, promptfoo, llama-index, legalbench-rag, ragproof, hydrag, csv, parquet.",
        ),
    ],
    out: Out,
    corpus: Documents = None,
) -> None:
    """Write a gold set for another tool; what its form cannot carry is counted."""
    from evenhand.formats.gold.export import export_gold
    from evenhand.formats.gold.gold_set import read_gold
    from evenhand.report.output.terminal import clean

    _free(out)
    documents = documents_at(corpus)
    whole = read_gold(gold, documents)
    going = export_gold(out, form, whole, documents)
    for one in going.told():
        print(f"not carried: {clean(one)}")
    of = f" of {len(whole)}" if going.left else ""
    print(f"{going.written}{of} {noun(len(whole), 'question')} → {out}")


def _free(out: Path) -> None:
    from evenhand.errors import InputError

    if out.exists():
        raise InputError(f"{out} exists already", mend="name a new one: nothing is overwritten")
