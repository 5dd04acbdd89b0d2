"""Markdown and plain text, with what stands between ``---`` lines at the top."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from evenhand.corpus.outline import headings
from evenhand.formats.corpus.metadata import described
from evenhand.model.text import DocId, Document

if TYPE_CHECKING:
    from evenhand.formats.reader_warnings import Notes

__all__ = ["front_matter", "markdown"]

LONGEST = 32_768  # characters
_OPEN = re.compile(r"---[ \t]*\r?\n")
# "title: Notice: closed" is what people write, and not YAML
_LINE = re.compile(r"^([A-Za-z_][\w -]*:[ \t]+)((?![\"'\[{|>]).*)$", re.MULTILINE)
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


def front_matter(text: str, *, name: str, notes: Notes) -> tuple[dict[str, Any], int]:
    """What the YAML at the top says (every scalar as text: version 1.10 stays 1.10), and where it ends.

    A ``---`` that opens no mapping is a line of the text. A value with a colon that lacks its quotes is
    read and noted; YAML that cannot be read even so, or with aliases, is noted and left in the text.
    """
    top = _OPEN.match(text)
    close = _CLOSE.search(text, top.end()) if top else None
    if top is None or close is None:
        return {}, 0
    block = text[top.end() : close.start()]
    if len(block) > LONGEST:
        notes.add("front matter too long to be one is left in the text", name)
        return {}, 0
    try:
        found = _yaml(block)
    except ValueError as error:
        try:
            found = _yaml(_LINE.sub(_quoted, block))
        except ValueError:
            notes.add("front matter cannot be read as YAML and is left in the text", f"{name}, {error}")
            return {}, 0
        notes.add("front matter with a value that needs quotes in YAML, read as if it had them", name)
    if found in (None, ""):
        return {}, close.end()
    return (found, close.end()) if isinstance(found, dict) else ({}, 0)


def _yaml(block: str) -> Any:
    """The thing a block of YAML says; raises ValueError with the line of the file."""
    import yaml

    class Plain(yaml.BaseLoader):  # type: ignore[misc]
        """Texts, lists and mappings only; no aliases, which could make a page of a terabyte."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not read")
            return super().compose_node(parent, index)

    try:
        return yaml.load(block, Loader=Plain)  # noqa: S506  (a BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise ValueError(f"line {mark.line + 2}" if mark else "aliases or deep nesting") from error


def _quoted(line: re.Match[str]) -> str:
    return f"{line[1]}{json.dumps(line[2].strip(), ensure_ascii=False)}"


def markdown(text: str, *, id: str, notes: Notes) -> Document:  # noqa: A002
    """A Markdown document: the whole file is its text, the body begins after the front matter.

    The title is the one of the front matter, else the first heading of the highest level.
    """
    about, body = front_matter(text, name=id, notes=notes)
    title = ""
    if not about.get("title"):
        found = headings(Document(id=DocId(id), text=text, kind="markdown", body=body))
        title = min(found, key=lambda h: h.level).title if found else ""
    return described(about, id=id, text=text, kind="markdown", body=body, title=title, notes=notes)
