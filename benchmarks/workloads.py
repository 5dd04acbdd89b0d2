"""Seeded runs and judgements of the sizes that people measure, as TREC text and Parquet. Nothing of them is kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """So many questions with so many ranked units each, out of *units*; *judged* are judged for each."""

    questions: int
    depth: int
    units: int
    judged: int
    unit: str
    question: str


SIZES = {
    "a": Size(questions=6980, depth=1000, units=8_841_823, judged=1, unit="{}", question="{}"),
    "d": Size(questions=100_000, depth=100, units=1_000_000, judged=1, unit="D{:07d}", question="PLAIN-{}"),
    "b": Size(questions=54, depth=1000, units=8_841_823, judged=200, unit="{}", question="{}"),
    "c": Size(
        questions=40,
        depth=10,
        units=900,
        judged=5,
        unit="handbook/page-{:04d}.md#chunk-1",
        question="q-{:03d}",
    ),
}


def make(folder: Path, size: Size, *, seed: int = 7, orders: bool = False, parquet: bool = False) -> None:
    """``qrels.txt`` and ``run.txt`` in *folder*, scores with four decimals so that ties are real.

    With *orders* also ``shuffled.txt`` and ``interleaved.txt``, the same lines; with *parquet* ``run.parquet``.
    """
    import numpy as np

    dice = np.random.default_rng([seed, size.questions, size.depth])
    folder.mkdir(parents=True, exist_ok=True)
    columns: tuple[list[str], list[str], list[float]] = ([], [], [])
    with (folder / "qrels.txt").open("w") as qrels, (folder / "run.txt").open("w") as run:
        for q in range(size.questions):
            question = size.question.format(q)
            drawn = np.unique(dice.integers(0, size.units, size=int(size.depth * 1.1) + 20))
            code = dice.permutation(drawn)[: size.depth]
            score = np.sort(np.round(dice.gumbel(0, 1, len(code)) * 2 + 10, 4))[::-1]
            units = [size.unit.format(u) for u in code.tolist()]
            scores = score.tolist()
            # mostly judged are units high up, some none of the run
            place = np.unique((dice.random(size.judged) ** 2 * len(units) * 1.15).astype(int))
            grade = dice.integers(1 if size.judged == 1 else 0, 2 if size.judged == 1 else 4, len(place))
            for p, g in zip(place.tolist(), grade.tolist(), strict=True):
                unit = units[p] if p < len(units) else size.unit.format(size.units + p)
                qrels.write(f"{question} 0 {unit} {g}\n")
            run.writelines(
                f"{question} Q0 {u} {rank} {s:.4f} system1\n"
                for rank, (u, s) in enumerate(zip(units, scores, strict=True), 1)
            )
            if parquet:
                columns[0].extend([question] * len(units))
                columns[1].extend(units)
                columns[2].extend(scores)
    if parquet:
        import polars as pl

        frame = pl.DataFrame(
            {"query_id": columns[0], "doc_id": columns[1], "score": columns[2]},
            schema={"query_id": pl.Categorical, "doc_id": pl.String, "score": pl.Float64},
        )
        frame.write_parquet(folder / "run.parquet", row_group_size=1 << 20, compression="snappy")
    if orders:
        lines = (folder / "run.txt").read_bytes().splitlines(keepends=True)
        by_rank = sorted(range(len(lines)), key=lambda i: i % size.depth)
        (folder / "interleaved.txt").write_bytes(b"".join([lines[i] for i in by_rank]))
        (folder / "shuffled.txt").write_bytes(b"".join([lines[i] for i in dice.permutation(len(lines))]))
