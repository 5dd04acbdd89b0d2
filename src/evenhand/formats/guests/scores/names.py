"""What other tools call their scores, and what these are called here: a name never changes its meaning.

A score without a counterpart keeps its name, with the tool's before it (``ragas:faithfulness``).
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["NAMES", "ours"]

SAME = "the same"
# tool -> their name -> (ours, what is to be known of it)
NAMES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "ragas": {
        **dict.fromkeys(
            (
                "context_precision",
                "llm_context_precision_with_reference",
                "llm_context_precision_without_reference",
                "non_llm_context_precision_with_reference",
            ),
            ("RagasContextPrecision", "not average precision: it divides by what was retrieved"),
        ),
        "id_based_context_recall": ("R", SAME),
    },
    "deepeval": {
        "contextual precision": (
            "RagasContextPrecision",
            "not average precision: it divides by what was retrieved",
        ),
    },
    "haystack": {
        "recall": ("Success", "by default whether anything relevant was found; multi_hit is R"),
        "recall_single_hit": ("Success", SAME),
        "recall_multi_hit": ("R", SAME),
        "mrr": ("RR", SAME),
        "map": ("AP", SAME),
        "ndcg": ("nDCG", "without a cutoff in its ideal"),
    },
    "mteb": {
        "ndcg_at_10": ("nDCG@10", SAME),
        "map_at_10": ("AP@10", SAME),
        "mrr_at_10": ("RR@10", SAME),
        "recall_at_10": ("R@10", SAME),
        "precision_at_10": ("P@10", SAME),
    },
    "llama-index": {
        "hit_rate": ("Success", SAME),
        "mrr": ("RR", SAME),
        "recall": ("R", SAME),
    },
}


def ours(tool: str, name: str) -> tuple[str, str]:
    """What a score is called here, and what is to be known; ``tool:name`` where it has no counterpart."""
    known = NAMES.get(tool, {})
    name = " ".join(name.split())
    plain = name.strip().lower().removesuffix(" [geval]")
    if tool == "haystack":  # its scores are called after components of the pipeline
        plain = plain.removesuffix("_evaluator").removeprefix("document_").removeprefix("doc_")
    if tool == "trec_eval":
        from evenhand.errors import InputError
        from evenhand.metrics.catalogue.names import parse

        try:
            return str(parse(name)), SAME
        except InputError:
            return f"{tool}:{name}", ""
    return known.get(plain, (f"{tool}:{name}", ""))
