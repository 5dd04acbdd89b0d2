"""evenhand: the truth about your retrieval, and how sure you may be of it.

    import evenhand as eh

    corpus = eh.read_corpus("docs/")
    gold = eh.read_gold("gold.jsonl", corpus)
    units = eh.chunk(corpus, eh.Sentences(size=200, count="tokens"))
    runs = [eh.retrieve(s, units, gold, depth=50) for s in (eh.BM25(), eh.Dense("minilm"))]
    m = eh.measure(eh.align(gold, units), runs, ["nDCG@10", "R@5"])
    print(m.estimate("bm25", "nDCG@10"))

Every name is loaded when it is first used: `import evenhand` alone loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.corpus.chunk import Fixed as Fixed
    from evenhand.corpus.chunk import Headings as Headings
    from evenhand.corpus.chunk import Recursive as Recursive
    from evenhand.corpus.chunk import Sentences as Sentences
    from evenhand.corpus.chunk import Whole as Whole
    from evenhand.errors import EvenhandError as EvenhandError
    from evenhand.errors import HoldoutSpent as HoldoutSpent
    from evenhand.errors import InputError as InputError
    from evenhand.errors import MissingExtra as MissingExtra
    from evenhand.errors import SealBroken as SealBroken
    from evenhand.errors import Undecidable as Undecidable
    from evenhand.errors import Unreachable as Unreachable
    from evenhand.formats.corpus import read_corpus as read_corpus
    from evenhand.formats.frames import qrels_of as qrels_of
    from evenhand.formats.frames import run_of as run_of
    from evenhand.formats.frames_out import frame as frame
    from evenhand.formats.gate_file import load_gate as load_gate
    from evenhand.formats.gold import read_gold as read_gold
    from evenhand.formats.gold import write_gold as write_gold
    from evenhand.formats.study import read_study as read_study
    from evenhand.formats.trec import read_qrels as read_qrels
    from evenhand.formats.trec import read_run as read_run
    from evenhand.formats.trec import write_qrels as write_qrels
    from evenhand.formats.trec import write_run as write_run
    from evenhand.gate.decision import Decision as Decision
    from evenhand.gate.exported import Gate as Gate
    from evenhand.gold.align import align as align
    from evenhand.gold.lint import lint as lint
    from evenhand.gold.split import split as split
    from evenhand.metrics.measure import measure as measure
    from evenhand.metrics.names import parse as parse
    from evenhand.metrics.slices import slices as slices
    from evenhand.metrics.summary import compare as compare
    from evenhand.metrics.summary import contrast as contrast
    from evenhand.metrics.summary import estimate as estimate
    from evenhand.metrics.summary import standing as standing
    from evenhand.model.comparison import Comparison as Comparison
    from evenhand.model.comparison import Slice as Slice
    from evenhand.model.gold import GoldSet as GoldSet
    from evenhand.model.gold import Nugget as Nugget
    from evenhand.model.gold import Question as Question
    from evenhand.model.result import Contrast as Contrast
    from evenhand.model.result import Estimate as Estimate
    from evenhand.model.result import Interval as Interval
    from evenhand.model.result import Measurement as Measurement
    from evenhand.model.result import Measurements as Measurements
    from evenhand.model.result import Standing as Standing
    from evenhand.model.run import Hit as Hit
    from evenhand.model.run import Qrels as Qrels
    from evenhand.model.run import Run as Run
    from evenhand.model.study import Plan as Plan
    from evenhand.model.text import Corpus as Corpus
    from evenhand.model.text import Document as Document
    from evenhand.model.text import Span as Span
    from evenhand.model.text import Unit as Unit
    from evenhand.model.text import Units as Units
    from evenhand.report import notebook_charts as charts
    from evenhand.report.page import Page as Page
    from evenhand.report.page import page as page
    from evenhand.retrieve.bm25 import BM25 as BM25
    from evenhand.retrieve.dense import Dense as Dense
    from evenhand.retrieve.fuse import Fusion as Fusion
    from evenhand.retrieve.fuse import fuse as fuse
    from evenhand.retrieve.fuse import rrf as rrf
    from evenhand.retrieve.null import Constant as Constant
    from evenhand.retrieve.null import Popular as Popular
    from evenhand.retrieve.null import Random as Random
    from evenhand.retrieve.rerank import ByModel as ByModel
    from evenhand.retrieve.rerank import ByStatus as ByStatus
    from evenhand.retrieve.rerank import by_status as by_status
    from evenhand.retrieve.rerank import cross_encoder as cross_encoder
    from evenhand.retrieve.search import retrieve as retrieve
    from evenhand.retrieve.tfidf import TFIDF as TFIDF
    from evenhand.store.files import Blobs as Blobs
    from evenhand.study.conduct import Outcome as Outcome
    from evenhand.study.conduct import conduct as conduct
    from evenhand.study.plainly import chunk as chunk
    from evenhand.study.plainly import token_lengths as token_lengths

_HOME = {
    "corpus.chunk": ("Fixed", "Headings", "Recursive", "Sentences", "Whole"),
    "errors": (
        "EvenhandError",
        "HoldoutSpent",
        "InputError",
        "MissingExtra",
        "SealBroken",
        "Undecidable",
        "Unreachable",
    ),
    "formats.corpus": ("read_corpus",),
    "formats.frames": ("qrels_of", "run_of"),
    "formats.frames_out": ("frame",),
    "formats.gate_file": ("load_gate",),
    "formats.gold": ("read_gold", "write_gold"),
    "formats.study": ("read_study",),
    "formats.trec": ("read_qrels", "read_run", "write_qrels", "write_run"),
    "gate.exported": ("Gate",),
    "gate.decision": ("Decision",),
    "gold.align": ("align",),
    "gold.lint": ("lint",),
    "gold.split": ("split",),
    "metrics.measure": ("measure",),
    "metrics.names": ("parse",),
    "metrics.slices": ("slices",),
    "metrics.summary": ("compare", "contrast", "estimate", "standing"),
    "model.comparison": ("Comparison", "Slice"),
    "model.gold": ("GoldSet", "Nugget", "Question"),
    "model.result": ("Contrast", "Estimate", "Interval", "Measurement", "Measurements", "Standing"),
    "model.run": ("Hit", "Qrels", "Run"),
    "model.study": ("Plan",),
    "model.text": ("Corpus", "Document", "Span", "Unit", "Units"),
    "report.page": ("Page", "page"),
    "retrieve.bm25": ("BM25",),
    "retrieve.dense": ("Dense",),
    "retrieve.fuse": ("Fusion", "fuse", "rrf"),
    "retrieve.null": ("Constant", "Popular", "Random"),
    "retrieve.rerank": ("ByModel", "ByStatus", "by_status", "cross_encoder"),
    "retrieve.search": ("retrieve",),
    "retrieve.tfidf": ("TFIDF",),
    "store.files": ("Blobs",),
    "study.conduct": ("Outcome", "conduct"),
    "study.plainly": ("chunk", "token_lengths"),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "BM25",
    "TFIDF",
    "Blobs",
    "ByModel",
    "ByStatus",
    "Comparison",
    "Constant",
    "Contrast",
    "Corpus",
    "Decision",
    "Dense",
    "Document",
    "Estimate",
    "EvenhandError",
    "Fixed",
    "Fusion",
    "Gate",
    "GoldSet",
    "Headings",
    "Hit",
    "HoldoutSpent",
    "InputError",
    "Interval",
    "Measurement",
    "Measurements",
    "MissingExtra",
    "Nugget",
    "Outcome",
    "Page",
    "Plan",
    "Popular",
    "Qrels",
    "Question",
    "Random",
    "Recursive",
    "Run",
    "SealBroken",
    "Sentences",
    "Slice",
    "Span",
    "Standing",
    "Undecidable",
    "Unit",
    "Units",
    "Unreachable",
    "Whole",
    "__version__",
    "align",
    "by_status",
    "charts",
    "chunk",
    "compare",
    "conduct",
    "contrast",
    "cross_encoder",
    "estimate",
    "frame",
    "fuse",
    "lint",
    "load_gate",
    "measure",
    "page",
    "parse",
    "qrels_of",
    "read_corpus",
    "read_gold",
    "read_qrels",
    "read_run",
    "read_study",
    "retrieve",
    "rrf",
    "run_of",
    "slices",
    "split",
    "standing",
    "token_lengths",
    "write_gold",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("evenhand")
    elif name == "charts":
        found = import_module("evenhand.report.notebook_charts")
    elif name in _WHERE:
        found = getattr(import_module(f"evenhand.{_WHERE[name]}"), name)
    else:
        from evenhand.errors import nearest

        raise AttributeError(f"evenhand has no {name!r}; {nearest(name, _WHERE)}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
