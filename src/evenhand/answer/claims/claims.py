"""Claims of items, put to a panel or to a model of entailment, and what came back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evenhand.answer.checks.abstention import sentences
from evenhand.answer.checks.citation_markers import cited
from evenhand.answer.checks.context import Borne, masked, may_not_cite
from evenhand.answer.checks.settings import Settings
from evenhand.judge.panel.majority import decisions
from evenhand.judge.panel.prompt import request
from evenhand.judge.panel.prompt_spec import Brief, brief_named
from evenhand.judge.panel.quote_check import Seen
from evenhand.model.answer import Generation, Item
from evenhand.model.call import Request
from evenhand.model.label import Shown
from evenhand.model.seal import seal_texts
from evenhand.model.vote import Vote

__all__ = ["Asked", "Entailment", "asked", "borne_by_model", "borne_by_panel", "claims_of"]

SHEET = "claim"
_BLANK = re.compile(r" +(?=[.,;:!?])")  # where a citation stood
Entailment = Callable[
    [Sequence[tuple[str, str]]], Sequence[float]
]  # (text, claim) → probability that it follows


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One claim of one item with the text it is held against, and the request for it."""

    item: str
    claim: str
    passages: tuple[int, ...]
    shown: Shown

    def request(self, brief: Brief | None = None) -> Request:
        """What a judge is asked: the claim and the text, nothing of system, checks or other claims."""
        return request(brief or brief_named(SHEET), self.shown)


def claims_of(generation: Generation, item: Item) -> tuple[str, ...]:
    """What *item* asserts: its claims where somebody took it apart, else its sentences without citations.

    A study item asserts that its key answers its question. Questions assert nothing.
    """
    if item.claims:
        return item.claims
    if item.kind == "short-answer":
        return (f"{item.text.strip()} – {item.answer.strip()}",) if item.answer.strip() else ()
    if item.kind == "multiple-choice":
        good = (
            isinstance(item.key, int) and not isinstance(item.key, bool) and 0 <= item.key < len(item.options)
        )
        return (f"{item.text.strip()} – {item.options[item.key or 0].strip()}",) if good else ()
    text = masked(item.text, cited(generation, item).spans)
    parts = (_BLANK.sub("", " ".join(text[start:end].split())) for start, end in sentences(text))
    return tuple(
        part for part in parts if any(c.isalpha() for c in part) and not part.endswith(("?", "？", "؟"))
    )


def asked(generation: Generation, *, settings: Settings | None = None) -> list[Asked]:
    """The claims of all items of *generation* that answer, each with the passages it is held against.

    These are the passages cited, or all (see ``look_in``); an item that should cite and does not is held
    against an empty text by nobody: its claims are not asked for, and count as not borne out. Several
    passages are shown as one text, in their order.
    """
    settings = settings or Settings()
    found = []
    for item in generation.items:
        if item.abstained:
            continue
        where = _against(generation, item, settings)
        if not where:
            continue
        text = "\n\n".join(generation.passages[i].text for i in where)
        if not text.strip():
            continue
        sole = generation.passages[where[0]] if len(where) == 1 else None
        for number, claim in enumerate(claims_of(generation, item)):
            shown = Shown(
                question=f"{item.id}.{number}",
                ask=claim,
                text=text,
                doc=sole.doc if sole is not None else "",
                start=0,
                end=len(text),
                text_sha256=seal_texts([text]),
                title=sole.title if sole is not None else "",
            )
            found.append(Asked(item=item.id, claim=claim, passages=where, shown=shown))
    return found


def _against(generation: Generation, item: Item, settings: Settings) -> tuple[int, ...]:
    found = cited(generation, item)
    free = settings.look_in != "cited" and may_not_cite(generation, item, found)
    return (
        tuple(range(len(generation.passages))) if free or settings.look_in == "retrieved" else found.passages
    )


def borne_by_panel(
    generations: Iterable[Generation],
    votes: Iterable[Vote],
    *,
    judges: Sequence[str] = (),
    settings: Settings | None = None,
) -> dict[str, list[Borne]]:
    """Item → its claims as the panel decided them, for `evenhand.answer.checks.run_checks.Context`.

    A claim is borne out from grade ``claim_grade`` of the sheet "claim". One without votes, or on which the
    panel did not decide, is undecided. Words that a judge quoted are the place.
    """
    settings = settings or Settings()
    brief = brief_named(SHEET)
    told = {one.item: one for one in decisions(votes, brief, judges=judges)}
    made: dict[str, list[Borne]] = {}
    for generation in generations:
        made |= {item.id: [] for item in generation.items}
        for one in _with_uncited(generation, settings):
            if isinstance(one, tuple):
                made.setdefault(one[0], []).append(Borne(claim=one[1], out=False, why="cites no passage"))
                continue
            decision = told.get(one.shown.item)
            passage, start, end = None, 0, 0
            if decision is None or decision.grade is None:
                why = "no votes" if decision is None else f"the panel is {decision.status}"
                borne = Borne(claim=one.claim, out=None, why=why)
            else:
                out = decision.grade >= settings.claim_grade
                quotes = [
                    q for v in decision.votes if v.grade == decision.grade for q in v.told.get("evidence", ())
                ]
                passage, start, end = _placed(quotes, generation, one.passages)
                why = "" if out else decision.mode or brief.sheet.level(decision.grade).label
                borne = Borne(claim=one.claim, out=out, why=why, passage=passage, start=start, end=end)
            made.setdefault(one.item, []).append(borne)
    return made


def borne_by_model(
    generations: Iterable[Generation], entailment: Entailment, *, settings: Settings | None = None
) -> dict[str, list[Borne]]:
    """Item → its claims as a model of entailment finds them (see `evenhand.retrieve.models.entailment`).

    A claim is borne out where one of its passages entails it with probability ``entailed`` or more: each
    passage is put to the model by itself, since such models read a few hundred words.
    """
    settings = settings or Settings()
    made: dict[str, list[Borne]] = {}
    for generation in generations:
        made |= {item.id: [] for item in generation.items}
        for one in _with_uncited(generation, settings):
            if isinstance(one, tuple):
                made.setdefault(one[0], []).append(Borne(claim=one[1], out=False, why="cites no passage"))
                continue
            shares = entailment([(generation.passages[i].text, one.claim) for i in one.passages])
            best, at = max((float(share), -k) for k, share in enumerate(shares))
            position = one.passages[-at]
            length = len(generation.passages[position].text)
            made.setdefault(one.item, []).append(
                Borne(
                    claim=one.claim,
                    out=best >= settings.entailed,
                    why=f"entailed with probability {best:.2f}",
                    passage=position,
                    end=length,
                )
            )
    return made


def _with_uncited(generation: Generation, settings: Settings) -> list[Asked | tuple[str, str]]:
    """What is asked, and (item, claim) of items that are held against nothing."""
    by_item: Mapping[str, list[Asked]] = {item.id: [] for item in generation.items}
    for one in asked(generation, settings=settings):
        by_item[one.item].append(one)
    made: list[Asked | tuple[str, str]] = []
    for item in generation.items:
        if by_item[item.id] or item.abstained:
            made += by_item[item.id]
        else:
            made += [(item.id, claim) for claim in claims_of(generation, item)]
    return made


def _placed(
    quotes: Iterable[str], generation: Generation, positions: Sequence[int]
) -> tuple[int | None, int, int]:
    for quote in quotes:
        for i in positions:
            span = Seen(generation.passages[i].text).find(quote)
            if span is not None:
                return i, *span
    return None, 0, 0
