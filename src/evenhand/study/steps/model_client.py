"""Whoever asks the models of a plan, bound to what the plan says of its calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evenhand.protocols import quiet

if TYPE_CHECKING:
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.model.plan.sections import AnswersPlan, DraftPlan, PanelPlan
    from evenhand.protocols import Chat, Progress
    from evenhand.store.calls.journal import Calls

__all__ = ["OF_A_CALL", "caller_of"]

OF_A_CALL = ("call_timeout", "tries")  # settings of a plan that are the caller's, and no model's


def caller_of(
    plan: PanelPlan | AnswersPlan | DraftPlan,
    chats: Mapping[str, Chat],
    journal: Calls,
    *,
    stage: str,
    budget: float | None = None,
    deadline: float | None = None,
    progress: Progress = quiet,
    retry_failed: bool = True,
) -> Caller:
    """A caller of *chats* that keeps to the plan: how many at once, how long, how often, for how much.

    *budget* and *deadline* stand before those of the plan.
    """
    from evenhand.llm.scheduling.caller import Caller

    return Caller(
        chats,
        journal,
        concurrency=plan.concurrency,
        budget=plan.budget if budget is None else budget,
        deadline=plan.deadline if deadline is None else deadline,
        progress=progress,
        retry_failed=retry_failed,
        stage=stage,
        **{key: plan.settings[key] for key in OF_A_CALL if key in plan.settings},
    )
