"""``topics.toml``: what study items are written about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import InputError
from evenhand.formats.study_file.toml_reader import Table, load_toml
from evenhand.model.seal import seal

__all__ = ["Topic", "Topics", "read_topics"]

EXAMPLE = '[topic.NAME] with ask = "…"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic: ``ask`` is searched for; ``documents`` are those that treat it, where somebody said so."""

    name: str
    ask: str
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """The topics of a plan, in the order of their file."""

    topics: tuple[Topic, ...]

    @property
    def asks(self) -> dict[str, str]:
        """Name → what is searched for."""
        return {one.name: one.ask for one in self.topics}

    @property
    def seal(self) -> str:
        """Seal of all of them."""
        return seal([[one.name, one.ask, list(one.documents)] for one in self.topics])

    def __getitem__(self, name: str) -> Topic:
        """A topic by its name."""
        return next(one for one in self.topics if one.name == name)


def read_topics(path: str | Path) -> Topics:
    """Read a file of topics; every problem of it is told at once.

    A section ``[topic.NAME]`` a topic, with ``ask`` (a text) and, if somebody says so beforehand, the
    ``documents`` in which it is treated.
    """
    tables, book = load_toml(Path(path))
    for section in tables:
        if section != "topic":
            book.wrong(section, "", "unknown section", mend=f"write {EXAMPLE}")
    content = tables.get("topic", {})
    if not isinstance(content, Mapping) or any(not isinstance(one, Mapping) for one in content.values()):
        book.wrong("topic", "", "needs a name for each topic", mend=f"write {EXAMPLE}")
        content = {}
    found = []
    for name, inner in content.items():
        table = Table(book, f"topic.{name}", inner)
        ask = table.take("ask", str, "")
        if not ask.strip() and ("ask" not in table or isinstance(inner["ask"], str)):
            book.wrong(table.section, "ask", "says not what is searched for", mend=f"write {EXAMPLE}")
        if not name.strip() or any(ord(letter) < 33 for letter in name) or "/" in name:
            book.wrong(table.section, "", f"{name!r} cannot be a name", mend="no blank, '/' or control sign")
        found.append(Topic(name=name, ask=ask, documents=table.texts("documents")))
        table.close()
    book.close()
    if not found:
        raise InputError(f"{path} has no topic", mend=f"write {EXAMPLE}")
    return Topics(topics=tuple(found))
