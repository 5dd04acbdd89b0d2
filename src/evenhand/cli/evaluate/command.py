"""``evenhand eval QRELS RUN...``: files against files, with intervals and paired comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["eval_"]


def eval_(  # noqa: PLR0917 - typer makes options of them
    qrels: Annotated[
        Path, typer.Argument(help="Judgements: TREC, JSON, JSON lines, TSV or Parquet.", metavar="QRELS")
    ],
    runs: Annotated[list[Path], typer.Argument(help="Rankings, one file a system.", metavar="RUN...")],
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", help="A metric, such as nDCG@10 or R(rel=2)@5; the first is primary."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    per_question: Annotated[
        bool, typer.Option("--per-question", "-q", help="Also give each question's values (with --json).")
    ] = False,
    like: Annotated[
        str | None, typer.Option(help="trec_eval (version 9) or trec_eval10: its policies, no resampling.")
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", "-c", help="With --like: count missing questions as 0.")
    ] = False,
    level: Annotated[
        float,
        typer.Option("--level", "-l", help="The lowest grade that is relevant, where a name has no rel."),
    ] = 1,
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", "-M", help="Look at no more than this many units a question.")
    ] = None,
    ties: Annotated[
        str,
        typer.Option(
            help="Equal scores: trec (id descending), trec9 (so, with scores as float32), file (as the lines "
            "stand), or expected (the mean over all orders)."
        ),
    ] = "trec",
    without_relevant: Annotated[
        str, typer.Option(help="Questions without a relevant unit: undefined, or zero as trec_eval.")
    ] = "undefined",
    bounds: Annotated[
        bool, typer.Option("--bounds", help="Also say what unjudged units could change: all relevant, none.")
    ] = False,
    pairs: Annotated[
        list[str] | None, typer.Option(help="Pairs to compare, as A:B; default: all.", metavar="A:B")
    ] = None,
    interval_level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples.")] = 10_000,
    signs: Annotated[
        int, typer.Option(help="Sign vectors of the paired test, where it is not exact.")
    ] = 20_000,
    seed: Annotated[int, typer.Option(help="Seed of both.")] = 20241009,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Drop and count broken and repeated lines instead of stopping.")
    ] = False,
    workers: Annotated[
        int, typer.Option(help="Processes that read runs; 0: as many as pay. The result is the same.")
    ] = 0,
) -> None:
    """Measure runs against judgements: metrics with intervals, paired differences, a verdict in words."""
    from evenhand.cli.evaluate.evaluate import evaluate

    evaluate(
        qrels,
        runs,
        metric=metric,
        json=json,
        per_question=per_question,
        like=like,
        complete=complete,
        level=level,
        max_depth=max_depth,
        ties=ties,
        without_relevant=without_relevant,
        bounds=bounds,
        pairs=pairs,
        interval_level=interval_level,
        resamples=resamples,
        signs=signs,
        seed=seed,
        lenient=lenient,
        workers=workers,
    )
