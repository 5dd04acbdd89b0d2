"""What a panel judges: the tops of a study's systems, the pairs of its threshold, or a pool of a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.model.label import Shown
from evenhand.protocols import Progress, quiet

if TYPE_CHECKING:
    from evenhand.judge.panel.majority import Decision
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.study import Plan
    from evenhand.model.pool import Pool
    from evenhand.model.run import Run
    from evenhand.model.text import Corpus
    from evenhand.protocols import Store

__all__ = [
    "OF",
    "PanelItems",
    "items_of_plan",
    "items_of_pool",
    "items_of_runs",
    "pool_for_people",
    "shown_of",
]

# [panel] of -> the module whose `panel_items(plan, folder, *, cache, progress) -> PanelItems` gives them
OF: Mapping[str, str] = {
    "pool": "evenhand.study.panel.items",
    "threshold": "evenhand.study.threshold.steps",
}


@dataclass(frozen=True, kw_only=True)
class PanelItems:
    """Questions × texts as judges see them, each once, in the order of the pool.

    ``lengths``: code points of each document, where they are known; ``clusters`` by question id. ``gold`` are
    the questions with all that is known of them; None for a pool of a store. ``pool`` says who found what:
    for owners, never for a judge. ``calibrates``: the items that people's sample is drawn from and that the
    rate is of, where they are not all.
    """

    shown: tuple[Shown, ...]
    pool: Pool | None = None
    lengths: Mapping[str, int] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    gold: GoldSet | None = None
    calibrates: frozenset[str] | None = None

    def __len__(self) -> int:
        return len(self.shown)


def shown_of(
    pool: Pool, texts: Iterable[str], addresses: Mapping[str, str] | None = None
) -> tuple[Shown, ...]:
    """The items of a pool with their words; *texts* in the order of the items, *addresses* by document."""
    return tuple(
        Shown(
            question=item.question,
            ask=pool.questions[item.question],
            text=text,
            doc=item.doc,
            start=item.start,
            end=item.end,
            text_sha256=item.text_sha256,
            title=item.title,
            heading=item.heading,
            address=(addresses or {}).get(item.doc, ""),
        )
        for item, text in zip(pool.items, texts, strict=True)
    )


def items_of_runs(
    runs: Sequence[Run], questions: Mapping[str, str], corpus: Corpus, gold: GoldSet | None, *, depth: int
) -> PanelItems:
    """The first *depth* of each run, once for each question: no system, rank or score goes along."""
    from evenhand.corpus.headings import Headings
    from evenhand.labelling.pooling.pool import pool, texts_of

    addresses = {str(one.id): one.source for one in corpus if "://" in one.source}
    made = pool(runs, questions, depth=depth, outline=Headings().cut(corpus))
    return PanelItems(
        shown=shown_of(made, texts_of(made, corpus), addresses),
        pool=made,
        lengths={str(document.id): len(document.text) for document in corpus},
        clusters=_clusters(gold),
        gold=gold,
    )


def _clusters(gold: GoldSet | None) -> dict[str, str]:
    return {str(q.id): q.cluster or str(q.id) for q in gold} if gold is not None else {}


def items_of_plan(
    plan: Plan, folder: Path, *, cache: Path | None = None, progress: Progress = quiet
) -> PanelItems:
    """The items of a study's ``[panel]``; its systems are run where they were not."""
    panel = plan.panel
    if panel is None:
        raise InputError("the study has no [panel]", mend="add [panel.judge.NAME], once for each judge")
    if panel.of == "threshold" and plan.threshold is None:
        raise InputError(
            'the study has no [threshold], and of = "threshold" in its [panel]',
            mend='add [threshold], or set of = "pool"',
        )
    made: PanelItems = import_module(OF[panel.of]).panel_items(plan, folder, cache=cache, progress=progress)
    return made


def panel_items(
    plan: Plan, folder: Path, *, cache: Path | None = None, progress: Progress = quiet
) -> PanelItems:
    """The tops of a study's systems (of all, or of those that [panel] names), without null systems."""
    from evenhand.study.comparison.pooling import of_study

    assert plan.panel is not None  # noqa: S101 - looked at by `items_of_plan`
    found = of_study(
        plan, folder, systems=plan.panel.settings.get("systems", ()), cache=cache, progress=progress
    )
    return items_of_runs(found.runs, found.questions, found.corpus, found.gold, depth=plan.panel.depth)


def items_of_pool(store: Store, pool: str) -> PanelItems:
    """The items of a pool of a store, with the words kept there."""
    whole = store.pool(pool)
    texts = (store.text(item.text_sha256) for item in whole.items)
    return PanelItems(shown=shown_of(whole, texts), pool=whole)


def pool_for_people(items: PanelItems, made: Sequence[Decision], *, name: str) -> tuple[Pool, list[str]]:
    """What people have to decide as a pool of its own, with its texts: undecided and split items.

    Nothing in it says which item is which, or what any model said.
    """
    import numpy as np

    from evenhand.labelling.pooling.pool import narrowed

    if items.pool is None:
        raise InputError("these items come from no pool", mend="use `evenhand judge pool` and --pool")
    waits = {one.item for one in made if one.status in ("undecided", "split")}
    keep = np.array([i for i, shown in enumerate(items.shown) if shown.item in waits], dtype=np.int64)
    pool = narrowed(items.pool, keep, name=name, settings={**items.pool.settings, "for_people": len(keep)})
    return pool, [items.shown[i].text for i in keep.tolist()]
