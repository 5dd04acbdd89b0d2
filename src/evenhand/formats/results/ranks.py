"""At which ranks of a results folder a graded unit stands: its runs and its grades, read together."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import SealBroken
from evenhand.formats.regular_files import TABLE, regular_bytes
from evenhand.formats.results.folder import MANIFEST, listing

if TYPE_CHECKING:
    from polars import DataFrame

__all__ = ["GRADES", "Found", "Ranks", "read_ranks"]

GRADES = "qrels.parquet"
OWN = "own:"  # before the name of a system that cuts for itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One system on one question: ``depth`` of its ranking, and all that is graded.

    ``graded``: rank (from 1), grade and nuggets covered of each graded unit that was found, best rank first;
    ``known``: all grades of the question on these units, the best first, found or not.
    """

    depth: int
    graded: tuple[tuple[int, float, tuple[int, ...]], ...]
    known: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Ranks:
    """Graded hits of all systems: as large as what was graded and found, not as the rankings.

    ``hits``: question, system, rank, grade, facts; ``depth``: question, system, depth; ``grades``: chunking,
    question, grade; ``cut``: the chunking of each system.
    """

    hits: DataFrame
    depth: DataFrame
    grades: DataFrame
    cut: Mapping[str, str]

    def of(self, question: str) -> dict[str, Found]:
        """What each system found for *question*; a system that was not asked found nothing."""
        import polars as pl

        asked = pl.col("question") == question
        hits, grades = self.hits.filter(asked), self.grades.filter(asked)
        depth = dict(self.depth.filter(asked).select("system", "depth").iter_rows())
        made: dict[str, Found] = {}
        for system, cut in self.cut.items():
            rows = hits.filter(pl.col("system") == system).sort("rank").select("rank", "grade", "facts")
            known = grades.filter(pl.col("chunking") == cut)["grade"].sort(descending=True).to_list()
            graded = tuple((rank, grade, tuple(facts)) for rank, grade, facts in rows.iter_rows())
            made[system] = Found(depth=depth.get(system, 0), graded=graded, known=tuple(known))
        return made

    def firsts(self) -> list[tuple[str, str, int]]:
        """Question, system and rank of the first unit of a question's best grade, wherever it was found."""
        import polars as pl

        best = self.grades.group_by("chunking", "question").agg(pl.col("grade").max().alias("best"))
        cut = pl.DataFrame({"system": list(self.cut), "chunking": list(self.cut.values())})
        of = self.hits.join(cut, on="system").join(best, on=["chunking", "question"])
        found = of.filter((pl.col("grade") == pl.col("best")) & (pl.col("best") > 0))
        first = found.group_by("question", "system").agg(pl.col("rank").min())
        return list(first.sort("rank", "question", "system").iter_rows())


def read_ranks(report: Path, told: Mapping[str, Any]) -> Ranks | None:
    """The ranks beside a *report* whose content is *told*; None where its folder does not hold them.

    Raises SealBroken where a file is not the one that the manifest lists. Systems whose ranking is not there
    are left out.
    """
    import polars as pl

    from evenhand.store.blobs import safe_name

    folder = report.parent
    listed = listing(folder)
    if GRADES not in listed or not (folder / GRADES).is_file():
        return None
    graded = pl.read_parquet(_sealed(folder / GRADES, GRADES, listed))
    cuts = set(graded["chunking"].unique().to_list())
    hits, depth, cut = [], [], {}
    for one in told["systems"]:
        name, file = one["name"], f"runs/{safe_name(one['name'])}.parquet"
        own = f"{OWN}{name}"
        of = own if own in cuts else one["chunking"]
        if file not in listed or not (folder / file).is_file() or of not in cuts:
            continue
        units = graded.filter(pl.col("chunking") == of).drop("chunking", "label")
        columns = ["question", "unit", "rank"]
        run = pl.read_parquet(_sealed(folder / file, file, listed), columns=columns)
        run = _without(run, units)
        cut[name] = of
        system = pl.lit(name).alias("system")
        hits.append(
            run.join(units.drop("excluded"), on=["question", "unit"]).drop("unit").with_columns(system)
        )
        depth.append(run.group_by("question").agg(pl.len().alias("depth")).with_columns(system))
    if not cut:
        return None
    grades = graded.filter(~pl.col("excluded")).select("chunking", "question", "grade")
    return Ranks(pl.concat(hits), pl.concat(depth), grades, cut)


def _without(run: DataFrame, units: DataFrame) -> DataFrame:
    """A ranking without the units that are taken out before it is measured; the others move up."""
    import polars as pl

    out = units.filter(pl.col("excluded"))
    if not out.height:
        return run
    left = run.join(out, on=["question", "unit"], how="anti", maintain_order="left")
    return left.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("question"))


def _sealed(path: Path, name: str, listed: Mapping[str, str]) -> io.BytesIO:
    try:
        content = regular_bytes(path, most=TABLE)
    except OSError as error:
        raise SealBroken(
            f"{name} cannot be read: {error.strerror or error}",
            mend="make the results again with `evenhand run`",
        ) from error
    if listed[name] != hashlib.sha256(content).hexdigest():
        raise SealBroken(
            f"{name} is not the file that {MANIFEST} lists", mend="make the results again with `evenhand run`"
        )
    return io.BytesIO(content)
