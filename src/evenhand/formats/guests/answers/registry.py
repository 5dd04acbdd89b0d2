"""Generated answers in and out of other tools, by the name of the tool."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from evenhand.errors import InputError, nearest
from evenhand.formats.answers.jsonl import answers_text, parse_answers
from evenhand.formats.encoding import decode
from evenhand.formats.exported import Exported
from evenhand.formats.guests.answers import (
    haystack,
    langfuse_traces,
    open_rag_eval,
    openevals,
    openinference,
    openinference_export,
    rag_rows,
    ragchecker,
)
from evenhand.formats.guests.answers.export import Outgoing
from evenhand.formats.guests.answers.rows import Brought, Taking, rows_of
from evenhand.formats.guests.foreign_file import of_form
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.model.answer import Finding, Generation, Rating

__all__ = ["READS", "WHOLE", "WRITES", "export_answers", "import_answers"]

READERS: Mapping[str, Callable[[str, Taking], object]] = {
    "jsonl": rag_rows.read,
    "ragas": rag_rows.read,
    "deepeval": rag_rows.read,
    "langfuse": langfuse_traces.read,
    "openinference": openinference.read,
    "ragchecker": ragchecker.read,
    "open-rag-eval": open_rag_eval.read,
    "haystack": haystack.read,
    "openevals": openevals.read,
}
WRITERS: Mapping[str, Callable[[Outgoing], str]] = {
    "ragas": rag_rows.write_ragas,
    "deepeval": rag_rows.write_deepeval,
    "langfuse": langfuse_traces.write,
    "openinference": openinference_export.write,
    "ragchecker": ragchecker.write,
    "open-rag-eval": open_rag_eval.write,
    "haystack": haystack.write,
    "openevals": openevals.write,
}
READS = tuple(READERS)
WRITES = ("jsonl", *WRITERS)
WHOLE = ("deepeval", "langfuse", "openinference", "openevals")  # a generation goes along as metadata


def import_answers(path: str | os.PathLike[str], tool: str, *, system: str = "") -> Brought:
    """The generations of a tool's file; ``lost`` says what it could not carry, each with its count.

    ``jsonl`` is ours, or plain rows with a question and a response by any usual name. *system* names who
    answered where the file does not; without it the tool's name stands for it. A missing response is a
    fault (it can be run again), an empty one counts against the model. Raises InputError for a file that is
    not of this kind.
    """
    if tool not in READS:
        raise InputError(f"nothing is read from {tool!r}", mend=nearest(tool, READS))
    file = Path(path).name
    text, _ = decode(read_bytes(path), where=file)
    if tool == "jsonl" and _ours(text, file):
        return Brought(generations=tuple(parse_answers(text, file)), lost=())
    joined = "|" if tool == "deepeval" else ""  # as its JSON lines and CSV have lists
    taking = Taking(file, system or ("" if tool == "jsonl" else tool), joined)
    with of_form(file, tool, mend="give the file as the tool exported it"):
        READERS[tool](text, taking)
    return taking.done()


def _ours(text: str, file: str) -> bool:
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return False
    for _, row in rows_of(text, file):
        return "ask" in row and "system" in row and ("passages" in row or "items" in row or "state" in row)
    return False


def export_answers(
    path: str | os.PathLike[str],
    tool: str,
    generations: Iterable[Generation],
    findings: Iterable[Finding] = (),
    ratings: Iterable[Rating] = (),
) -> Exported:
    """Write for *tool* with what checks found and how people rated: how many, and what it cannot carry.

    A row an item (and a row for a topic that gave none). Where a tool has metadata the generation goes along
    whole, so that an import of ours gets it back. ``jsonl`` is ours and holds no findings or ratings: these
    have files of their own.
    """
    if tool not in WRITES:
        raise InputError(f"nothing is written for {tool!r}", mend=nearest(tool, WRITES))
    out = Outgoing(list(generations), list(findings), list(ratings))
    if tool == "jsonl":
        write_bytes(path, answers_text(out.generations).encode())
        for row in out:
            out.wrote(row, findings=(), ratings=False)
        for what, n in (("findings", len(list(out.findings))), ("ratings", len(list(out.ratings)))):
            out.lose(f"{what}: they have a file of their own", n)
        return out.done()
    write_bytes(path, WRITERS[tool](out).encode("utf-8", "surrogatepass"))
    return out.done()
