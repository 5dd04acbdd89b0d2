"""One trial: an item as it is shown in one perturbation, with the item it was made from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evenhand.judge.panel.prompt import MAX_TOKENS, prompt_seal, request
from evenhand.judge.panel.prompt_spec import Brief

if TYPE_CHECKING:
    from evenhand.model.call import Request
    from evenhand.model.label import Shown

__all__ = ["CONTROL", "REPEAT", "Given", "Trial"]

CONTROL = "control"
REPEAT = 1000  # controls and repeats are calls of their own, made with the others, not the panel's of before
RANKED = "ranking"  # what the part that M1 adds is called


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A text that a person or a model supplied: of an item (V2, R2) or, as ``ask``, of a question (L1)."""

    perturbation: str
    name: str  # the item, or for L1 the question
    text: str
    variant: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One item as it is shown in one perturbation: ``parent`` is the item it was made from.

    ``variant`` tells apart what one perturbation does in several ways; ``plant`` is a verdict planted in the
    text (empty: none). ``order``, ``lead`` and ``ranking`` are how it is shown.
    """

    perturbation: str
    variant: str
    parent: str
    side: str
    shown: Shown
    order: str = "listed"
    lead: str = "question"
    ranking: str = ""
    repeat: int = 0
    plant: str = ""

    @property
    def name(self) -> str:
        """``K1/zero/3f…``: its name in files of items and recordings."""
        return "/".join(part for part in (self.perturbation, self.variant, self.parent) if part)

    def brief(self, brief: Brief) -> Brief:
        """The brief under which it is shown: for M1 with the ranking as a part of its own."""
        return replace(brief, more=(*brief.more, RANKED)) if self.ranking else brief

    def prompt(self, brief: Brief) -> str:
        """The version of what is asked."""
        return prompt_seal(self.brief(brief), order=self.order, lead=self.lead)

    def request(
        self, brief: Brief, *, length: int | None, seed: int | None = None, max_tokens: int = MAX_TOKENS
    ) -> Request:
        """What a judge is asked; nothing in it says that it is a test."""
        made = request(
            self.brief(brief),
            self.shown,
            more={RANKED: self.ranking} if self.ranking else None,
            length=length,
            order=self.order,
            lead=self.lead,
            repeat=self.repeat,
            seed=seed,
            max_tokens=max_tokens,
        )
        return replace(made, task=self.name)
