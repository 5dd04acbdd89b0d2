"""Which tool says what: five cases put to the packages themselves; the page of the docs shows what came out.

``.venv-guests/bin/python -m tests.guests.disagreements`` writes what they say into
``tests/docs/disagreements.json``; ``python -m tests.docs.disagreements`` makes the page of it.
"""

import ast
import json
import textwrap
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

from tests.docs.disagreements import CASES, MEASURED, TRUE, ours, shown

K = 5


def once(units):
    """For inputs that hold each unit once: the first stays."""
    return list(dict.fromkeys(units))


def ir_measures(measure):
    def value(relevant, returned):
        import ir_measures as ir

        qrels = [ir.Qrel("q", unit, 1) for unit in relevant]
        run = [ir.ScoredDoc("q", unit, float(-i)) for i, unit in enumerate(once(returned))]
        return ir.calc_aggregate([ir.parse_measure(measure)], qrels, run)[ir.parse_measure(measure)]

    return value


def ranx(measure):
    def value(relevant, returned):
        import ranx as library

        run = {unit: float(99 - i) for i, unit in enumerate(once(returned))}
        qrels = library.Qrels({"q": dict.fromkeys(relevant, 1)})
        return library.evaluate(qrels, library.Run({"q": run}), measure)

    return value


def context_grid(name):
    def value(relevant, returned):
        from contextgrid.score import metrics

        return getattr(metrics, name)(dict.fromkeys(relevant, 1), returned, K)

    return value


def ragproof(name):
    def value(relevant, returned):
        from ragproof.adapters.base import RetrievedChunk
        from ragproof.metrics import retrieval

        chunks = [RetrievedChunk(id=unit, text=unit) for unit in returned]
        ranked = retrieval.ranked_source_ids(chunks, "chunk")
        return getattr(retrieval, name)(k=K)._score(ranked, set(relevant))

    return value


def haystack(name, **options):
    def value(relevant, returned):
        from haystack import Document
        from haystack.components import evaluators

        documents = lambda units: [Document(content=unit) for unit in units]  # noqa: E731
        evaluator = getattr(evaluators, name)(**options)
        return evaluator.run([documents(relevant)], [documents(returned[:K])])["individual_scores"][0]

    return value


def llama_index(name):
    def value(relevant, returned):
        from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY

        return (
            METRIC_REGISTRY[name]()
            .compute(query="q", expected_ids=relevant, retrieved_ids=returned[:K])
            .score
        )

    return value


def ragas(relevant, returned):
    """Ragas' own method, out of its file: its module needs a model hub. A perfect judge gives the verdicts."""
    import numpy as np

    path = Path(find_spec("ragas").submodule_search_locations[0]) / "metrics" / "_context_precision.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    owner = next(n for n in tree.body if getattr(n, "name", "") == "LLMContextPrecisionWithReference")
    method = next(n for n in owner.body if getattr(n, "name", "") == "_calculate_average_precision")
    method.returns, method.args.args[1].annotation = None, None
    scope = {"np": np, "logger": None}
    exec(textwrap.dedent(ast.unparse(method)), scope)  # noqa: S102 - the installed package's own code
    verdicts = [SimpleNamespace(verdict=int(unit in relevant)) for unit in returned[:K]]
    return scope["_calculate_average_precision"](None, verdicts)


def deepeval(relevant, returned):
    """DeepEval's own score, a perfect judge giving the verdicts."""
    from deepeval.metrics import ContextualPrecisionMetric

    verdicts = [SimpleNamespace(verdict="yes" if unit in relevant else "no") for unit in returned[:K]]
    given = SimpleNamespace(verdicts=verdicts, strict_mode=False, threshold=0.5)
    return ContextualPrecisionMetric._calculate_score(given)


# metric of ours -> (what it is called on the page, package, what computes it)
ASKED = {
    "nDCG@5": [
        ("trec_eval by ir_measures {}", "ir_measures", ir_measures("nDCG@5")),
        ("ranx {}", "ranx", ranx("ndcg@5")),
        ("context-grid {}", "context-grid", context_grid("ndcg_at_k")),
        ("ragproof {}", "ragproof", ragproof("NDCGAtK")),
        ("Haystack {} (ideal without the cutoff)", "haystack-ai", haystack("DocumentNDCGEvaluator")),
        ("LlamaIndex {}", "llama-index-core", llama_index("ndcg")),
    ],
    "AP@5": [
        ("ir_measures {}", "ir_measures", ir_measures("AP@5")),
        ("ranx {}", "ranx", ranx("map@5")),
        ("context-grid {}", "context-grid", context_grid("average_precision")),
        ("Haystack {}", "haystack-ai", haystack("DocumentMAPEvaluator")),
        ("LlamaIndex {}", "llama-index-core", llama_index("ap")),
    ],
    "RagasContextPrecision@5": [
        ("Ragas {} “context precision”, given perfect verdicts", "ragas", ragas),
        ("DeepEval {} “contextual precision”, given perfect verdicts", "deepeval", deepeval),
    ],
    "R@5": [
        ("ir_measures {}", "ir_measures", ir_measures("R@5")),
        ("ranx {}", "ranx", ranx("recall@5")),
        ("context-grid {}", "context-grid", context_grid("recall_at_k")),
        ("ragproof {}", "ragproof", ragproof("RecallAtK")),
        ("Haystack {} `multi_hit`", "haystack-ai", haystack("DocumentRecallEvaluator", mode="multi_hit")),
        ("LlamaIndex {}", "llama-index-core", llama_index("recall")),
    ],
    "Success@5": [
        (
            "Haystack {} “recall”, its default (`single_hit`)",
            "haystack-ai",
            haystack("DocumentRecallEvaluator"),
        ),
    ],
}


def row(value, true):
    """What an implementation gives for the five cases; * marks an error and what differs from the metric named."""
    told = []
    for (_, relevant, returned), right in zip(CASES.values(), true, strict=True):
        try:
            text = shown(value(list(relevant), list(returned)))
        except Exception as error:  # noqa: BLE001 - what is raised is the result
            told.append(f"{type(error).__name__}*")
            continue
        told.append(text if text == right else f"{text}*")
    return told


def measured():
    """Rows of every metric, as the page holds them."""
    return {
        metric: [
            {
                "name": name.format(version(package)),
                "package": package,
                "values": row(value, ours(TRUE[metric])),
            }
            for name, package, value in rows
        ]
        for metric, rows in ASKED.items()
    }


if __name__ == "__main__":
    MEASURED.write_text(json.dumps(measured(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
