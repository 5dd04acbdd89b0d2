"""A model as one more rater: the sheet on faithfulness through the panel's path; its votes become ratings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.answer.checks.citation_markers import cited
from evenhand.judge.panel.prompt import request
from evenhand.judge.panel.prompt_spec import Brief, brief_named
from evenhand.judge.panel.valid_votes import standing
from evenhand.model.answer import Generation, Item, Rating
from evenhand.model.call import Request
from evenhand.model.label import Shown
from evenhand.model.seal import seal_texts
from evenhand.model.vote import Vote

__all__ = ["AskedFaithful", "asked_faithful", "model_ratings"]

SHEET = "faithful"
SAID = {0.0: "no", 1.0: "no", 2.0: "yes"}  # faithful is that each statement follows: in part is not enough


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFaithful:
    """One item with the text that it cites, as a judge sees them."""

    item: str
    answer: str
    shown: Shown

    def request(self, brief: Brief | None = None) -> Request:
        """What a model is asked: question, answer and cited text; nothing of checks, system or ratings."""
        return request(brief or brief_named(SHEET), self.shown, more={"answer": self.answer})


def asked_faithful(generations: Iterable[Generation]) -> list[AskedFaithful]:
    """Every item that cites a passage, in order, once each.

    One that cites none is asked of nobody: there is nothing to hold it against. A study item is shown as its
    question with its key.
    """
    found: dict[str, AskedFaithful] = {}
    for one in generations:
        for item in one.items:
            where = cited(one, item).passages
            text = "\n\n".join(one.passages[i].text for i in where)
            if not text.strip():
                continue
            sole = one.passages[where[0]] if len(where) == 1 else None
            shown = Shown(
                question=item.id,
                ask=one.ask if item.kind == "answer" else item.text,
                text=text,
                doc=sole.doc if sole is not None else "",
                start=0,
                end=len(text),
                text_sha256=seal_texts([text]),
                title=sole.title if sole is not None else "",
            )
            found.setdefault(item.id, AskedFaithful(item=item.id, answer=_answer(item), shown=shown))
    return list(found.values())


def _answer(item: Item) -> str:
    if item.kind == "answer":
        return item.text
    if item.kind == "multiple-choice":
        good = item.key is not None and 0 <= item.key < len(item.options)
        return item.options[item.key or 0] if good else ""
    return item.answer


def model_ratings(votes: Iterable[Vote], asked: Iterable[AskedFaithful]) -> list[Rating]:
    """The ratings of models: of each judge and item the vote that stands, if it says anything.

    Grade 2 is yes, 1 and 0 are no, "cannot tell" is that. A failed call is no rating. They are by "model", so
    that they enter nothing but the model's own agreement with people.
    """
    by_item = {one.shown.item: one.item for one in asked}
    sheet = brief_named(SHEET).sheet.seal
    kept = [one for one in votes if one.repeat == 0 and one.item in by_item]
    made = []
    for vote in standing(kept, sheet=sheet).votes:
        said = SAID[vote.grade] if vote.grade is not None else vote.outcome
        if said in ("yes", "no", "cannot-tell"):
            made.append(
                Rating(
                    item=by_item[vote.item],
                    rater=vote.judge,
                    given={"faithful": said},
                    by="model",
                    sheet=sheet,
                )
            )
    return made
