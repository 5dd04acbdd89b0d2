"""What drafting needs: the plan, its model, passages, the questions that are there already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.gold.drafting.draft import KINDS, Ask, asks
from evenhand.gold.drafting.prompt import request
from evenhand.model.gold import GoldSet

if TYPE_CHECKING:
    from evenhand.gold.drafting.parse_reply import Draft
    from evenhand.model.call import Request
    from evenhand.model.plan.sections import DraftPlan
    from evenhand.model.plan.study import Plan
    from evenhand.model.text import Corpus, Units
    from evenhand.protocols import Chat

__all__ = ["DRAFTER", "Desk", "desk_of", "first_requests"]

DRAFTER = "drafter"  # the caller's name for the model


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Everything drafting needs: the plan, its model, passages, questions there already, units for BM25."""

    plan: DraftPlan
    chat: Chat
    corpus: Corpus
    gold: GoldSet
    windows: Units
    units: Units
    seed: int
    by: str = ""
    on: str = ""

    @property
    def wanted(self) -> dict[str, int]:
        """Kind → how many are planned."""
        return {name: getattr(self.plan, name) for name in KINDS if getattr(self.plan, name)}

    def failures(self, rejected: Sequence[Draft]) -> list[dict[str, Any]]:
        """What is said of the model when calls to it failed."""
        from evenhand.llm.scheduling.failure_summary import failures

        whys = {DRAFTER: [one.detail for one in rejected if one.reason == "fault"]}
        return [one.to_json() for one in failures(whys, {DRAFTER: self.chat})]

    def most(self, kind: str) -> int:
        """How often a kind may be asked for."""
        return ceil(self.wanted[kind] * self.plan.attempts)

    def request(self, ask: Ask) -> Request:
        """What is asked for one draft."""
        plan = self.plan
        return request(ask, language=plan.language, max_tokens=plan.max_tokens, seed=plan.seed)

    def asks(self, kind: str) -> Iterator[Ask]:
        """The asks of a kind in their order, as many as there may be."""
        old = [str(one.id) for one in self.corpus if one.status == "obsolete"]
        return islice(asks(kind, self.windows, seed=self.seed, leave_out=old), self.most(kind))


def desk_of(plan: Plan, folder: Path, *, by: str = "", on: str = "") -> Desk:
    """Read what a study's ``[draft]`` needs; the gold set of the study may not be there yet."""
    from evenhand.corpus.chunk import chunk, rule_of
    from evenhand.corpus.sentences import Sentences
    from evenhand.formats.gold.gold_set import read_gold
    from evenhand.llm.providers.factory import chat_of
    from evenhand.study.comparison.run import corpus_of
    from evenhand.study.panel.ask import of_section

    draft = plan.draft
    if draft is None:
        raise InputError("the study has no [draft]", mend='add [draft] with model = "provider:name"')
    settings = dict(draft.settings) | ({"family": draft.family} if draft.family else {})
    try:
        chat = chat_of(draft.model, settings, name=DRAFTER, folder=folder)
        _ = chat.seal, chat.family  # a recording is read now
    except InputError as error:
        raise of_section(error, "draft", DRAFTER) from error
    corpus = corpus_of(plan, folder, made=(folder / "results", folder / ".evenhand"))
    path = folder / str(plan.gold.get("path", ""))
    windows = chunk(corpus, Sentences(size=draft.window), name="passages")
    cut = plan.chunkings[0] if plan.chunkings else None
    units = (
        chunk(corpus, rule_of(cut.rule, cut.settings, where=f"chunking.{cut.name}"), name=cut.name)
        if cut is not None
        else windows
    )
    return Desk(
        plan=draft,
        chat=chat,
        corpus=corpus,
        gold=read_gold(path, corpus) if path.is_file() else GoldSet(()),
        windows=windows,
        units=units,
        seed=plan.seed,
        by=by,
        on=on,
    )


def first_requests(desk: Desk) -> Iterator[tuple[str, Request]]:
    """What the first round asks: as many of each kind as are planned."""
    for kind, n in desk.wanted.items():
        for ask in islice(desk.asks(kind), n):
            yield DRAFTER, desk.request(ask)
