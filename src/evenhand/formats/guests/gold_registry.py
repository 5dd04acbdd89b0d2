"""Gold sets of other tools by name: which are read and written, and the way in and out."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.foreign_file import of_form
from evenhand.formats.guests.gold_sets import (
    autorag,
    bright,
    chunklab,
    context_grid,
    deepeval,
    flat_table,
    freshstack,
    hydrag,
    langfuse,
    langsmith,
    legalbench,
    llama_index,
    promptfoo,
    ragas,
    ragproof,
)
from evenhand.formats.guests.importing import Coming

if TYPE_CHECKING:
    from evenhand.model.text import Corpus

__all__ = ["GUESTS", "READS", "WRITES", "come", "go"]

GUESTS: dict[str, ModuleType] = {
    "ragas": ragas,
    "deepeval": deepeval,
    "langfuse": langfuse,
    "langsmith": langsmith,
    "autorag": autorag,
    "context-grid": context_grid,
    "chunklab": chunklab,
    "promptfoo": promptfoo,
    "llama-index": llama_index,
    "legalbench-rag": legalbench,
    "ragproof": ragproof,
    "hydrag": hydrag,
    "freshstack": freshstack,
    "bright": bright,
    "parquet": flat_table,
}
READS = tuple(GUESTS)
WRITES = (*(name for name, module in GUESTS.items() if hasattr(module, "write")), "csv", "parquet")


def come(path: Path, name: str, corpus: Corpus | None = None, *, chunks: Path | None = None) -> Coming:
    """The rows of a tool's gold set as in ``gold.jsonl``, and what was lost on the way.

    *chunks* is a file of the tool's own passages, where it keeps them apart. Raises InputError for a file
    that is not of this kind.
    """
    if name not in GUESTS:
        raise InputError(f"no gold set is read from {name!r}", mend=nearest(name, READS))
    coming = Coming(path.name, corpus, chunks)
    with of_form(path.name, name, mend=f"give {GUESTS[name].SAYS}"):
        GUESTS[name].read(path, coming)
    return coming


def go(path: Path, name: str, going: Going) -> None:
    """Write the questions for a tool of `WRITES`; what its form cannot carry is counted in *going*."""
    if name in ("csv", "parquet"):
        going.count(flat_table.CARRIES)
        (flat_table.write_csv if name == "csv" else flat_table.write_parquet)(path, going)
        return
    going.count(GUESTS[name].CARRIES)
    GUESTS[name].write(path, going)
