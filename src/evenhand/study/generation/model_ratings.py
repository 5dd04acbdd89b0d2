"""Models as raters of a study's items: the judges of ``[answers.panel]`` under the sheet on faithfulness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evenhand.answer.rating.model_rater import asked_faithful, model_ratings
from evenhand.errors import InputError
from evenhand.judge.panel.prompt import request
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.study.generation.requests import plan_of
from evenhand.study.panel.ask import Bench, task_of
from evenhand.study.panel.items import PanelItems

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.model.answer import Generation, Rating
    from evenhand.model.call import Request
    from evenhand.model.label import Shown
    from evenhand.model.plan.study import Plan

__all__ = ["FaithfulBench", "faithful_bench", "ratings_of_models"]

VOTES = ".faithful.jsonl"  # in the place of .jsonl, beside the votes on claims


@dataclass(frozen=True, kw_only=True)
class FaithfulBench(Bench):
    """A bench whose judges are shown the item's answer beside question and text. ``answers``: by item."""

    answers: Mapping[str, str] = field(default_factory=dict)

    def request(self, shown: Shown, items: PanelItems, *, repeat: int = 0, judge: str = "") -> Request:
        """What is asked about one item; only the limit of tokens is *judge*'s own."""
        made = request(
            self.brief,
            shown,
            more={"answer": self.answers[shown.item]},
            length=items.lengths.get(shown.doc),
            repeat=repeat,
            max_tokens=self.limit(judge),
            seed=self.plan.settings.get("seed"),
        )
        return replace(made, task=task_of(shown, repeat))


def faithful_bench(
    plan: Plan, folder: Path, generations: Sequence[Generation]
) -> tuple[FaithfulBench, PanelItems]:
    """The judges of ``[answers.panel]``, and every item that cites a passage."""
    panel = plan_of(plan).panel
    if panel is None:
        raise InputError(
            "the study has no [answers.panel]", mend="add [answers.panel.judge.NAME], once for each judge"
        )
    from evenhand.study.panel.ask import chats_of, versioned

    asked = asked_faithful(generations)
    file = folder / (panel.votes.removesuffix(".jsonl") + VOTES)
    bench = FaithfulBench(
        plan=panel,
        brief=versioned(brief_named("faithful"), panel.settings, file),
        chats=chats_of(panel.judges, folder, section="answers.panel"),
        file=file,
        answers={one.shown.item: one.answer for one in asked},
    )
    topics = {item.id: one.topic for one in generations for item in one.items}
    return bench, PanelItems(
        shown=tuple(one.shown for one in asked),
        clusters={one.shown.question: topics[one.item] for one in asked},
    )


def ratings_of_models(plan: Plan, folder: Path, generations: Sequence[Generation]) -> list[Rating]:
    """The ratings that models of the panel gave; none where nobody was asked. No model is opened or asked."""
    panel = plan_of(plan).panel
    file = folder / (panel.votes.removesuffix(".jsonl") + VOTES) if panel is not None else None
    if file is None or not file.is_file():
        return []
    from evenhand.formats.labels.votes import read_votes

    return model_ratings(
        read_votes(file, sheets=[brief_named("faithful").sheet]), asked_faithful(generations)
    )
