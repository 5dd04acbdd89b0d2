"""The miniature study with dense retrieval by letters, large enough that every kind of work is sent."""

from importlib import import_module

from tests import miniature

from evenhand.stats.intervals.resample import resampled_means
from evenhand.stats.paired.signflip import signflips

STUDY = """\
[study]
name = "miniature"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
[chunking.small]
rule = "sentences"
size = 160
count = "characters"
[system.bm25]
retriever = "bm25"
[system.dense]
retriever = "dense"
embedder = "python:tests.engine.work:Letters"
[measure]
primary = "nDCG@10"
secondary = ["Success(rel=2)@1"]
depth = 20
slices = []
[compare]
resamples = 500
signs = 500
null = ["random"]
[report]
plots = false
"""


def make(folder, *, engine=""):
    text = STUDY
    if engine:
        text = text.replace('name = "miniature"', f'name = "miniature"\nengine = "{engine}"')
    return miniature.make(folder, study=text)


def in_pieces(monkeypatch):
    """Let so little be sent at once that a miniature is many pieces of each kind of work."""
    monkeypatch.setattr("evenhand.retrieve.vectors.embed.SEGMENT", 16)
    monkeypatch.setattr("evenhand.retrieve.dense.distributed_exact.SPAN", 50)
    for function in (resampled_means, signflips):
        monkeypatch.setitem(function.__kwdefaults__, "cells", 17 * 200)


def results(folder):
    """The bytes of all results of a study by name, but for what it cost."""
    files = {str(p.relative_to(folder)): p for p in sorted((folder / "results").rglob("*")) if p.is_file()}
    return {name: file.read_bytes() for name, file in files.items() if not name.endswith("costs.json")}


def watched(monkeypatch):
    """The names of all work that is sent from now on."""
    names = set()
    for module in ("dask", "ray"):
        sends = import_module(f"evenhand.engine.{module}").packed

        def packed(work, *arguments, sends=sends, **options):
            names.add(f"{work.__module__.rpartition('.')[2]}.{work.__name__}")
            return sends(work, *arguments, **options)

        monkeypatch.setattr(f"evenhand.engine.{module}.packed", packed)
    return names


ALL = {"embed._on_worker", "distributed_exact._search", "measure._apart", "resample._sums", "signflip._apart"}


def kept(folder):
    """The names of all vectors in the cache of a study."""
    return sorted(path.name for path in (folder / ".evenhand" / "embeddings").rglob("*") if path.is_file())
