"""Files with one document a row: BEIR and other JSON lines, CSV, SQuAD."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.corpus.metadata import described
from evenhand.formats.tables import rows_of
from evenhand.model.json_text import loads
from evenhand.model.text import DocId, Document

if TYPE_CHECKING:
    from evenhand.formats.reader_warnings import Notes

__all__ = ["json_documents", "json_lines", "table"]

_IDS = ("_id", "id", "doc_id", "docid", "document_id", "docno")
_TEXTS = ("text", "contents", "content", "body", "passage")


def json_lines(text: str, *, where: str, notes: Notes) -> list[Document]:
    """One JSON object a line, as BEIR's ``corpus.jsonl``: ``_id``, ``title``, ``text``, ``metadata``.

    The stored text is the title, a newline and the text, since that is what BEIR's systems search; without
    a title it is the text alone.
    """

    def rows() -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(_split(text), 1):
            if line.strip():
                try:
                    yield number, loads(line)
                except ValueError as error:
                    raise InputError(
                        f"{where}, line {number}: not JSON ({error})",
                        mend='write one JSON object a line, as {"_id": "d1", "text": "..."}',
                    ) from error

    return list(_documents(rows(), where=where, kind="beir", notes=notes))


def json_documents(text: str, *, where: str, notes: Notes) -> list[Document]:
    """A JSON file in the form of SQuAD, or a list of objects as in :func:`json_lines`.

    SQuAD: each paragraph is a document ``title/00``, numbered within its article.
    """
    try:
        found = loads(text)
    except ValueError as error:
        raise InputError(
            f"{where}: not JSON ({error})", mend="give a JSON file, or name its format"
        ) from error
    if isinstance(found, list):
        return list(_documents(enumerate(found, 1), where=where, kind="json", notes=notes))
    if isinstance(found, dict) and isinstance(found.get("data"), list):
        return list(_squad(found["data"], where))
    raise InputError(
        f"{where}: a {type(found).__name__} that is neither SQuAD (data, paragraphs, context) nor a list",
        mend='write a list of objects {"id": ..., "text": ...}, or JSON lines',
    )


def table(text: str, *, where: str, notes: Notes, tabs: bool) -> list[Document]:
    """A CSV (or TSV) file with a header: a column of ids, one of texts; the others say what they say."""
    head = text.split("\n", 1)[0]
    delimiter = "\t" if tabs else ";" if head.count(";") > head.count(",") else ","
    header, rows = rows_of(text, where, separator=delimiter, escaped=False)
    columns = [column for column in header if column]
    for wanted in (_IDS, _TEXTS):
        if not any(column.casefold() in wanted for column in columns):
            raise InputError(
                f"{where}: no column is called {wanted[0]} ({', '.join(wanted[1:])}); "
                f"found: {', '.join(columns) or 'nothing'}",
                mend="begin with a header line such as doc_id,text",
            )
    return list(_documents(_lines(header, rows, where), where=where, kind="table", notes=notes))


def _lines(
    header: list[str], rows: Iterable[tuple[int, list[str]]], where: str
) -> Iterator[tuple[int, dict[str, str | None]]]:
    for number, cells in rows:
        if len(cells) > len(header):
            raise InputError(
                f"{where}, line {number}: more fields than the header has columns",
                mend="quote texts that hold the delimiter",
            )
        row = dict(zip_longest(header, cells))
        yield number, {name.casefold(): cell for name, cell in row.items() if name}


def _split(text: str) -> Iterator[str]:
    """The lines of *text*, one after the other: a list of all would hold the file twice."""
    begin = 0
    while (end := text.find("\n", begin)) >= 0:
        yield text[begin:end]
        begin = end + 1
    yield text[begin:]


def _documents(rows: Iterable[tuple[int, Any]], *, where: str, kind: str, notes: Notes) -> Iterator[Document]:
    seen: dict[str, int] = {}
    for number, row in rows:
        at = f"{where}, {'entry' if kind == 'json' else 'line'} {number}"
        if not isinstance(row, dict):
            raise InputError(f"{at}: {type(row).__name__} instead of an object", mend="write one object each")
        key = next((k for k in _IDS if k in row), None)
        body = next((k for k in _TEXTS if k in row), None)
        if key is None or body is None:
            raise InputError(
                f"{at}: no {'id' if key is None else 'text'}; found: {', '.join(map(str, row)) or 'nothing'}",
                mend=f"give it {' and '.join((_IDS[0], _TEXTS[0]))}",
            )
        name = _id(row[key], at)
        if name in seen:
            raise InputError(
                f"{at}: id {name!r} occurs already in line {seen[name]}", mend="give each document its own id"
            )
        seen[name] = number
        if not isinstance(row[body], str):
            raise InputError(
                f"{at}: {body} is {type(row[body]).__name__} instead of a text", mend="write a string"
            )
        about = {k: v for k, v in row.items() if k not in (key, body, "metadata")}
        extra = row.get("metadata")
        about = (dict(extra) if isinstance(extra, Mapping) else {}) | {k: v for k, v in about.items() if v}
        title = row.get("title")
        joined = f"{title}\n{row[body]}" if isinstance(title, str) and title else row[body]
        yield described(about, id=name, text=joined, kind=kind, notes=notes)


def _id(value: Any, at: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise InputError(f"{at}: id {value!r} is not a text", mend="write the id as a string")
    return value


def _squad(articles: list[Any], where: str) -> Iterator[Document]:
    for a, article in enumerate(articles):
        try:
            title = article["title"] if "title" in article else str(a)
            for i, paragraph in enumerate(article["paragraphs"]):
                text, name = paragraph["context"], DocId(f"{title}/{i:02d}")
                yield Document(id=name, text=text, title=title.replace("_", " "), kind="squad")
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{where}: article {a} is not in the form of SQuAD ({error})",
                mend='each article needs a "title" and "paragraphs" with a "context"',
            ) from error
