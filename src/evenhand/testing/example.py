"""A small pool with texts that are hard to keep, and a store with something of everything in it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.model.judging import Desk, Entry, Event, EvidenceMark, Task
from evenhand.model.pool import Pool, Pooled, PoolItem, item_id
from evenhand.model.sheet import Level, Mode, Sheet

if TYPE_CHECKING:
    from evenhand.protocols import Store

__all__ = ["AT", "SHEET", "TEXTS", "entry", "filled", "small_pool", "worked"]

AT = "2026-11-30T12:00:00.000000Z"
SHEET = Sheet(
    name="example",
    ask="Does it answer?",
    guideline="Read, then say. Ünïcode: 👩‍🔬",
    levels=(
        Level(grade=0, key="0", label="no", modes=True),
        Level(grade=1, key="1", label="partly"),
        Level(grade=2, key="2", label="yes", evidence="ask"),
    ),
    modes=(Mode(name="off-topic", key="o", label="off topic"),),
)
# what texts may hold: emoji made of several code points, combining marks, CRLF, NUL, half a surrogate
TEXTS = (
    "plain",
    "e\u0301 👩‍🔬 \r\n end",
    "nul \x00 in it",
    "half \ud83d of one",
    "<script>alert(1)</script>",
)


def small_pool(texts: tuple[str, ...] = TEXTS, *, name: str = "small") -> Pool:
    """A pool of two questions over these texts, found by two systems."""
    items = []
    for question in ("q1", "q2"):
        for i, text in enumerate(texts):
            mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            items.append(
                PoolItem(
                    id=item_id(question, f"d{i}.md", 3, 3 + len(text), mark),
                    question=question,
                    doc=f"d{i}.md",
                    start=3,
                    end=3 + len(text),
                    text_sha256=mark,
                    heading=("Above", text[:5]),
                    title="A title",
                    probability=0.5,
                    stratum="rank 1–3",
                )
            )
    n = len(items)
    return Pool(
        name=name,
        items=tuple(items),
        questions={"q1": "Why \x00?", "q2": "How 😀?"},
        runs=(
            Pooled(system="bm25", seal="s1", kind="lexical"),
            Pooled(system="dense", seal="s2", kind="dense"),
        ),
        found_item=np.arange(n, dtype=np.int32),
        found_run=np.arange(n, dtype=np.int32) % 2,
        found_rank=np.arange(n, dtype=np.int32) + 1,
        settings={"strategy": "depth", "depth": n},
    )


def filled(store: Store, *, judges: tuple[str, ...] = ("ann", "ben")) -> dict[str, list[Task]]:
    """Put `small_pool` into an empty store, with a desk of all its items for each judge."""
    pool = small_pool()
    mark = store.add_pool(pool, TEXTS, at=AT)
    store.use_sheet(mark, SHEET, by="owner", at=AT)
    made = {}
    for judge in judges:
        desk = Desk(id=f"desk-{judge}", pool=mark, judge=judge, sheet=SHEET.seal, settings={"seed": 1}, at=AT)
        made[desk.id] = [
            Task(id=f"{judge}-{i}", desk=desk.id, position=i, item=item.id)
            for i, item in enumerate(pool.items)
        ]
        store.add_desks([(desk, made[desk.id])])
    return made


def entry(task: Task, grade: float | None = 1.0, *, token: str, **more: Any) -> Entry:
    """A grade for a task; without a grade "cannot tell"."""
    more = {"kind": "grade" if grade is not None else "cannot-tell", "sheet": SHEET.seal, "at": AT, **more}
    return Entry(desk=task.desk, task=task.id, token=token, grade=grade, **more)


def worked(store: Store) -> None:
    """A store with something of everything in it."""
    made = filled(store)
    tasks = made["desk-ann"]
    item = small_pool().items[0]
    decoy = replace(item, id=item_id("q1", "", 0, 5, item.text_sha256), doc="", start=0, end=5)
    store.add_items([replace(decoy, probability=1.0, stratum="")], ["plain"])
    store.put("card", {"a": [1.5, None, "é"]})
    store.append("gold", {"edit": "ü"}, token="t")  # noqa: S106
    for i, grade in enumerate((0.0, 2.0, None)):
        store.save(entry(tasks[i], grade, token=f"s{i}", active_ms=i * 1000))
    mark = EvidenceMark(start=0, end=2, quote="e\u0301")
    store.save(entry(tasks[1], 1.0, token="again", evidence=(mark,)))  # noqa: S106
    store.undo("desk-ann", token="u", at=AT)  # noqa: S106
    store.save(entry(made["desk-ben"][0], None, token="x", kind="skip", reason="broken"))  # noqa: S106
    store.record([Event(desk="desk-ann", kind="opened", token="e", at=AT, body={"n": 1})])  # noqa: S106
    ann, _ = store.grant("Ann", "judge", at=AT)
    store.grant("Ben", "owner", at=AT)
    store.revoke(ann.id, at=AT)
