"""How often a replaced proposal is on top: reads the runs that ``evenhand run study.toml`` has exported.

python on_top.py [results]
"""

import json
import sys
from pathlib import Path

import polars as pl

from evenhand.formats.corpus.read import read_corpus
from evenhand.stats.intervals.proportion import wilson

HERE = Path(__file__).parent
DOCUMENTS = HERE / "../../../shared/data/peps/peps"


def on_top(results: Path, documents: Path = DOCUMENTS, gold: Path = HERE / "gold.jsonl") -> list[dict]:
    """A run a row: questions asked, those with an obsolete document on top, those whose replaced one leads."""
    status = {document.id: document.status for document in read_corpus(documents, glob="*.rst")}
    asked = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    rows = []
    for file in sorted((results / "runs").glob("*.parquet")):
        best = pl.read_parquet(file).group_by("question", "document").agg(pl.col("rank").min())
        rank = {(q, d): r for q, d, r in best.iter_rows()}
        top = {q: d for (q, d), r in rank.items() if r == 1}
        never = 1 + max(rank.values(), default=0)
        rows.append(
            {
                "run": file.stem.split("~")[0],
                "n": len(asked),
                "obsolete": sum(status.get(top.get(q["id"], "")) == "obsolete" for q in asked),
                "replaced": sum(
                    rank.get((q["id"], q["meta"]["replaced"]), never)
                    < rank.get((q["id"], q["source"]), never)
                    for q in asked
                ),
            }
        )
    return rows


if __name__ == "__main__":
    print(f"{'run':<20} {'n':>3}  {'an obsolete PEP on top':<26} the replaced PEP above the one in force")
    for row in on_top(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results"):
        shares = []
        for what in ("obsolete", "replaced"):
            between = wilson(row[what], row["n"])
            shares.append(f"{row[what] / row['n']:.0%} [{between.low:.0%}, {between.high:.0%}]")
        print(f"{row['run']:<20} {row['n']:>3}  {shares[0]:<26} {shares[1]}")
