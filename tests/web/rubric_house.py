"""A store with a pack of generated items and desks of raters: what the tests of the rubric share."""

from tests.web.house import AT

from evenhand.answer.checks.run_checks import check_all
from evenhand.answer.rating.batch import pack_of
from evenhand.answer.rating.rater_queues import keep_pack, open_desk
from evenhand.answer.rating.rubric import RUBRIC
from evenhand.formats.answers.jsonl import finding_json
from evenhand.model.answer import Citation, Generation, Item, Passage
from evenhand.store.open import create_store

LEASE = "Either party may end this agreement with 30 days' written notice. The fee is 1,250 euros."
RENT = "The deposit is between 2 and 3 months' rent and is paid back within 6 weeks."


def passages(*texts):
    return tuple(
        Passage(unit=f"d{i}.md#0-{len(text)}", text=text, marker=str(i + 1), doc=f"d{i}.md", title=f"Paper {i + 1}")
        for i, text in enumerate(texts)
    )  # fmt: skip


def study_items(topic="lease", system="writer", **more):
    """One topic with a multiple-choice and two short-answer items; the last says what no passage does."""
    cites = (Citation(marker="1"),)
    items = (
        Item(
            topic=topic, kind="multiple-choice", text=f"How long is the notice period ({topic})?", system=system, number=0,
            options=("30 days", "60 days", "one year", "none at all"), key=0, citations=cites,
        ),
        Item(topic=topic, kind="short-answer", text=f"What is the fee ({topic})?", answer="1,250 euros", system=system,
             number=1, citations=cites),
        Item(topic=topic, kind="short-answer", text=f"When is the fee due ({topic})?", answer="within 90 days",
             system=system, number=2, citations=cites),
    )  # fmt: skip
    return Generation(
        topic=topic,
        ask=f"Ending a {topic}",
        system=system,
        passages=passages(LEASE, RENT),
        items=items,
        **more,
    )


def answers(n=2, system="writer", text="The notice period is 30 days [1].", **more):
    """One answer to each of n questions."""
    made = []
    for i in range(n):
        item = Item(
            topic=f"q{i}", kind="answer", text=f"{text} ({i})", system=system,
            citations=(Citation(marker="1", start=text.find("[1]"), end=text.find("[1]") + 3),) if "[1]" in text else (),
        )  # fmt: skip
        made.append(
            Generation(
                topic=f"q{i}", ask=f"How do I leave, {i}?", system=system, passages=passages(LEASE), items=(item,), **more
            )
        )  # fmt: skip
    return made


def furnished(where, generations, *, raters=("ann",), name="pack", findings=None, **how):
    """A new store with a pack and a desk for each rater; returns it, the pack, and desks by rater."""
    store = where if hasattr(where, "append") else create_store(where)
    pack = pack_of(generations, name=name)
    found = [finding_json(one) for one in check_all(generations)] if findings is None else findings
    mark = keep_pack(store, pack, found, at=AT)
    how = {"order": "blocks", "seed": 7, **how}
    return store, pack, {rater: open_desk(store, mark, rater, at=AT, **how) for rater in raters}


def rate(task, field, said="yes", *, token, **more):
    return {
        "token": token, "act": "rate", "task": task, "field": field, "said": said, "sheet": RUBRIC.seal, **more,
    }  # fmt: skip
