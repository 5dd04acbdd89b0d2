"""docs/reference/formats.md: what is read from and written for whom, made of the program and of the guests' lock.

``python -m tests.docs.formats_reference`` writes the page anew.
"""

from __future__ import annotations

import re

from tests.docs.runner import ROOT

PAGE = ROOT / "docs" / "reference" / "formats.md"
LOCK = ROOT / "requirements" / "guests.txt"
# guest -> the package it is tested against, with its own reader, writer or types
PACKAGES = {
    "ragas": "ragas",
    "deepeval": "deepeval",
    "langfuse": "langfuse",
    "langsmith": "langsmith",
    "context-grid": "context-grid",
    "chunklab": "chunklab",
    "legalbench-rag": "context-grid",
    "ragproof": "ragproof",
    "haystack": "haystack-ai",
    "llama-index": "llama-index-core",
    "openevals": "langchain-core",
    "openinference": "arize-phoenix-client",
    "phoenix": "arize-phoenix-client",
    "parquet": "pandas",
    "trec": "ir-measures",
    "json": "ranx",
    "csv": "pandas",
}
# the others: what they are held against
SAMPLES = {
    "autorag": "files of the form its chunkers write; what is written, as its own checks ask",
    "promptfoo": "tests as its documentation has them: it runs on Node",
    "hydrag": "a file of its form",
    "freshstack": "files of the published form",
    "bright": "files of the published form",
    "chroma": "its own 472 questions",
    "squad": "XQuAD",
    "beir": "LIMIT",
    "jsonl": "our own",
    "ragchecker": "its published results",
    "open-rag-eval": "files as its connectors write them",
    "label-studio": "files that label-studio-sdk 2.1.2 wrote and checked",
    "argilla": "files that argilla 2.8.0 wrote",
    "doccano": "files that doccano 1.8.4 exported",
    "qrels": "trec_eval's own test files",
    "mteb": "predictions of the form it saves; its package needs torch",
    "topics": "CACM; SMART's `.I` and `.W`",
}
APART = {
    ("gold", "llama-index"): "a file as `save_json` wrote it: the class has left its core",
    ("rankings", "autorag"): "a table of its columns",
}
EVIDENCE = {  # how the evidence of a gold set comes in
    "ragas": "contexts, looked up; `document#start-end` in `reference_context_ids` as it stands",
    "deepeval": "contexts, looked up in `source_file`, else everywhere",
    "langfuse": "`metadata.spans` as they stand, else contexts, looked up",
    "langsmith": "contexts, looked up",
    "autorag": "chunks by `path` and `start_end_idx`, else looked up; outer lists all needed, inner ones any",
    "context-grid": "anchors (the n-th occurrence) or spans as they stand",
    "chunklab": "snippets, looked up; nested lists are alternatives",
    "promptfoo": "values of `context-recall`, looked up",
    "llama-index": "texts of the relevant nodes, looked up",
    "legalbench-rag": "spans as they stand, their words checked",
    "ragproof": "whole documents",
    "hydrag": "phrases, looked up",
    "freshstack": "chunks of each nugget, looked up: alternatives",
    "bright": "gold documents; `excluded_ids` go to the question's meta",
    "parquet": "spans or quotes, a row each",
}
WORDS = {
    "ids": "ids",
    "kind": "type, cluster",
    "tags": "tags",
    "expectation": "what is expected",
    "reference": "reference answer",
    "place": "places",
    "alternatives": "alternatives",
    "facts": "facts apart",
    "vital": "what is vital",
    "grades": "grades of documents",
    "names": "names of facts",
    "origin": "origin",
    "people": "authors and reviews",
    "meta": "meta",
}
HEAD = """# Formats of other tools

Four verbs take files of other tools in and write them: `gold` (questions and their evidence), `answers` (what was
generated), `judge` (what people said of passages) and `convert` (rankings and judgements); `scores` reads numbers. How to use them:
[To and from other tools](../how-to/guests.md).

The rules are the same everywhere. Places that a source gives are taken as they are and checked; words without a place are
looked up in `--corpus`: letter for letter, then by [what may differ in a quote](gold-set.md#what-may-differ-in-a-quote). What is not found,
and whatever a form has no place for, is counted and printed, coming in and going out. A name never changes what it means.

*Tested against*: the package, in the version named, loads what evenhand writes or writes what evenhand reads
(`make guests`). Where there is no package to be tested against, the column says what stands in for it.
"""


def versions() -> dict[str, str]:
    """Versions by package, of the guests' lock."""
    found = re.findall(r"^([a-z0-9._-]+)==([^ \\;]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(found)


def against(name: str, *, of: str = "") -> str:
    """The package and version, or what stands in for one; *of* a kind of file, where that decides."""
    if (of, name) in APART:
        return APART[of, name]
    if name in PACKAGES:
        package = PACKAGES[name]
        return f"{package} {versions()[package]}"
    return SAMPLES[name]


def carried(aspects: frozenset[str]) -> tuple[str, str]:
    """What is carried and what is dropped, in words."""
    from evenhand.formats.guests.exporting import ASPECTS, EVERYTHING

    if aspects == EVERYTHING:
        return "everything, as metadata", "–"
    kept = ", ".join(WORDS[name] for name in ASPECTS if name in aspects)
    return kept, ", ".join(WORDS[name] for name in ASPECTS if name not in aspects)


def table(*rows: tuple[str, ...]) -> list[str]:
    """A table of Markdown."""
    head, *body = rows
    return [f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *body)]


def gold_sets() -> list[str]:
    """Gold sets in and out."""
    from evenhand.formats.gold.export import CARRIES, FORMS
    from evenhand.formats.gold.gold_set import FORMATS
    from evenhand.formats.guests.gold_registry import GUESTS

    rows = [("`--format`", "what it is", "in: evidence", "out: carried", "out: dropped", "tested against")]
    own = {
        "chroma": "Chroma chunking_evaluation: CSV",
        "squad": "SQuAD 1.1 and 2.0: JSON",
        "beir": "BEIR: a folder of queries, qrels, corpus",
        "topics": "TREC and SMART topics, with `--qrels`",
        "csv": "a flat table, a row a span: CSV",
    }
    places = {
        "chroma": "spans as they stand, all needed",
        "squad": "answer spans as they stand, any will do",
        "beir": "whole documents, any will do",
        "topics": "whole documents, any will do",
        "csv": "spans or quotes, a row each",
    }
    for name in (*GUESTS, *own):
        carries = (
            CARRIES.get(name) or GUESTS["parquet" if name == "csv" else name].CARRIES
            if name in FORMS
            else None
        )
        kept, lost = carried(carries) if carries is not None else ("not written", "")
        what = own.get(name) or GUESTS[name].SAYS
        where = places.get(name) or EVIDENCE[name]
        assert name in FORMATS or name in GUESTS, name
        rows.append((f"`{name}`", what, where, kept, lost, against(name, of="gold")))
    return table(*rows)


def answers() -> list[str]:
    """Answers in and out."""
    from evenhand.formats.guests.answers.registry import READS, WHOLE, WRITES

    rows = [("`--from`, `--to`", "read", "written", "what comes back of what was written", "tested against")]
    for name in dict.fromkeys((*READS, *WRITES)):
        back = (
            "everything" if name in (*WHOLE, "jsonl") else "question, passages, answer; the rest is counted"
        )
        rows.append(
            (f"`{name}`", *("yes" if name in of else "" for of in (READS, WRITES)), back, against(name))
        )
    return table(*rows)


def labels() -> list[str]:
    """Labels in and out."""
    from evenhand.formats.guests.labels.registry import GUESTS, LOSSES, TOOLS

    rows = [("`--format`", "read", "written", "dropped", "tested against")]
    for name in TOOLS:
        out = name in GUESTS or name == "jsonl"
        lost = ", ".join(LOSSES.get(name, ())) or ("–" if out else "all but the grade")
        rows.append((f"`{name}`", "yes", "yes" if out else "`judge qrels`", lost, against(name)))
    return table(*rows)


def rankings() -> list[str]:
    """Runs and judgements."""
    from evenhand.formats.runs.trec import GUESTS, KINDS
    from evenhand.formats.runs.write import FORMS as WRITTEN

    says = {
        "trec": "text of trec_eval, also in three columns and as SMART has it; subtopics are nuggets; UTF-8 or UTF-16",
        "json": "`{question: {unit: number}}`: ranx, pytrec_eval",
        "jsonl": "a row a line: LIMIT; FreshStack's queries and BRIGHT's examples as judgements",
        "beir": "tabs under BEIR's names",
        "csv": "a table with a header",
        "parquet": "a table of columns, as ranx has them",
        "mteb": "predictions, `--part SUBSET/SPLIT`",
        "ragas": "`retrieved_context_ids`, `reference_context_ids`",
        "llama-index": "`retrieved_ids`, `expected_ids` of its results",
        "haystack": "`retrieved_documents`, `ground_truth_documents` of its inputs",
        "autorag": "`retrieved_ids`, `retrieval_gt`: each inner list a nugget",
    }
    rows = [("`--from`, `--to`", "what it is", "read", "written", "tested against")]
    for name, what in says.items():
        assert name in (*KINDS, *GUESTS), name
        rows.append(
            (f"`{name}`", what, "yes", "yes" if name in WRITTEN else "", against(name, of="rankings"))
        )
    return table(*rows)


def scores() -> list[str]:
    """What other tools' scores are called here."""
    from evenhand.formats.guests.scores.names import NAMES, SAME

    rows = [("`--from`", "there", "here", "what is to be known")]
    for tool, names in NAMES.items():
        rows += [
            (f"`{tool}`", f"`{theirs}`", f"`{ours}`", "" if remark == SAME else remark)
            for theirs, (ours, remark) in names.items()
        ]
    rows.append(("`trec_eval`", "what `trec_eval -q` prints", "its metrics, by their names here", ""))
    rows.append(("any", "another name", "`tool:name`", "a mean with its interval, nothing more is claimed"))
    return table(*rows)


FOOT = """
ranx's own LZ4 files hold CBOR, packed twice, and are refused with the way out; its Parquet reader (0.3.21) cannot read
any Parquet where pandas is 3 or newer, its own included. Ids with blanks, as in LIMIT, fit every form but TREC text.
"""


ANY = """
Without `--from` any table is read: CSV, tabs, JSON, JSON lines or Parquet with a column of ids (`--id COLUMN` names it)
and a column a score, called `table:NAME` here."""
TABLES = """
## Tables, encodings and packed files

- Every CSV and TSV that is written is inert in a spreadsheet: an apostrophe stands before a cell that would begin a formula
  (`=`, `+`, `-`, `@`, a tab), numbers stay as they are, and every reader here takes the apostrophe off again. Other tools see it
  as part of the cell, so its count is printed. TREC text is no table and has none.
- A list in a cell is read as JSON, as Python prints it, or as numpy prints it; one that was cut, or printed without quotes,
  is refused with its row and column.
- Web pages are read in the encoding they declare, as browsers read them (ISO-8859-1 means Windows-1252). Other texts are UTF-8,
  or marked UTF-16 or UTF-32; what is neither is guessed, Windows-1252 first, and the guess is said.
- A packed file (gzip, bz2, xz, zstd, lz4, zip, tar) may unpack to 256 MiB, or a hundred times its size where that is more; an
  office file to 64 MiB, or twenty times its size; the streams of a PDF count in the same way. `EVENHAND_MAX_UNPACKED=8G`
  allows another size.
"""


def render() -> str:
    """The whole page."""
    parts = [
        HEAD,
        "## Gold sets: `evenhand gold import`, `gold export`\n",
        *gold_sets(),
        "\n*Looked up* needs `--corpus`. A question that loses a fact it needs would be too easy: it is left out and counted.\n",
        "## Answers: `evenhand answers import`, `answers export`\n",
        *answers(),
        "\n`export` also writes `json` and `csv` with everything that checks found and people said.\n",
        "## Labels: `evenhand judge import`, `judge export`\n",
        *labels(),
        "\n## Rankings and judgements: `evenhand convert`\n",
        *rankings(),
        "\n## Scores: `evenhand scores`\n",
        *scores(),
        ANY,
    ]
    return "\n".join(parts) + "\n" + FOOT + TABLES


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
