"""Who made the questions, vectors, orders and answers of a study: no judge should be of their family."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.study import Plan

__all__ = ["families_at_work"]


def families_at_work(plan: Plan, gold: GoldSet | None) -> dict[str, str]:
    """Family by part played, as far as names tell: embedders, rerankers, drafter of questions, generator."""
    from evenhand.llm.providers.families import family_of

    named: dict[str, str] = {}
    for system in plan.systems:
        options = system.settings.get("options", {})
        model = str(options.get("model", "")) if isinstance(options, dict) else ""
        if system.kind == "retriever" and system.what == "dense":
            embedder = str(system.settings.get("embedder", "minilm"))
            named[f"embedder of {system.name}"] = f"{embedder}:{model}" if model else embedder
        elif system.kind == "rerank" and system.what != "status":
            named[f"reranker of {system.name}"] = model or system.what
    drafters = sorted({q.authoring.model for q in gold or () if q.authoring and q.authoring.model})
    named |= {f"drafter of questions, {model}": model for model in drafters}
    if plan.answers is not None and plan.answers.model:
        named["generator of the answers"] = plan.answers.model
    found = {part: family_of(model) for part, model in named.items()}
    return {part: family for part, family in found.items() if family}
