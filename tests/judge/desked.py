"""A store with a pool that people have worked through, answers given by a rule."""

from tests.judge import example

from evenhand.judge.sheets.built_in import CONTRIBUTION
from evenhand.labelling.desk.assign import Filling, assign
from evenhand.labelling.desk.attention_checks import attention_items, warm_up_items
from evenhand.labelling.pooling.pool import pool, texts_of
from evenhand.model.judging import Entry
from evenhand.store.open import create_store

SEED = 7


def at(i):
    return f"2026-11-30T{8 + i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}.000000Z"


def pooled(size=20):
    documents = example.corpus()
    cut = example.units(documents, size=size)
    everything = list(range(len(cut)))
    runs = [example.run("bm25", cut, {"q1": everything, "q2": everything[::-1]})]
    return pool(runs, example.QUESTIONS, depth=len(everything), name="small"), documents


def worked(path, rule, *, judges=("ann", "ben"), filling=None, attention=0, size=20, ms=None):
    """A store at *path*; ``rule(judge, item, task)`` gives (kind, grade, more) of each entry."""
    store = create_store(path)
    made, documents = pooled(size)
    mark = store.add_pool(made, texts_of(made, documents), at=at(0))
    store.use_sheet(mark, CONTRIBUTION, by="owner", at=at(0))
    planted, texts = attention_items(made, {"oak", "sand", "tin"}, n=attention, seed=SEED)
    store.add_items(planted, texts)
    desks = assign(
        made,
        list(judges),
        sheet=CONTRIBUTION.seal,
        seed=SEED,
        filling=filling or Filling(per_item=len(judges), repeats=0.2),
        warm_up=warm_up_items(made, {}, n=2, seed=SEED),
        attention=planted,
        at=at(0),
    )
    store.add_desks(desks)
    for desk, tasks in desks:
        for i, task in enumerate(tasks):
            kind, grade, more = rule(desk.judge, store.item(task.item), task)
            if kind:
                store.save(
                    Entry(
                        desk=desk.id,
                        task=task.id,
                        token=f"t{i}",
                        kind=kind,
                        grade=grade,
                        sheet=CONTRIBUTION.seal,
                        at=at(60 * i),
                        active_ms=ms(desk.judge, i) if ms else 4000,
                        **more,
                    )
                )
    return store, made
