"""A pack: generated items with the passages their writer saw, to be rated; and what a rater sees of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.answer.rating.rubric import RUBRIC, Rubric
from evenhand.errors import InputError, nearest
from evenhand.model.answer import Generation
from evenhand.model.seal import seal
from evenhand.stats.sampling.seeds import stream

__all__ = ["ORDERS", "PAYLOAD_KEYS", "Pack", "order_of", "pack_of", "shown"]

SCHEMA = "evenhand.rubric-pack/1"
ORDERS = ("blocks", "mixed")
PAYLOAD_KEYS = frozenset(
    {
        *("task", "position", "total", "kind", "ask", "text", "options", "key", "answer"),
        *("citations", "passages", "fields", "given", "skipped", "comment"),
    }
)


@dataclass(frozen=True, kw_only=True)
class Pack:
    """``items`` are plain JSON objects in the order of their generations; ``shelves`` lists of passages.

    An item names its shelf. Findings of checks are no part of a pack: they lie under a seal of their own.
    """

    name: str
    items: tuple[Mapping[str, Any], ...]
    shelves: tuple[tuple[Mapping[str, Any], ...], ...]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON; its seal is the pack's."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "items": [dict(item) for item in self.items],
            "shelves": [[dict(passage) for passage in shelf] for shelf in self.shelves],
        }

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Pack:
        """The pack that `as_json` wrote."""
        return cls(
            name=content["name"],
            items=tuple(content["items"]),
            shelves=tuple(tuple(shelf) for shelf in content["shelves"]),
        )

    @cached_property
    def seal(self) -> str:
        """Its name in a store."""
        return seal(self.as_json())

    @cached_property
    def by_id(self) -> dict[str, Mapping[str, Any]]:
        """Item id → item."""
        return {item["id"]: item for item in self.items}


def pack_of(generations: Iterable[Generation], *, name: str) -> Pack:
    """The items of all *generations*, each once; generations that gave none have nothing to be rated."""
    shelves: dict[tuple[tuple[str, str, str], ...], int] = {}
    items: dict[str, dict[str, Any]] = {}
    for one in generations:
        shelf = tuple((passage.marker, passage.title, passage.text) for passage in one.passages)
        place = shelves.setdefault(shelf, len(shelves)) if one.items else 0
        for item in one.items:
            items[item.id] = {
                "id": item.id,
                "topic": item.topic,
                "system": item.system,
                "kind": item.kind,
                "ask": one.ask,
                "text": item.text,
                "options": list(item.options),
                "key": item.key,
                "answer": item.answer,
                "citations": [[c.marker, c.start, c.end, c.quote] for c in item.citations],
                "shelf": place,
            }
    if not items:
        raise InputError("there is no item to be rated", mend="generate some: evenhand answers generate")
    return Pack(
        name=name,
        items=tuple(items.values()),
        shelves=tuple(
            tuple({"marker": marker, "title": title, "text": text} for marker, title, text in shelf)
            for shelf in shelves
        ),
    )


def order_of(pack: Pack, *, order: str, seed: int, rater: str) -> tuple[str, ...]:
    """Item ids in one rater's own order, the same for the same seed: topics in blocks, or all mixed.

    In blocks the topics are shuffled, and the items within each.
    """
    if order not in ORDERS:
        raise InputError(f"no order is called {order!r}", mend=nearest(order, ORDERS))
    dice = stream(seed, "rubric", pack.seal, rater)
    topics: dict[str, list[str]] = {}
    for item in sorted(pack.items, key=lambda item: (item["topic"], item["id"])):
        topics.setdefault(item["topic"] if order == "blocks" else "", []).append(item["id"])
    blocks = list(topics.values())
    return tuple(
        blocks[i][j] for i in dice.permutation(len(blocks)) for j in dice.permutation(len(blocks[i]))
    )


def shown(
    pack: Pack,
    item: str,
    *,
    task: str,
    position: int,
    total: int,
    given: Mapping[str, str],
    skipped: str = "",
    comment: str = "",
    rubric: Rubric = RUBRIC,
) -> dict[str, Any]:
    """All that a rater receives of an item: exactly `PAYLOAD_KEYS`, and no other field may be added.

    No system, topic, id of item or unit, no finding of a check, no rating but the rater's own (*given*).
    ``position`` (from 0) and ``total`` are the desk's own. Citations are as the item makes them: whether they
    lead anywhere is for a check to say.
    """
    one = pack.by_id[item]
    return {
        "task": task,
        "position": position,
        "total": total,
        **{name: one[name] for name in ("kind", "ask", "text", "options", "key", "answer")},
        "citations": [
            {"marker": marker, "start": start, "end": end, "quote": quote}
            for marker, start, end, quote in one["citations"]
        ],
        "passages": [dict(passage) for passage in pack.shelves[one["shelf"]]],
        "fields": list(rubric.asked(one["kind"])),
        "given": dict(given),
        "skipped": skipped,
        "comment": comment,
    }
