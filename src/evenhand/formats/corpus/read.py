"""Reading a corpus, whatever it lies in."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from evenhand.errors import InputError, nearest
from evenhand.formats.corpus.frontmatter import markdown
from evenhand.formats.corpus.html_pages import page
from evenhand.formats.corpus.metadata import described, linked
from evenhand.formats.corpus.office import office
from evenhand.formats.corpus.pdf import pdf
from evenhand.formats.corpus.records import json_documents, json_lines, table
from evenhand.formats.corpus.rst import rst
from evenhand.formats.corpus.sources import Source, archive, folder, is_archive, single
from evenhand.formats.corpus.trectext import is_smart, is_trec, smart, trec
from evenhand.formats.encoding import decode, decode_page, is_binary
from evenhand.formats.reader_warnings import Notes
from evenhand.model.text import Corpus, DocId, Document

__all__ = ["FORMATS", "read_corpus"]

_SUFFIXES: dict[str, tuple[str, ...]] = {
    "markdown": (".md", ".markdown", ".mdown", ".mkd", ".mdx"),
    "text": (".txt", ".text"),
    "html": (".html", ".htm", ".xhtml"),
    "pdf": (".pdf",),
    "office": (".docx", ".pptx", ".xlsx", ".xls", ".epub", ".ipynb"),
    "rst": (".rst", ".rest"),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "trec": (".trec", ".sgml", ".sgm"),
    "smart": (),
}
_BY_SUFFIX = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes}
_RECORDS = ("jsonl", "json", "csv", "tsv")
_OTHER_NAMES = {"md": "markdown", "txt": "text", "beir": "jsonl", "squad": "json", "docx": "office"}
FORMATS = (*_SUFFIXES, *_OTHER_NAMES)


def read_corpus(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  (what everybody calls it)
    glob: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] = (),
) -> Corpus:
    """Read a folder (with all below it), an archive or one file.

    In a folder each file is a document, its id the path within the folder; in an archive the same without
    the suffix, unless two members would share it. Files of records (JSON lines, CSV, SQuAD) name their own
    ids; within a folder they are read only when *glob* or *format* asks for them, but a folder with a
    ``corpus.jsonl`` is BEIR's. *format* is one of :data:`FORMATS` and overrules the suffix; *glob* and
    *exclude* are patterns such as ``"**/*.md"``.

    Offsets count code points of the stored text: for text formats that is the file as it is, newlines and
    front matter included, without a byte-order mark; for HTML, PDF and office files the extracted text.
    ``Corpus.warnings`` counts what was passed over, guessed or found twice. Raises :class:`InputError` for a
    missing path, an undecodable file, or a corpus without any text.
    """
    root = Path(path)
    kind = _kind(format)
    globs, excludes = _patterns(glob), _patterns(exclude)
    if not root.exists():
        beside = sorted(p.name for p in root.parent.iterdir()) if root.parent.is_dir() else []
        mend = nearest(root.name, beside) if beside and len(beside) < 100 else "look at the path"
        raise InputError(f"corpus {root} does not exist", mend=mend)
    notes = Notes()
    if root.is_dir():
        beir = next((root / n for n in ("corpus.jsonl", "corpus.jsonl.gz") if (root / n).is_file()), None)
        if beir and not globs and kind in (None, "jsonl"):
            documents = _documents(single(beir), "jsonl", notes)
        else:
            asked = bool(globs) or kind is not None
            documents = _gather(folder(root, glob=globs, exclude=excludes), kind, notes, records=asked)
    elif is_archive(root):
        asked = bool(globs) or kind is not None
        sources = archive(root, glob=globs, exclude=excludes)
        documents = _without_suffixes(_gather(sources, kind, notes, records=asked, beir=not asked))
    else:
        documents = _documents(single(root), kind, notes)
    if not documents:
        raise InputError(f"corpus {root}: no document in it", mend="look at path, glob, exclude and format")
    if not any(document.text[document.body :].strip() for document in documents):
        raise InputError(f"corpus {root}: none of its documents holds any text", mend="look at the files")
    _remark(documents, notes)
    return Corpus(linked(documents, notes), notes.warnings())


def _gather(
    sources: Iterable[Source], kind: str | None, notes: Notes, *, records: bool, beir: bool = False
) -> list[Document]:
    made: list[Document] = []
    for source in sources:
        if beir and posixpath.basename(source.id) == "corpus.jsonl":
            return _documents(source, "jsonl", notes)
        own = kind or _BY_SUFFIX.get(source.suffix)
        if own in _RECORDS and not records:
            notes.add("file of records not read (name it as the path, or with glob=)", source.id)
        elif own is None and is_binary(source.data):
            notes.add("file of unknown kind not read", source.id)
        else:
            made.extend(_documents(source, own, notes))
    return made


def _documents(source: Source, kind: str | None, notes: Notes) -> list[Document]:
    """The documents of one file."""
    guessed = kind is None
    kind = kind or _BY_SUFFIX.get(source.suffix)
    if kind == "pdf":
        return [pdf(source.data, id=source.id, where=source.where, notes=notes)]
    if kind == "office":
        return [office(source.data, id=source.id, suffix=source.suffix, where=source.where, notes=notes)]
    if kind == "html":
        xml = source.suffix == ".xhtml"
        text, encoding, said = decode_page(source.data, where=source.where, xml=xml)
    else:
        text, encoding = decode(source.data, where=source.where)
        wide = encoding.startswith("utf-")
        said = ["file in UTF-16 or UTF-32" if wide else "file not in UTF-8: its encoding was guessed"]
    for remark in said if encoding != "utf-8" or kind == "html" else ():
        notes.add(remark, f"{source.id} ({encoding})")
    match kind:
        case "markdown":
            return [markdown(text, id=source.id, notes=notes)]
        case "html":
            return [page(text, id=source.id, notes=notes)]
        case "rst":
            return [rst(text, id=source.id, notes=notes)]
        case "jsonl":
            return json_lines(text, where=source.where, notes=notes)
        case "json":
            return json_documents(text, where=source.where, notes=notes)
        case "csv" | "tsv":
            return table(text, where=source.where, notes=notes, tabs=kind == "tsv")
        case "trec":
            return trec(text, where=source.where, notes=notes)
        case "smart":
            return smart(text, where=source.where, notes=notes)
    if guessed or kind is None:
        if is_trec(text):
            return trec(text, where=source.where, notes=notes)
        if is_smart(text):
            return smart(text, where=source.where, notes=notes)
    if kind is None:
        notes.add("file of unknown kind read as plain text", source.id)
    return [described({}, id=source.id, text=text, kind="text", notes=notes)]


def _remark(documents: Sequence[Document], notes: Notes) -> None:
    """Note what biases a comparison unseen: blank documents, and the same text under several ids."""
    texts = Counter(document.text[document.body :] for document in documents)
    for document in documents:
        body = document.text[document.body :]
        if not body.strip():
            notes.add("document without text", document.id)
        elif texts[body] > 1:
            notes.add("document with the same text as another", document.id)


def _without_suffixes(documents: list[Document]) -> list[Document]:
    """Test collections name a document by its file without the suffix, and so do their qrels."""
    short = [posixpath.splitext(d.id)[0] if _BY_SUFFIX.get(_suffix(d.id)) else d.id for d in documents]
    if len(set(short)) < len(short):
        return documents
    return [replace(d, id=DocId(name)) for d, name in zip(documents, short, strict=True)]


def _suffix(name: str) -> str:
    return posixpath.splitext(name)[1].lower()


def _kind(format: str | None) -> str | None:  # noqa: A002
    if format is None:
        return None
    if format not in FORMATS:
        raise InputError(f"format = {format!r} is not known", mend=nearest(str(format), FORMATS))
    return _OTHER_NAMES.get(format, format)


def _patterns(given: str | Sequence[str] | None) -> tuple[str, ...]:
    if given is None:
        return ()
    return (given,) if isinstance(given, str) else tuple(given)
